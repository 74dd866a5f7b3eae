package test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gati.dev/gati/devcluster/internal/imagetar"
)

// patience is many times what anything takes on an idle machine.
const patience = 5 * time.Minute

// newReal returns a cluster that is to have a real node.
func newReal(t *testing.T) devcluster {
	t.Helper()
	if os.Getenv("DEVCLUSTER_TEST_REAL") != "1" {
		t.Skip("runs containers as root; set DEVCLUSTER_TEST_REAL=1 to run it")
	}
	if os.Geteuid() != 0 {
		t.Fatal("DEVCLUSTER_TEST_REAL=1 is set, and this is not root: a real node cannot be tested")
	}
	t.Setenv("DEVCLUSTER_TEST", "1")
	return newDevcluster(t)
}

// upReal starts the cluster.
func (d devcluster) upReal(args ...string) {
	d.Helper()
	begin := time.Now()
	out := d.runLauncher(0, append([]string{"up", "--dir", d.dir, "--nodes", "real"}, args...)...)
	d.Logf("up after %s: %s", time.Since(begin).Round(10*time.Millisecond), strings.TrimSpace(out))
}

// testImage is the test's program as an image, built once.
var testImage = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "devcluster-image-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "testapp")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "./testapp")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "testapp.tar")
	return path, os.WriteFile(path, imagetar.Archive("example.org/testapp:1", "testapp", content), 0o600)
})

// startApp runs the test's program in pods and returns its Service's address.
func (d devcluster) startApp() string {
	d.Helper()
	image, err := testImage()
	if err != nil {
		d.Fatal(err)
	}
	begin := time.Now()
	d.runLauncher(0, "image", "load", image, "--dir", d.dir)
	d.Logf("image loaded after %s", time.Since(begin).Round(10*time.Millisecond))
	d.runKubectl("apply", "-f", "testdata/app.yaml")
	d.runKubectl("rollout", "status", "deployment/app", "--timeout="+patience.String())
	d.Logf("pods ready after %s", time.Since(begin).Round(10*time.Millisecond))
	service := "http://" + d.runKubectl("get", "service", "app", "-o", "jsonpath={.spec.clusterIP}")
	// kube-proxy hears of a pod that is ready some time after kubectl.
	seen := map[string]bool{}
	awaitNil(d.T, "both pods reached by their Service", func() error {
		name, err := getAddress(service)
		if err != nil {
			return err
		}
		if seen[name] = true; len(seen) < 2 {
			return fmt.Errorf("only %s answers", name)
		}
		return nil
	})
	return service
}

func getAddress(address string) (string, error) {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(address)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP %d: %s", response.StatusCode, body)
	}
	return strings.TrimSpace(string(body)), err
}

func TestRealNode(t *testing.T) {
	d := newReal(t)
	before := lookAtMachine(t)
	d.upReal("--gateway", "traefik", "--prometheus")
	d.runLauncher(0, "status", "--dir", d.dir)
	s, _ := d.readState()
	service := d.startApp()

	t.Run("service", func(t *testing.T) { bothPodsAnswer(t, service) })
	t.Run("names and hairpin", func(t *testing.T) {
		for range 10 {
			if body, err := getAddress(service + "/fetch?url=" + url.QueryEscape("http://app.default.svc.cluster.local/")); err != nil || !strings.HasPrefix(body, "app-") {
				t.Errorf("from a pod: %q, %v", body, err)
			}
		}
	})
	t.Run("API server from a pod", func(t *testing.T) {
		// The certificate is none that the program trusts, which only the API
		// server's can tell it.
		_, err := getAddress(service + "/fetch?url=" + url.QueryEscape("https://kubernetes.default.svc.cluster.local/version"))
		if err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("logs", func(t *testing.T) {
		if out := d.runKubectl("logs", "deployment/app"); !strings.Contains(out, "listening") {
			t.Errorf("the log is %q", out)
		}
	})
	t.Run("image that is not there", func(t *testing.T) { d.absentImage(t) })
	t.Run("gateway", func(t *testing.T) { d.checkGateway(t) })
	t.Run("Prometheus", func(t *testing.T) { d.checkPrometheus(t) })
	t.Run("autoscaler", func(t *testing.T) { d.checkAutoscaler(t) })
	for _, name := range []string{"kubelet", "containerd", "kube-proxy", "coredns", "metrics-server", "kube-apiserver", "etcd"} {
		t.Run("restart "+name, func(t *testing.T) {
			d.runLauncher(0, "restart", name, "--dir", d.dir)
			bothPodsAnswer(t, service)
		})
	}
	d.runLauncher(1, "restart", "node", "--dir", d.dir)
	d.runLauncher(0, "status", "--dir", d.dir)
	if restarts := d.runKubectl("get", "pods", "-l", "app=app", "-o", "jsonpath={.items[*].status.containerStatuses[*].restartCount}"); strings.Trim(restarts, "0 ") != "" {
		t.Errorf("containers were restarted: %s", restarts)
	}

	begin := time.Now()
	d.stopCluster()
	t.Logf("down after %s", time.Since(begin).Round(10*time.Millisecond))
	d.wantNothingLeft(s.Marker)
	before.wantUnchanged(t)
}

func bothPodsAnswer(t *testing.T, service string) {
	t.Helper()
	names := map[string]int{}
	for range 40 {
		name, err := getAddress(service)
		if err != nil {
			t.Fatal(err)
		}
		names[name]++
	}
	if len(names) != 2 {
		t.Errorf("of two pods, these have answered: %v", names)
	}
}

func (d devcluster) absentImage(t *testing.T) {
	d.runKubectl("apply", "-f", "testdata/absent.yaml")
	awaitNil(t, "ErrImagePull", func() error {
		status := d.runKubectl("get", "pod", "absent", "-o", "jsonpath={.status.containerStatuses[0].state.waiting}")
		if !strings.Contains(status, "ErrImagePull") && !strings.Contains(status, "ImagePullBackOff") {
			return fmt.Errorf("the container waits for %s", status)
		}
		t.Log(status)
		return nil
	})
	d.runKubectl("delete", "-f", "testdata/absent.yaml", "--grace-period=0", "--force")
}

func (d devcluster) checkGateway(t *testing.T) {
	d.runKubectl("apply", "-f", "testdata/route.yaml")
	port := d.runKubectl("get", "gateway", "gateway", "-n", "devcluster", "-o", "jsonpath={.spec.listeners[0].port}")
	awaitNil(t, "answer through the gateway", func() error {
		_, err := getAddress("http://127.0.0.1:" + port)
		return err
	})
	bothPodsAnswer(t, "http://127.0.0.1:"+port)
	conditions := d.runKubectl("get", "httproute", "app", "-o", "jsonpath={.status.parents[0].conditions}")
	for _, want := range []string{`"type":"Accepted"`, `"type":"ResolvedRefs"`} {
		if !strings.Contains(conditions, want) || strings.Contains(conditions, `"status":"False"`) {
			t.Errorf("the route's conditions are %s", conditions)
		}
	}
}

func (d devcluster) checkPrometheus(t *testing.T) {
	s, _ := d.readState()
	host := d.runKubectl("get", "endpointslice", "prometheus-devcluster", "-n", "devcluster", "-o", "jsonpath={.endpoints[0].addresses[0]}")
	query := func(expression string) error {
		body, err := getAddress(fmt.Sprintf("http://%s:%d/api/v1/query?query=%s", host, s.Ports["prometheus"], url.QueryEscape(expression)))
		if err == nil && !strings.Contains(body, `"value":[`) {
			err = fmt.Errorf("the answer is %s", body)
		}
		return err
	}
	awaitNil(t, "metrics of the pods", func() error { return query(`count(testapp_requests_total{app="app"}) == 2`) })
	awaitNil(t, "metrics of the gateway", func() error { return query(`sum(traefik_service_requests_total) >= 40`) })
}

func (d devcluster) checkAutoscaler(t *testing.T) {
	awaitNil(t, "CPU of the pods known to the autoscaler", func() error {
		current := d.runKubectl("get", "hpa", "app", "-o", "jsonpath={.status.currentMetrics[0].resource.current.averageUtilization}")
		if _, err := strconv.Atoi(current); err != nil {
			return fmt.Errorf("the autoscaler knows %q", current)
		}
		return nil
	})
	t.Log(d.runKubectl("top", "pods"))
}

func TestRealNodeKilled(t *testing.T) {
	d := newReal(t)
	before := lookAtMachine(t)
	d.upReal()
	s, _ := d.readState()
	d.startApp()
	if killed := killAll(t, s.Marker); killed < 12 {
		t.Errorf("there were only %d processes to kill", killed)
	}
	d.upReal()
	bothPodsAnswer(t, d.startApp())
	d.stopCluster()
	d.wantNothingLeft(s.Marker)
	before.wantUnchanged(t)
}

// killAll kills everything of a cluster, containers included, until nothing is
// left, and returns how much it was.
func killAll(t *testing.T, marker string) int {
	t.Helper()
	killed := map[string]bool{}
	for {
		pids := append(listProcesses(marker), listContained(marker)...)
		if len(pids) == 0 {
			return len(killed)
		}
		for _, pid := range pids {
			killed[pid] = true
			number, _ := strconv.Atoi(pid)
			_ = syscall.Kill(number, syscall.SIGKILL)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// listContained lists the living processes of a cluster's containers.
func listContained(marker string) []string {
	var pids []string
	for _, root := range listCgroups() {
		if !strings.Contains(root, marker) {
			continue
		}
		_ = filepath.WalkDir(root, func(path string, _ os.DirEntry, _ error) error {
			if filepath.Base(path) == "cgroup.procs" {
				list, _ := os.ReadFile(path)
				for _, pid := range strings.Fields(string(list)) {
					if cmdline, _ := os.ReadFile("/proc/" + pid + "/cmdline"); len(cmdline) > 0 {
						pids = append(pids, pid)
					}
				}
			}
			return nil
		})
	}
	return pids
}

func TestTwoRealNodes(t *testing.T) {
	one, two := newReal(t), newReal(t)
	before := lookAtMachine(t)
	one.upReal()
	two.upReal()
	first, second := one.startApp(), two.startApp()
	if first == second {
		t.Errorf("both clusters gave a Service the address %s", first)
	}
	bothPodsAnswer(t, first)
	bothPodsAnswer(t, second)
	one.stopCluster()
	bothPodsAnswer(t, second)
	two.stopCluster()
	before.wantUnchanged(t)
}

func TestRealNodeOfADeletedDirectory(t *testing.T) {
	d := newReal(t)
	before := lookAtMachine(t)
	d.upReal()
	d.startApp()
	s, _ := d.readState()
	if err := os.RemoveAll(d.dir); err != nil {
		t.Fatal(err)
	}
	d.stopCluster()
	d.wantNothingLeft(s.Marker)
	before.wantUnchanged(t)
}

// realMoments are points of an `up` with a real node.
var realMoments = []struct {
	name string
	here func(clusterState) bool
}{
	{"node runs", func(s clusterState) bool { return s.processOf("node") != 0 }},
	{"containerd runs", func(s clusterState) bool { return s.processOf("containerd") != 0 }},
	{"kubelet runs", func(s clusterState) bool { return s.processOf("kubelet") != 0 }},
}

func TestDownAfterAKilledUpOfARealNode(t *testing.T) {
	for _, moment := range realMoments {
		t.Run(moment.name, func(t *testing.T) {
			d := newReal(t)
			before := lookAtMachine(t)
			marker := d.interruptUp(moment.here, syscall.SIGKILL, "real")
			d.stopCluster()
			d.wantNothingLeft(marker)
			before.wantUnchanged(t)
		})
	}
}
