package certificates_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/await"
)

// process is a gati-webhook. Each role has the token of its ServiceAccount and no other
// right.
type process struct {
	webhook, health, metrics string // addresses
	log                      *lines
	command                  *exec.Cmd
	ended                    chan struct{}
	result                   error // once it has ended
}

// startProcess starts both roles in one process.
func startProcess(t *testing.T, c *cluster, port int, flags ...string) *process {
	t.Helper()
	return startWith(t, c, port, append([]string{
		"--kubeconfig=" + c.accountKubeconfig(t, "gati-webhook"),
		"--controllers-kubeconfig=" + c.accountKubeconfig(t, "gati-controller"),
	}, flags...))
}

// startRole starts one role with its account.
func startRole(t *testing.T, c *cluster, port int, role, account string, flags ...string) *process {
	t.Helper()
	return startWith(t, c, port, append([]string{"--role=" + role, "--kubeconfig=" + c.accountKubeconfig(t, account)}, flags...))
}

func startWith(t *testing.T, c *cluster, port int, flags []string) *process {
	t.Helper()
	p := &process{
		webhook: loopbackAddress(port), health: loopbackAddress(freePort(t)), metrics: loopbackAddress(freePort(t)),
		log: &lines{}, ended: make(chan struct{}),
	}
	args := append([]string{
		fmt.Sprint("--webhook-port=", port), "--webhook-bind-address=127.0.0.1",
		"--health-probe-bind-address=" + p.health, "--metrics-bind-address=" + p.metrics,
		"--dns-names=127.0.0.1,localhost", "--log-format=text",
	}, flags...)
	p.command = c.group.Command(c.binary, args...)
	p.command.Stdout, p.command.Stderr = p.log, p.log
	p.command.Env = environment()
	if c.group != nil {
		p.command.Env = append(p.command.Env, "GOMEMLIMIT="+goMemoryLimit)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.result = p.command.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.command.Process.Kill()
		if t.Failed() {
			t.Logf("the log of the process at %s:\n%s", p.webhook, p.log.String())
		}
	})
	return p
}

// environment returns that of the test without settings of Go's memory, which no pod and no
// user has.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GOGC=") || strings.HasPrefix(e, "GOMEMLIMIT=") })
}

// accountKubeconfig is a kubeconfig with a token of a ServiceAccount.
func (c *cluster) accountKubeconfig(t *testing.T, name string) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	token := &authenticationv1.TokenRequest{}
	if err := c.client.SubResource("token").Create(t.Context(), account, token); err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: c.config.Host, CertificateAuthorityData: c.config.CAData}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkReady is nil if /readyz answers 200.
func (p *process) checkReady() error {
	return checkGet(http.DefaultClient, "http://"+p.health+"/readyz?verbose")
}

// awaitReady waits until the process is ready, and not for one that has ended.
func (p *process) awaitReady(t *testing.T, what string) {
	t.Helper()
	await.Eventually(t, what, func() error {
		select {
		case <-p.ended:
			t.Fatalf("%s: the process has ended: %v", what, p.result)
		default:
		}
		return p.checkReady()
	})
}

// checkServing is nil if a call to the port of the hooks is answered.
func (p *process) checkServing() error {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // who is there is another test's subject
	}}
	return checkGet(client, "https://"+p.webhook+"/healthz")
}

// readMetrics returns the values of /metrics.
func (p *process) readMetrics(t *testing.T) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: local.MetricsReader}}
	token := &authenticationv1.TokenRequest{}
	if err := shared.client.SubResource("token").Create(t.Context(), account, token); err != nil {
		t.Fatal(err)
	}
	status, text, err := local.ReadMetrics(t.Context(), "https://"+p.metrics+"/metrics", token.Status.Token)
	if err != nil || status != http.StatusOK {
		t.Fatalf("read metrics: %d %s %v", status, text, err)
	}
	return text
}

// awaitGathering waits until the figures of handlers are told, which the leader does.
func (p *process) awaitGathering(t *testing.T) {
	t.Helper()
	await.Eventually(t, "figures of handlers at "+p.metrics, func() error {
		if !strings.Contains(p.readMetrics(t), "\ngati_handlers_gathered ") {
			return errors.New("there are none")
		}
		return nil
	})
}

// countCalls is how many calls of a hook were answered.
func (p *process) countCalls(t *testing.T, hook string) int {
	t.Helper()
	sum := 0
	for line := range strings.Lines(p.readMetrics(t)) {
		name, figure, _ := strings.Cut(strings.TrimSpace(line), "} ")
		if strings.HasPrefix(name, "gati_webhook_call_duration_seconds_count{") && strings.Contains(name, `hook="`+hook+`"`) {
			n, err := strconv.Atoi(figure)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

func (p *process) sendSignal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// killAndAwait ends the process at once, and returns when it is gone.
func (p *process) killAndAwait(t *testing.T) {
	t.Helper()
	p.sendSignal(t, syscall.SIGKILL)
	_ = p.awaitEnd(t, await.Patience)
}

// awaitEnd waits until the process has ended.
func (p *process) awaitEnd(t *testing.T, within time.Duration) error {
	t.Helper()
	select {
	case <-p.ended:
		return p.result
	case <-time.After(within):
		t.Fatalf("the process still runs after %s", within)
		return nil
	}
}

func (p *process) isAlive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

func checkGet(client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(body)))
	}
	return nil
}

// residentMemory of a process in MiB, for the log.
func residentMemory(pid int) string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "VmRSS") {
			return strings.Join(strings.Fields(line)[1:], " ")
		}
	}
	return "unknown"
}
