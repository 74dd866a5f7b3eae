package test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestTwoClustersSideBySide takes two clusters through their lives, so that each of its
// parts need not start one.
func TestTwoClustersSideBySide(t *testing.T) {
	one, two := newDevcluster(t), newDevcluster(t)
	var group sync.WaitGroup
	for _, d := range []devcluster{one, two} {
		group.Go(func() {
			d.startCluster()
			d.runDeployment()
		})
	}
	group.Wait()
	first, _ := one.readState()
	second, _ := two.readState()
	for name, port := range first.Ports {
		if second.Ports[name] == port {
			t.Errorf("both clusters have port %d for %s", port, name)
		}
	}
	t.Run("up of a cluster that is up", func(t *testing.T) { one.forTest(t).upAgain() })
	t.Run("down", func(t *testing.T) {
		one := one.forTest(t)
		one.stopCluster()
		one.wantNothingLeft(first.Marker)
		one.stopCluster()
	})
	t.Run("the other is as it was", func(t *testing.T) { two.forTest(t).runLauncher(0, "status", "--dir", two.dir) })
	t.Run("restart", func(t *testing.T) { two.forTest(t).restartComponents() })
	t.Run("down without the directory", func(t *testing.T) {
		two := two.forTest(t)
		if err := os.RemoveAll(two.dir); err != nil {
			t.Fatal(err)
		}
		two.stopCluster()
		two.wantNothingLeft(second.Marker)
	})
}

// runDeployment runs a Deployment until its pods are ready, and takes it away.
func (d devcluster) runDeployment() {
	d.runKubectl("create", "deployment", "web", "--image=web", "--replicas=3")
	d.runKubectl("rollout", "status", "deployment/web", "--timeout="+patience.String())
	d.runKubectl("delete", "deployment", "web", "--cascade=foreground", "--timeout="+patience.String())
	if pods := d.runKubectl("get", "pods", "-o", "name"); pods != "" {
		d.Errorf("pods are left: %s", pods)
	}
	audit, err := os.ReadFile(filepath.Join(d.dir, "logs", "audit.log"))
	if err != nil || !strings.Contains(string(audit), `"verb":"create"`) {
		d.Errorf("the audit log does not tell of the creation: %v", err)
	}
}

func (d devcluster) upAgain() {
	begin := time.Now()
	if out := d.runLauncher(0, "up", "--dir", d.dir); !strings.Contains(out, "already up") {
		d.Errorf("it says %q", out)
	}
	d.Logf("up of a cluster that is up: %s", time.Since(begin))
	d.runLauncher(1, "up", "--dir", d.dir, "--nodes", "kwok:2")
}

// restartComponents starts each component anew: data and ports are kept.
func (d devcluster) restartComponents() {
	before, _ := d.readState()
	d.runKubectl("create", "namespace", "kept")
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"} {
		d.runLauncher(0, "restart", name, "--dir", d.dir)
	}
	d.runKubectl("get", "namespace", "kept")
	after, _ := d.readState()
	for name, port := range before.Ports {
		if after.Ports[name] != port {
			d.Errorf("%s moved from port %d to %d", name, port, after.Ports[name])
		}
	}
	for _, component := range before.Components {
		if after.processOf(component.Name) == component.Process.PID {
			d.Errorf("%s is still process %d", component.Name, component.Process.PID)
		}
	}
	d.runDeployment()
	d.runLauncher(0, "status", "--dir", d.dir)
}
