package app

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

var (
	roles      = []string{roleAll, roleAdmission, roleControllers}
	certModes  = []string{certModeSelf, certModeFiles}
	logLevels  = []string{"debug", "info", "warn", "error"}
	logFormats = []string{"json", "text"}
)

// validate returns all errors, not only the first.
func (c *config) validate() error {
	return errors.Join(
		requireOneOf("role", c.Role, roles),
		requireThat(c.ControllersKubeconfig == "" || c.Role == roleAll, "controllers-kubeconfig belongs to role all; with role %s set kubeconfig", c.Role),
		requireOneOf("cert-mode", c.CertMode, certModes),
		requireOneOf("log-level", c.LogLevel, logLevels),
		requireOneOf("log-format", c.LogFormat, logFormats),
		requireThat(c.WebhookPort > 0 && c.WebhookPort < 65536, "webhook-port %d: want a port from 1 to 65535", c.WebhookPort),
		requireThat(c.CertMode != certModeFiles || c.CertDir != "", "cert-mode files needs cert-dir, the folder of tls.crt and tls.key"),
		requireThat(c.CertMode != certModeSelf || c.CASecretName != "", "cert-mode self needs ca-secret-name"),
		requireThat(len(c.ClientNames) == 0 || c.ClientCAFile != "", "client-names needs client-ca-file, the authorities of the certificates"),
		requireThat(c.LeafHold > 0, "leaf-hold %s: want more than zero", c.LeafHold),
		requireThat(c.LeafHold < c.LeafLifetime/3, "leaf-hold %s has to be less than a third of leaf-lifetime %s: a certificate is renewed when that much is left", c.LeafHold, c.LeafLifetime),
		requireThat(c.LeafLifetime <= c.CALifetime/3, "leaf-lifetime %s has to be at most a third of ca-lifetime %s: a CA is replaced when that much is left", c.LeafLifetime, c.CALifetime),
		requireThat(c.CALifetime >= time.Minute, "ca-lifetime %s: want at least 1m, for its age is looked at every ten seconds", c.CALifetime),
		requireThat(c.Namespace != "", "namespace is empty"),
		requireThat(c.ShutdownDelay >= 0, "shutdown-delay %s is negative", c.ShutdownDelay),
		requireThat(c.RetryPeriod > 0, "leader-election-retry-period %s: want more than zero", c.RetryPeriod),
		requireThat(c.RetryPeriod < c.RenewDeadline, "leader-election-retry-period %s has to be less than leader-election-renew-deadline %s", c.RetryPeriod, c.RenewDeadline),
		requireThat(c.RenewDeadline < c.LeaseDuration, "leader-election-renew-deadline %s has to be less than leader-election-lease-duration %s, or two replicas lead", c.RenewDeadline, c.LeaseDuration),
		c.validateSignals(),
		c.validateTargets(),
		c.Turns.validate(),
		requireThat(c.ConcurrentHandlers > 0, "concurrent-handlers is %d, want 1 or more", c.ConcurrentHandlers),
		c.Notify.validate(),
		c.validateKeda(),
		c.validateTracing(),
		requireThat(c.PprofBindAddress == "0" || isLoopback(c.PprofBindAddress), "pprof-bind-address %s: want an address of this host alone, such as 127.0.0.1:6060, or 0: whoever reaches it can slow the process down", c.PprofBindAddress),
	)
}

// isLoopback reports whether only the host itself reaches an address.
func isLoopback(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().IsLoopback()
}

func requireOneOf(key, value string, allowed []string) error {
	return requireThat(slices.Contains(allowed, value), "%s %q: want one of %s", key, value, strings.Join(allowed, ", "))
}

func requireThat(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}
