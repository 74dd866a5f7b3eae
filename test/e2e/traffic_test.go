package e2e

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/load"
)

const (
	// many is how many requests a rollout has to stand.
	many = 10_000
	// most bounds a run that waits for something.
	most = 200_000
	// seed is the traffic's unless the environment says otherwise.
	seed = 20
)

// traffic is a run of requests to the handler, half through the gateway and half
// through the Service.
type traffic struct {
	*load.Run
	report load.Report
	ended  bool
}

func startTraffic(t *testing.T, config load.Config) *traffic {
	t.Helper()
	run, err := load.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	tr := &traffic{Run: run}
	t.Cleanup(func() { tr.stopOnce() })
	return tr
}

// stopOnce stops the run, once.
func (tr *traffic) stopOnce() load.Report {
	if !tr.ended {
		tr.report, tr.ended = tr.Stop(), true
	}
	return tr.report
}

// seedOf is the seed of the environment, to repeat a run.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("GATI_TEST_SEED")
	if text == "" {
		return seed
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("GATI_TEST_SEED: %v", err)
	}
	return n
}

// hostname is the handler's own on the shared gateway.
func (w *world) hostname() string { return w.ns + ".example.com" }

// loadTargets are the two ways to the handler, without a route the Service alone.
func (w *world) loadTargets(path string) []load.Target {
	w.t.Helper()
	out := []load.Target{{URL: w.serviceAddress("handler-users") + path}}
	if w.handler.Spec.Route != nil {
		out = slices.Insert(out, 0, load.Target{URL: w.gatewayURL() + path, Host: w.hostname()})
	}
	return out
}

// serviceAddress is the ClusterIP and port of a Service.
func (w *world) serviceAddress(name string) string {
	w.t.Helper()
	var s corev1.Service
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, &s); err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("http://%s:%d", s.Spec.ClusterIP, s.Spec.Ports[0].Port)
}

// steadyTraffic sends requests to the handler until the scenario has seen enough.
func (g given) steadyTraffic(rate int) {
	g.t.Helper()
	g.trafficTo("/users/%d", rate, 10*time.Second)
}

// aRequestEvery sends requests through the gateway alone, so far apart, for as long as the
// scenario wants: their rate is that of all traffic which the weights divide.
func (g given) aRequestEvery(apart time.Duration) {
	g.t.Helper()
	g.traffic = startTraffic(g.t, load.Config{
		Targets: g.loadTargets("/users/%d")[:1], Every: apart, Count: most, Timeout: 10 * time.Second, Seed: seedOf(g.t),
	})
	g.logStep("given a request every %s, seed %d", apart, seedOf(g.t))
}

// requestsThatTake sends requests that each take so long.
func (g given) requestsThatTake(length time.Duration, rate int) {
	g.t.Helper()
	g.trafficTo(fmt.Sprintf("/users/%%d?latency=%.0fs", length.Seconds()), rate, length+10*time.Second)
}

func (g given) trafficTo(path string, rate int, timeout time.Duration) {
	g.t.Helper()
	g.traffic = startTraffic(g.t, g.trafficConfig(path, rate, timeout))
	g.logStep("given traffic of %d requests a second to %s, seed %d", rate, path, seedOf(g.t))
	g.eventually("answers", func() error {
		if done, _ := g.traffic.Progress(); done < rate {
			return fmt.Errorf("%d answers", done)
		}
		return nil
	})
}

func (w *world) trafficConfig(path string, rate int, timeout time.Duration) load.Config {
	w.t.Helper()
	return load.Config{Targets: w.loadTargets(path), Rate: rate, Count: most, Timeout: timeout, Seed: seedOf(w.t)}
}

// noRequestHasFailed ends the traffic once it has come to a number of requests,
// and wants each of them answered with success.
func (n then) noRequestHasFailed(ofAtLeast int) {
	n.t.Helper()
	n.eventually(fmt.Sprintf("%d answers", ofAtLeast), func() error {
		done, failed := n.traffic.Progress()
		if failed == 0 && done < ofAtLeast {
			return fmt.Errorf("%d of %d answered", done, ofAtLeast)
		}
		return nil
	})
	r := n.traffic.stopOnce()
	n.logStep("then of %v", r)
	if r.Failed() != 0 || r.Answered() != r.Offered || r.Offered < ofAtLeast {
		n.t.Errorf("%d of %d requests failed, %d were answered; want 0 of at least %d", r.Failed(), r.Offered, r.Answered(), ofAtLeast)
	}
}

// answersCameFrom wants answers of each version and of no other.
func (n then) answersCameFrom(versions ...string) {
	n.t.Helper()
	r, sum := n.traffic.stopOnce(), 0
	for _, version := range versions {
		if r.By(version) == 0 {
			n.t.Errorf("%s has answered nothing", version)
		}
		sum += r.By(version)
	}
	if sum != r.Answered()-r.Failed() {
		n.t.Errorf("other versions than %v have answered: %v", versions, r.Answers)
	}
}
