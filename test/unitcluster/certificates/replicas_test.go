package certificates_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"

	"gati.dev/gati/test/support/await"
)

func v1TypeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: kind}
}

func objectMeta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "default", Name: name}
}

// Both replicas are replaced one after the other, as a rolling update does, under
// twenty applies a second: none fails.
func TestRollingRestartLosesNoApply(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	service := newService(t, port)
	start := func() *process {
		p := startProcess(t, c, freePort(t), "--shutdown-delay=3s")
		p.awaitReady(t, "a replica that is ready")
		service.addReplica(p)
		return p
	}
	old := []*process{start(), start()}
	await.Eventually(t, "the first apply", func() error { return applyVersion(t, c, "first") })

	load := startApplies(t, c)
	for _, p := range old {
		start()
		p.sendSignal(t, syscall.SIGTERM)
		if err := p.awaitEnd(t, await.Patience); err != nil {
			t.Errorf("a replica ended with %v", err)
		}
		service.removeReplica(p)
	}
	calls, failed := load()
	t.Logf("%d applies, %d failed, while both replicas were replaced", calls, len(failed))
	if len(failed) > 0 {
		t.Errorf("the first: %v", failed[0])
	}
	if calls < 50 {
		t.Errorf("only %d applies: the load proves little", calls)
	}
}

// Two replicas that start from nothing, at the same time, agree on one CA, and
// neither ever serves with another.
func TestTwoReplicasFromNothingMakeOneCA(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	replicas := []*process{startProcess(t, c, port), startProcess(t, c, freePort(t))}
	for _, p := range replicas {
		p.awaitReady(t, "ready")
	}
	if err := c.checkPublished(t); err != nil {
		t.Error(err)
	}
	ca := c.readUsableCA(t)
	for i, p := range replicas {
		chain, err := (&witness{replica: p, live: c.newLive()}).requestAdmission(t.Context())
		if err != nil {
			t.Fatalf("replica %d: %v", i, err)
		}
		if got := chain[len(chain)-1]; !got.Equal(ca) {
			t.Errorf("replica %d serves a certificate of CA %s, the Secret holds %s", i, serialOf(got), serialOf(ca))
		}
		for _, role := range []string{"certs", "authority"} {
			if n := p.log.countText("\t" + role + "\tthe CA changed"); n != 1 {
				t.Errorf("replica %d, %s: knew %d CAs, want 1", i, role, n)
			}
		}
	}
}

func applyVersion(t *testing.T, c *cluster, name string) error {
	return c.client.Create(t.Context(), &v1.GatiVersion{
		TypeMeta: v1TypeMeta("GatiVersion"), ObjectMeta: objectMeta(name), Spec: v1.GatiVersionSpec{Version: "v1.0.0"},
	}, client.DryRunAll)
}

// startApplies applies twenty times a second until it is told to stop.
func startApplies(t *testing.T, c *cluster) (stop func() (int, []error)) {
	t.Helper()
	done, calls := make(chan struct{}), 0
	var failed []error
	var mu sync.Mutex
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			mu.Lock()
			calls++
			name := fmt.Sprint("apply-", calls)
			mu.Unlock()
			wait.Go(func() {
				if err := applyVersion(t, c, name); err != nil {
					mu.Lock()
					defer mu.Unlock()
					failed = append(failed, fmt.Errorf("%s: %w", time.Now().Format(time.TimeOnly), err))
				}
			})
		}
	})
	return func() (int, []error) {
		close(done)
		wait.Wait()
		return calls, failed
	}
}

// service passes connections on to the replicas that are ready, as a Service does
// with a readiness probe every second: what it knows is a little old.
type service struct {
	mu       sync.Mutex
	replicas []*process
	ready    atomic.Pointer[[]string]
}

func newService(t *testing.T, port int) *service {
	t.Helper()
	s := &service{}
	s.ready.Store(&[]string{})
	listener, err := net.Listen("tcp", loopbackAddress(port))
	if err != nil {
		t.Fatal(err)
	}
	end := make(chan struct{})
	t.Cleanup(func() { _ = listener.Close(); close(end) })
	go s.probeReplicas(end)
	go func() {
		for next := 0; ; next++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			ready := *s.ready.Load()
			if len(ready) == 0 {
				_ = conn.Close()
				continue
			}
			go pipeConnection(conn, ready[next%len(ready)])
		}
	}()
	return s
}

// probeReplicas looks once a second who is ready.
func (s *service) probeReplicas(end <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return
		case <-tick.C:
			s.updateReady()
		}
	}
}

func (s *service) updateReady() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ready []string
	for _, p := range s.replicas {
		if p.checkReady() == nil {
			ready = append(ready, p.webhook)
		}
	}
	s.ready.Store(&ready)
}

func (s *service) addReplica(p *process) {
	s.mu.Lock()
	s.replicas = append(s.replicas, p)
	s.mu.Unlock()
	s.updateReady()
}

func (s *service) removeReplica(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []*process
	for _, r := range s.replicas {
		if r != p {
			left = append(left, r)
		}
	}
	s.replicas = left
}

// The metrics of the hooks are there, in buckets that show a percentile.
func TestCallsAreMeasured(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	p := startProcess(t, c, port)
	p.awaitReady(t, "ready")
	await.Eventually(t, "an apply", func() error { return applyVersion(t, c, "measured") })
	handler := &v1.GatiHandler{TypeMeta: v1TypeMeta("GatiHandler"), ObjectMeta: objectMeta("measured"), Spec: v1.GatiHandlerSpec{Path: "/measured", Image: "app:v1"}}
	if err := c.client.Create(t.Context(), handler, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	text := p.readMetrics(t)
	for _, want := range []string{
		`gati_webhook_call_duration_seconds_bucket{hook="validate",kind="GatiVersion",operation="CREATE",verdict="allowed",le="0.0005"}`,
		`gati_webhook_call_duration_seconds_bucket{hook="mutate",kind="GatiHandler",operation="CREATE",verdict="allowed",le="5"}`,
		`gati_webhook_calls_in_flight{hook="validate"} 0`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if unwanted := `hook="mutate",kind="GatiVersion"`; strings.Contains(text, unwanted) {
		t.Errorf("/metrics has %s: nothing of a record is mutated", unwanted)
	}
	p.awaitGathering(t)
}
