package certificates_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"

	"gati.dev/gati/pkg/webhook/certs"

	"gati.dev/gati/test/support/await"
)

func TestReadyWithTheRightsOfTheManifests(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	began := time.Now()
	p := startProcess(t, c, port)
	p.awaitReady(t, "ready")
	t.Logf("from nothing to ready in %s, resident %s", time.Since(began).Round(time.Millisecond), residentMemory(p.command.Process.Pid))
	if err := c.checkPublished(t); err != nil {
		t.Errorf("ready, yet %v", err)
	}
	await.Eventually(t, "leader", func() error { _, err := c.readLeader(t); return err })
	if p.log.countText("forbidden") > 0 {
		t.Errorf("the log tells of missing rights:\n%s", p.log.String())
	}
}

// The controllers, which repair a caBundle, run only to repair it: otherwise it would often
// be repaired before the hooks have looked.
func TestReadinessFollowsTheCABundle(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	controllers := startRole(t, c, freePort(t), "controllers", "gati-controller")
	p := startRole(t, c, port, "admission", "gati-webhook")
	p.awaitReady(t, "ready")
	controllers.killAndAwait(t)

	endpoints := c.readEndpoints(t)
	for name, tc := range map[string]struct{ pointer, patch string }{
		"a CA of others in the validating configuration": {"/webhooks/0/clientConfig", fmt.Sprintf(`{"op":"replace","value":%q,`, pemOf(t, foreignCA(t)))},
		"no CA in a CRD": {"/spec/conversion/webhook/clientConfig", `{"op":"remove",`},
	} {
		t.Run(name, func(t *testing.T) {
			e := endpoints[slices.IndexFunc(endpoints, func(e certs.Endpoint) bool {
				return e.Target.Kind != "MutatingWebhookConfiguration" && e.Pointer == tc.pointer
			})]
			c.patchTarget(t, e.Target, fmt.Sprintf(`[%s"path":"%s/caBundle"}]`, tc.patch, e.Pointer))
			await.Eventually(t, "not ready", func() error {
				err := p.checkReady()
				switch {
				case err == nil:
					return errors.New("/readyz answers ok")
				case !strings.Contains(err.Error(), "call"):
					return fmt.Errorf("/readyz names no call: %w", err)
				}
				return nil
			})
			controllers := startRole(t, c, freePort(t), "controllers", "gati-controller")
			started := time.Now()
			p.awaitReady(t, "ready again")
			t.Logf("mended %s after the controllers have started", time.Since(started).Round(time.Millisecond))
			controllers.killAndAwait(t)
		})
	}
}

func TestLameDuck(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	const delay = 3 * time.Second
	p := startProcess(t, c, port, "--shutdown-delay="+delay.String())
	p.awaitReady(t, "ready")

	p.sendSignal(t, syscall.SIGTERM)
	signalled := time.Now()
	await.Eventually(t, "not ready", func() error {
		if p.checkReady() == nil {
			return errors.New("still ready")
		}
		return nil
	})
	if took := time.Since(signalled); took > time.Second {
		t.Errorf("not ready only after %s", took)
	}
	for calls := 0; time.Since(signalled) < delay-500*time.Millisecond; calls++ {
		if err := p.checkServing(); err != nil {
			t.Fatalf("call %d, %s after the signal: %v", calls, time.Since(signalled), err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := p.awaitEnd(t, delay+await.Patience); err != nil {
		t.Errorf("it ended with %v, want exit code 0", err)
	}
	if took := time.Since(signalled); took < delay {
		t.Errorf("it ended after %s, want the delay of %s to pass", took, delay)
	}
}

func TestSecondSignalCutsTheDelayShort(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	p := startProcess(t, c, port, "--shutdown-delay=5m")
	p.awaitReady(t, "ready")
	p.sendSignal(t, syscall.SIGTERM)
	time.Sleep(200 * time.Millisecond)
	p.sendSignal(t, syscall.SIGTERM)
	if err := p.awaitEnd(t, await.Patience); err != nil {
		t.Errorf("it ended with %v, want exit code 0", err)
	}
}

func TestAnotherReplicaLeadsSoon(t *testing.T) {
	const limit = 10 * time.Second
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	a := startProcess(t, c, port)
	a.awaitReady(t, "the first is ready")
	first := ""
	await.Eventually(t, "the first leads", func() (err error) { first, err = c.readLeader(t); return err })
	b := startProcess(t, c, freePort(t))
	b.awaitReady(t, "the second is ready")

	if err := a.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	await.Eventually(t, "the second leads", func() error {
		now, err := c.readLeader(t)
		if err == nil && now == first {
			err = fmt.Errorf("the leader is still %s", now)
		}
		return err
	})
	took := time.Since(killed).Round(time.Millisecond)
	t.Logf("another replica leads %s after kill -9", took)
	if took > limit {
		t.Errorf("it took %s, want at most %s", took, limit)
	}
	if !b.isAlive() {
		t.Error("the second replica has ended")
	}
}

// readLeader returns who holds the Lease.
func (c *cluster) readLeader(t *testing.T) (string, error) {
	t.Helper()
	var lease coordinationv1.Lease
	err := c.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "gati-webhook"}, &lease)
	if err != nil {
		return "", err
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
		return "", errors.New("no replica leads")
	}
	return *lease.Spec.HolderIdentity, nil
}

// A Lease that is lost ends the controllers and not the process: the hooks answer
// on, and the same process leads again once it may.
func TestALostLeaseCostsNoCall(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	p := startProcess(t, c, port)
	p.awaitReady(t, "ready")
	calls := 0
	for term := 1; term <= 2; term++ {
		await.Eventually(t, "it leads", func() error {
			if err := p.checkServing(); err != nil {
				t.Fatalf("call %d: %v", calls, err)
			}
			calls++
			if n := p.log.countText("this replica leads"); n < term {
				return fmt.Errorf("for the %d. time: it has led %d times", term, n)
			}
			return nil
		})
		awaitReconciled(t, c)
		p.awaitGathering(t)
		c.takeLease(t, 5*time.Second)
	}
	t.Logf("%d calls answered meanwhile", calls)
	if !p.isAlive() {
		t.Error("the process has ended")
	}
}

// takeLease makes another process leader, which never renews.
func (c *cluster) takeLease(t *testing.T, length time.Duration) {
	t.Helper()
	await.Eventually(t, "the Lease is taken", func() error {
		var lease coordinationv1.Lease
		if err := c.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "gati-webhook"}, &lease); err != nil {
			return err
		}
		now := metav1.NowMicro()
		lease.Spec.HolderIdentity = ptr.To("thief")
		lease.Spec.LeaseDurationSeconds = ptr.To(int32(length.Seconds()))
		lease.Spec.RenewTime, lease.Spec.AcquireTime = &now, &now
		return c.client.Update(t.Context(), &lease)
	})
}

// awaitReconciled makes a record and waits for what the controllers say of it.
func awaitReconciled(t *testing.T, c *cluster) {
	t.Helper()
	record := &v1.GatiVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "led-"}, Spec: v1.GatiVersionSpec{Handler: "nobody", Version: "v1"}}
	if err := c.client.Create(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	await.Eventually(t, "a status from the controllers", func() error {
		if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(record), record); err != nil {
			return err
		}
		if len(record.Status.Conditions) == 0 {
			return errors.New("there is none")
		}
		return nil
	})
}
