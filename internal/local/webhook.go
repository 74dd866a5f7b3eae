package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gati.dev/gati/internal/ports"
	"gati.dev/gati/internal/render"
)

// Webhook is a gati-webhook process with both roles.
type Webhook struct {
	cluster *Cluster
	binary  string
	dir     string
	host    string
	ports   webhookPorts
	extra   []string
	role    string
	// patience bounds the wait for readiness.
	patience time.Duration

	process *exec.Cmd
	ended   chan struct{}
}

// webhookPorts are those of the process, all on loopback.
type webhookPorts struct{ Hook, Health, Metrics int }

// readyWithin bounds how long a start is waited for: it needs caches and the API server,
// and no Lease.
const readyWithin = 5 * time.Minute

// HostVariable names the address of this machine for the API server, if it is not
// 127.0.0.1.
const HostVariable = "GATI_WEBHOOK_HOST"

// Install applies the local overlay for a gati-webhook on this machine and writes
// the files of the process into dir. It may be repeated. Start comes next.
func Install(ctx context.Context, c *Cluster, dir string, extra ...string) (*Webhook, error) {
	w, err := Prepare(c, dir, extra...)
	if err != nil {
		return nil, err
	}
	overlay, err := w.renderOverlay()
	if err != nil {
		return nil, err
	}
	if _, err := c.Run(ctx, overlay, "apply", "-f", "-"); err != nil {
		return nil, err
	}
	return w, w.Authorize(ctx)
}

// Prepare is the part of Install before anything is applied, for callers that
// install another way. Authorize comes after their installation.
func Prepare(c *Cluster, dir string, extra ...string) (*Webhook, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	w := &Webhook{
		cluster: c, binary: c.tools.Webhook, dir: dir,
		host: cmp.Or(os.Getenv(HostVariable), "127.0.0.1"), extra: extra, patience: readyWithin,
	}
	var err error
	w.ports, err = loadPorts(filepath.Join(dir, "ports"))
	return w, err
}

// Authorize gives the process a token of each installed ServiceAccount.
func (w *Webhook) Authorize(ctx context.Context) error {
	return errors.Join(
		w.cluster.WriteAccountKubeconfig(ctx, Account, w.kubeconfigPath(Account)),
		w.cluster.WriteAccountKubeconfig(ctx, ControllerAccount, w.kubeconfigPath(ControllerAccount)),
	)
}

// UseBuild sets the binary of the next start.
func (w *Webhook) UseBuild(binary string) { w.binary = binary }

// UseRole has the process play one role from its next start on, as those do that are
// installed; empty is both.
func (w *Webhook) UseRole(role string) { w.role = role }

// URL returns the address of the process for the API server.
func (w *Webhook) URL() string {
	return "https://" + net.JoinHostPort(w.host, strconv.Itoa(w.ports.Hook))
}

func (w *Webhook) renderOverlay() (string, error) {
	overlay, err := render.YAML(render.Options{Overlay: render.OverlayLocal, URL: w.URL()})
	if err != nil {
		return "", fmt.Errorf("render the local overlay: %w", err)
	}
	return string(overlay), nil
}

// Uninstall deletes what Install applied, with all Gati objects. The process must
// still run: objects are converted while they are deleted.
func Uninstall(ctx context.Context, c *Cluster, dir string) error {
	w := &Webhook{cluster: c, dir: dir, host: "127.0.0.1"}
	overlay, err := w.renderOverlay()
	if err != nil {
		return err
	}
	_, err = c.Run(ctx, overlay, "delete", "--ignore-not-found", "-f", "-")
	return err
}

func (w *Webhook) kubeconfigPath(account string) string {
	return filepath.Join(w.dir, account+".kubeconfig")
}

// LogPath returns the log file of the process.
func (w *Webhook) LogPath() string { return filepath.Join(w.dir, "gati-webhook.log") }

// Pid returns the process id, 0 if it does not run.
func (w *Webhook) Pid() int {
	if w.process == nil {
		return 0
	}
	return w.process.Process.Pid
}

// Start starts the process and waits until it is ready. Only the waiting is bound
// to the context: the process runs until Stop or Kill.
func (w *Webhook) Start(ctx context.Context) error {
	if err := w.Launch(); err != nil {
		return err
	}
	return w.AwaitReady(ctx)
}

// Args returns the flags of the process.
func (w *Webhook) Args() []string {
	address := func(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }
	return append(append(w.roleArgs(),
		"--namespace", Namespace,
		"--webhook-bind-address", w.host, "--webhook-port", strconv.Itoa(w.ports.Hook),
		"--health-probe-bind-address", address(w.ports.Health), "--metrics-bind-address", address(w.ports.Metrics),
		"--dns-names", w.host, "--shutdown-delay", "1s",
	), w.extra...)
}

// roleArgs returns the flags that say what the process does, by which accounts.
func (w *Webhook) roleArgs() []string {
	switch w.role {
	case "":
		return []string{"--kubeconfig=" + w.kubeconfigPath(Account), "--controllers-kubeconfig=" + w.kubeconfigPath(ControllerAccount)}
	case "controllers":
		return []string{"--role=controllers", "--kubeconfig=" + w.kubeconfigPath(ControllerAccount)}
	default:
		return []string{"--role=" + w.role, "--kubeconfig=" + w.kubeconfigPath(Account)}
	}
}

// Launch starts the process without waiting for it.
func (w *Webhook) Launch() error {
	log, err := os.OpenFile(w.LogPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	w.process = exec.Command(w.binary, w.Args()...)
	w.process.Stdout, w.process.Stderr = log, log
	w.process.Env = productionEnv(os.Environ())
	w.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := w.process.Start(); err != nil {
		return fmt.Errorf("start gati-webhook: %w", err)
	}
	w.ended = make(chan struct{})
	go func() {
		_ = w.process.Wait()
		close(w.ended)
	}()
	return os.WriteFile(filepath.Join(w.dir, "pid"), []byte(strconv.Itoa(w.process.Process.Pid)), 0o600)
}

// productionEnv removes the variables that only speed up the tests.
func productionEnv(env []string) []string {
	return slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, "GOGC=") })
}

// AwaitReady waits until the readiness check succeeds, for readyWithin at most.
func (w *Webhook) AwaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	url := fmt.Sprintf("http://127.0.0.1:%d/readyz", w.ports.Health)
	for {
		select {
		case <-w.ended:
			return fmt.Errorf("gati-webhook ended before it was ready; see %s", w.LogPath())
		case <-ctx.Done():
			return fmt.Errorf("gati-webhook is not ready: %w; see %s", ctx.Err(), w.LogPath())
		case <-time.After(100 * time.Millisecond):
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			continue
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return nil
		}
	}
}

// Kill ends the process as a crash would.
func (w *Webhook) Kill() error { return w.signalAndWait(syscall.SIGKILL) }

// Stop shuts the process down.
func (w *Webhook) Stop() error { return w.signalAndWait(syscall.SIGTERM) }

func (w *Webhook) signalAndWait(signal syscall.Signal) error {
	if w.process == nil {
		return nil
	}
	if err := w.process.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-w.ended
	w.process = nil
	return os.Remove(filepath.Join(w.dir, "pid"))
}

// loadPorts returns the ports of a folder's process. They are chosen once, because
// the webhook configurations name one of them.
func loadPorts(path string) (webhookPorts, error) {
	var p webhookPorts
	if text, err := os.ReadFile(path); err == nil {
		if _, err := fmt.Sscanf(string(text), "%d %d %d", &p.Hook, &p.Health, &p.Metrics); err == nil {
			return p, nil
		}
	}
	for _, port := range []*int{&p.Hook, &p.Health, &p.Metrics} {
		var err error
		if *port, err = ports.Take(); err != nil {
			return p, err
		}
	}
	return p, os.WriteFile(path, fmt.Appendf(nil, "%d %d %d\n", p.Hook, p.Health, p.Metrics), 0o600)
}
