package observed

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
)

const (
	// goMemoryLimit is what the Deployments set, memoryLimit their limit in bytes. Hooks and
	// controllers are one process here, which has the limit of one.
	goMemoryLimit = "460MiB"
	memoryLimit   = 512 << 20
	// appliesPerSecond is how many applies the quiet neighbour begins in a second.
	appliesPerSecond = 5
	// maxRows is more than the largest answer of Prometheus that is read.
	maxRows = 200_000
)

// TestNoisyNeighbour has one namespace attack in four ways at once: huge applies, forged
// reviews and conversions from anyone who reaches the port, and metrics that make an answer
// of Prometheus too large. Another namespace applies at a steady rate and judges a canary.
// No apply of it fails twice, its traffic is never unknown, a good version is promoted, a bad
// one goes back, and the process stays within the memory of its Deployment.
func TestNoisyNeighbour(t *testing.T) {
	restartWithMemoryLimit(t)
	noise := newWorld(t)
	noise.applyHandler(noise.makeUsersHandler("v1"))
	noise.awaitSettled("v1")
	quiet := newWorld(t)
	quiet.applyHandler(quiet.makeUsersHandler("v1"))
	quiet.awaitSettled("v1")

	attack, stop := context.WithCancel(t.Context())
	var attackers sync.WaitGroup
	t.Cleanup(func() { stop(); attackers.Wait() })
	var attacks [4]atomic.Int64
	for i, once := range []func(context.Context) error{noise.applyHuge, forgeStatus, forgeConversion, noise.queryWithoutBound} {
		attackers.Go(func() {
			for attack.Err() == nil {
				if once(attack) == nil {
					attacks[i].Add(1)
				}
			}
		})
	}
	source.setTraffic(noise.ns, "v1", traffic{requests: 400, rows: maxRows})
	source.setTraffic(noise.ns, "v2", traffic{requests: 400, rows: maxRows})
	loud := noise.makeUsersHandler("v2")
	loud.Spec.Rollout.Steps = []v1.RolloutStep{{Weight: 50, Pause: "1h"}}
	noise.applyHandler(loud)

	watched := quiet.watchEvidence(attack, &attackers)
	length := soak.Pick("noisyNeighbour", 10*time.Minute, 5*time.Second)
	var applies errgroup.Group
	applies.Go(func() error { return quiet.applySteadily(t.Context(), length) })
	source.setTraffic(quiet.ns, "v1", traffic{requests: 400})
	source.setTraffic(quiet.ns, "v2", traffic{requests: 400})
	quiet.applyHandler(quiet.makeUsersHandler("v2"))
	quiet.awaitSettled("v2")
	source.setTraffic(quiet.ns, "v3", traffic{requests: 400, errors: 80})
	quiet.applyHandler(quiet.makeUsersHandler("v3"))
	quiet.awaitHandler("v3 is rejected", func(h *v1.GatiHandler) error {
		if ro := h.Status.Rollout; len(ro.Rejected) != 1 || ro.Rejected[0].Version != "v3" || ro.Stable.Version != "v2" {
			return fmt.Errorf("%+v", ro)
		}
		return nil
	})
	if err := applies.Wait(); err != nil {
		t.Error(err)
	}
	for i, name := range []string{"huge applies", "forged reviews", "forged conversions", "queries without a bound"} {
		t.Logf("%d %s", attacks[i].Load(), name)
		if attacks[i].Load() == 0 {
			t.Errorf("no %s", name)
		}
	}
	unknown, judged := watched()
	t.Logf("the canaries were judged at %d looks", judged)
	if unknown != "" || judged == 0 {
		t.Errorf("judged at %d looks, and its traffic was unknown: %s", judged, unknown)
	}
	peak := peakMemory(t, webhook.Pid())
	t.Logf("gati-webhook took %d MiB at most", peak>>20)
	if peak > memoryLimit {
		t.Errorf("gati-webhook took %d MiB, its limit is %d", peak>>20, memoryLimit>>20)
	}
}

// restartWithMemoryLimit has gati-webhook run as its Deployments have it.
func restartWithMemoryLimit(t *testing.T) {
	t.Helper()
	restart := func(ctx context.Context) {
		if err := errors.Join(webhook.Stop(), webhook.Start(ctx)); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() { restart(context.Background()) })
	t.Setenv("GOMEMLIMIT", goMemoryLimit)
	restart(t.Context())
}

// peakMemory returns the most memory that a process has taken, in bytes.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("no VmHWM in the status of the process")
	return 0
}

// repeat returns a JSON list of n items.
func repeat(item string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

// applyHuge creates a handler of some 2.9 MB, which is never admitted. The API server itself
// looks at it for longer than the deadline: it compares the errors of all items with each
// other.
func (w *world) applyHuge(ctx context.Context) error {
	h := &unstructured.Unstructured{}
	text := `{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"huge","namespace":"` + w.ns + `"},"spec":{"path":"/a","image":"app:v1","pod":{"topologySpreadConstraints":` + repeat("{}", 966_000) + `}}}`
	if err := json.Unmarshal([]byte(text), &h.Object); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := admin.Create(limited, h); err == nil {
		return errors.New("a handler of 2.9 MB was admitted")
	}
	return ctx.Err()
}

// queryWithoutBound only waits: it is gati-webhook that asks for the metrics.
func (w *world) queryWithoutBound(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
	if source.answeredRows(w.ns) == 0 {
		return errors.New("nothing has asked for the metrics yet")
	}
	return ctx.Err()
}

// forgeStatus posts a review of an object whose status has 7.3 MB.
func forgeStatus(ctx context.Context) error {
	status := `{"versions":` + repeat("{}", 7_300_000/3) + `}`
	return postForged(ctx, "/mutate", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"forged","kind":{"group":"gati.dev","version":"v1","kind":"GatiHandler"},`+
		`"resource":{"group":"gati.dev","version":"v1","resource":"gatihandlers"},"name":"a","namespace":"default","operation":"CREATE","dryRun":true,`+
		`"object":{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"a","namespace":"default"},"spec":{"path":"/a","image":"app:v1"},"status":`+status+`}}}`)
}

// forgeConversion posts a conversion of 20.9 MB.
func forgeConversion(ctx context.Context) error {
	object := `{"apiVersion":"gati.dev/v1alpha1","kind":"GatiHandler","metadata":{"name":"a"},"spec":{"env":` + repeat("{}", 2_000) + `}}`
	return postForged(ctx, "/convert", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"forged","desiredAPIVersion":"gati.dev/v1","objects":`+repeat(object, 20_900_000/len(object))+`}}`)
}

var forger = &http.Client{Timeout: time.Minute, Transport: &http.Transport{
	DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // as an attacker
}}

func postForged(ctx context.Context, path, body string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, webhook.URL()+path+"?timeout=30s", bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := forger.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}

// applySteadily applies ten handlers in turn, as many as there is time for. It fails where one
// is refused twice.
func (w *world) applySteadily(ctx context.Context, length time.Duration) error {
	tick := time.NewTicker(time.Second / appliesPerSecond)
	defer tick.Stop()
	var all errgroup.Group
	all.SetLimit(appliesPerSecond)
	began, n := time.Now(), 0
	for ; time.Since(began) < length; n++ {
		i := n
		<-tick.C
		all.Go(func() error {
			if w.applyPlain(ctx, i) == nil {
				return nil
			}
			return w.applyPlain(ctx, i)
		})
	}
	err := all.Wait()
	w.t.Logf("%d applies in %s", n, time.Since(began).Round(time.Second))
	return err
}

// applyPlain applies a handler without a route, with one of two numbers of replicas.
func (w *world) applyPlain(ctx context.Context, i int) error {
	h := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"path": "/plain", "image": "app:v1.0.0", "replicas": int64(1 + i/10%2)}}}
	h.SetGroupVersionKind(v1.GroupVersion.WithKind("GatiHandler"))
	h.SetNamespace(w.ns)
	h.SetName(fmt.Sprint("plain-", i%10))
	return admin.Apply(ctx, client.ApplyConfigurationFromUnstructured(h), client.FieldOwner("kubectl"), client.ForceOwnership)
}

// watchEvidence looks at the handler until the context ends. It returns what was said of
// unknown traffic, and at how many looks a version was judged.
func (w *world) watchEvidence(ctx context.Context, wait *sync.WaitGroup) func() (string, int) {
	var mu sync.Mutex
	var unknown string
	var judged int
	wait.Go(func() {
		for ctx.Err() == nil {
			h := &v1.GatiHandler{}
			if admin.Get(ctx, client.ObjectKey{Namespace: w.ns, Name: "users"}, h) == nil {
				mu.Lock()
				if ro := h.Status.Rollout; ro != nil && len(ro.Analysis) > 0 {
					judged++
				}
				if c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionMeasured); c != nil && c.Status == metav1.ConditionFalse {
					unknown = c.Message
				}
				mu.Unlock()
			}
			time.Sleep(200 * time.Millisecond)
		}
	})
	return func() (string, int) {
		mu.Lock()
		defer mu.Unlock()
		return unknown, judged
	}
}
