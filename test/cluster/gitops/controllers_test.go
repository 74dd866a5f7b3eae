package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/ports"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/test/support/await"
	repo "gati.dev/gati/test/support/repository"
)

// controllers are Flux's source-controller and kustomize-controller, as processes.
type controllers struct {
	t    *testing.T
	logs []string
}

// The objects that gati-webhook has written for Flux.
var (
	gitRepositories = schema.GroupVersionKind{Group: "source.toolkit.fluxcd.io", Version: "v1", Kind: "GitRepository"}
	kustomizations  = schema.GroupVersionKind{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Kind: "Kustomization"}
)

// startFlux has Flux's controllers apply the repository until the test ends. Each push is
// told to Flux, as a Receiver of Flux does when the host of a repository calls it.
func startFlux(t *testing.T) {
	t.Helper()
	c := &controllers{t: t}
	storage, artifacts := t.TempDir(), freeAddress(t)
	c.startController("source-controller", "--storage-path="+storage, "--storage-addr="+artifacts, "--storage-adv-addr="+artifacts)
	c.startController("kustomize-controller")
	backend := server.Backend
	server.Backend = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		backend.ServeHTTP(rw, r)
		if gittest.IsPush(r) {
			c.requestReconcile()
		}
	})
	flux = c
	t.Cleanup(func() { server.Backend = backend })
	c.awaitReady("the first sync")
}

// startController builds a controller, starts it and waits until it is healthy.
func (c *controllers) startController(name string, args ...string) {
	c.t.Helper()
	built := exec.CommandContext(c.t.Context(), repo.Path("hack", "tool"), name)
	built.Stderr = os.Stderr
	path, err := built.Output()
	if err != nil {
		c.t.Fatalf("build %s: %v", name, err)
	}
	health, log := freeAddress(c.t), filepath.Join(c.t.TempDir(), name+".log")
	file, err := os.Create(log)
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(strings.TrimSpace(string(path)), append(args, "--health-addr="+health, "--metrics-addr=0")...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig, "RUNTIME_NAMESPACE="+fluxNamespace, "TMPDIR="+c.t.TempDir())
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.logs = append(c.logs, log)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	c.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		file.Close()
		if c.t.Failed() {
			c.t.Log(c.readTail(log, 8000))
		}
	})
	await.Eventually(c.t, name, func() error {
		select {
		case err := <-ended:
			ended <- err
			c.t.Fatalf("%s has ended: %v\n%s", name, err, c.readTail(log, 2000))
		default:
		}
		answer, err := http.Get("http://" + health + "/readyz")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		return nil
	}, func() string { return c.readTail(log, 2000) })
}

// freeAddress returns an address on this machine at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := ports.Take()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

func (c *controllers) readObject(kind schema.GroupVersionKind) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(kind)
	if err := admin.Get(context.Background(), client.ObjectKey{Namespace: fluxNamespace, Name: "gati"}, out); err != nil {
		c.t.Error(err)
	}
	return out
}

// patchObject changes an object of Flux.
func (c *controllers) patchObject(kind schema.GroupVersionKind, text string) {
	if err := admin.Patch(context.Background(), c.readObject(kind), client.RawPatch("application/merge-patch+json", []byte(text))); err != nil {
		c.t.Error(err)
	}
}

// requestReconcile asks source-controller to read the repository, as "flux reconcile" does.
func (c *controllers) requestReconcile() {
	c.patchObject(gitRepositories, fmt.Sprintf(`{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":%q}}}`, time.Now().Format(time.RFC3339Nano)))
}

// Pause suspends the Kustomization, or resumes it.
func (c *controllers) Pause(isPaused bool) {
	c.patchObject(kustomizations, fmt.Sprintf(`{"spec":{"suspend":%t}}`, isPaused))
	if isPaused {
		c.awaitIdle()
	}
}

// awaitIdle waits until kustomize-controller applies nothing any more.
func (c *controllers) awaitIdle() {
	if err := await.Try(await.Patience, func() error {
		if ready := findCondition(c.readObject(kustomizations), "Ready"); ready["status"] == "Unknown" {
			return fmt.Errorf("%v", ready)
		}
		return nil
	}); err != nil {
		c.t.Errorf("Flux does not stop: %v", err)
	}
}

// awaitReady waits until the Kustomization is ready at what source-controller has read.
func (c *controllers) awaitReady(what string) {
	c.t.Helper()
	await.Eventually(c.t, what, func() error {
		source, plans := c.readObject(gitRepositories), c.readObject(kustomizations)
		revision, _, _ := unstructured.NestedString(source.Object, "status", "artifact", "revision")
		applied, _, _ := unstructured.NestedString(plans.Object, "status", "lastAppliedRevision")
		if ready := findCondition(plans, "Ready"); ready["status"] != "True" || revision == "" || revision != applied {
			return fmt.Errorf("%s is applied of %s: %v", applied, revision, ready)
		}
		return nil
	}, c.Status)
}

func findCondition(obj *unstructured.Unstructured, kind string) map[string]any {
	conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == kind {
			return c
		}
	}
	return nil
}

// Status returns what Flux says of its objects.
func (c *controllers) Status() string {
	out := "Flux:"
	for _, kind := range []schema.GroupVersionKind{gitRepositories, kustomizations} {
		ready := findCondition(c.readObject(kind), "Ready")
		out += fmt.Sprintf("\n%s Ready=%v: %v", kind.Kind, ready["status"], ready["message"])
	}
	for _, log := range c.logs {
		out += "\n" + c.readTail(log, 1500)
	}
	return out
}

// readTail returns the end of a log.
func (c *controllers) readTail(path string, size int) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return filepath.Base(path) + ":\n" + string(text[max(0, len(text)-size):])
}
