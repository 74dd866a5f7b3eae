package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var (
	certModes  = []string{certModeSelf, certModeFiles}
	logLevels  = []string{"debug", "info", "warn", "error"}
	logFormats = []string{"json", "text"}
)

// validate reports everything that is wrong, not only the first.
func (c *config) validate() error {
	return errors.Join(
		oneOf("cert-mode", c.CertMode, certModes),
		oneOf("log-level", c.LogLevel, logLevels),
		oneOf("log-format", c.LogFormat, logFormats),
		check(c.WebhookPort > 0 && c.WebhookPort < 65536, "webhook-port %d: want a port from 1 to 65535", c.WebhookPort),
		check(c.CertMode != certModeFiles || c.CertDir != "", "cert-mode files needs cert-dir, the folder of tls.crt and tls.key"),
		check(c.CertMode != certModeSelf || c.CASecretName != "", "cert-mode self needs ca-secret-name"),
		check(c.Namespace != "", "namespace is empty"),
		check(c.ShutdownDelay >= 0, "shutdown-delay %s is negative", c.ShutdownDelay),
		check(c.RetryPeriod > 0, "leader-election-retry-period %s: want more than zero", c.RetryPeriod),
		check(c.RetryPeriod < c.RenewDeadline, "leader-election-retry-period %s has to be less than leader-election-renew-deadline %s", c.RetryPeriod, c.RenewDeadline),
		check(c.RenewDeadline < c.LeaseDuration, "leader-election-renew-deadline %s has to be less than leader-election-lease-duration %s, or two replicas lead", c.RenewDeadline, c.LeaseDuration),
	)
}

func oneOf(key, value string, allowed []string) error {
	return check(slices.Contains(allowed, value), "%s %q: want one of %s", key, value, strings.Join(allowed, ", "))
}

func check(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}
