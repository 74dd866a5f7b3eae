// Package bench measures what the budgets speak of. It prints figures, each the
// median of some rounds, and fails only where one is ten times over: a time is
// the machine's as much as ours.
package bench

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/target/kubernetes"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

// rounds is how often a figure is taken; what is printed is the median. As a test it
// is taken once: nothing then depends on it but that it is no ten times over.
var rounds = flag.Int("rounds", 1, "how often to take each figure")

const (
	// calls is how many requests a round times, enough for a 99th percentile.
	calls = 1000
	// slack is how far beyond its budget a figure may be before a test fails.
	slack = 10

	mutateBudget   = 5 * time.Millisecond
	validateBudget = 10 * time.Millisecond
)

var known = facts.Facts{Namespace: "default", NamespaceImage: "shop:v1", HTTPRouteServed: true}

type source struct{}

func (source) For(context.Context, string) (facts.Facts, error) { return known, nil }

func (source) Ending(context.Context, string) (bool, error) { return false, nil }

// readSamples returns the objects that we ship.
func readSamples(t *testing.T) []client.Object {
	t.Helper()
	files, err := filepath.Glob("../../manifests/samples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	var out []client.Object
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		docs, err := admit.Decode(f, name)
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			if !d.Foreign {
				out = append(out, d.Object)
			}
		}
	}
	return out
}

// makeRequests returns the samples as the API server sends them.
func makeRequests(t *testing.T) []admission.Request {
	t.Helper()
	var out []admission.Request
	for _, obj := range readSamples(t) {
		raw, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		kind := strings.TrimPrefix(fmt.Sprintf("%T", obj), "*v1.")
		out = append(out, admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			Kind: metav1.GroupVersionKind{Group: v1.Group, Version: "v1", Kind: kind}, Operation: admissionv1.Create,
			Namespace: "default", Name: obj.GetName(), Object: runtime.RawExtension{Raw: raw},
		}})
	}
	return out
}

func TestBenchMutate(t *testing.T) {
	hook := &hooks.Mutator{Facts: source{}}
	measurePercentiles(t, "admission, mutate", mutateBudget, makeRequests(t), hook.Handle)
}

func TestBenchValidate(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	hook := &hooks.Validator{Facts: source{}, Live: fake.NewClientBuilder().WithScheme(scheme).Build()}
	measurePercentiles(t, "admission, validate", validateBudget, makeRequests(t), hook.Handle)
}

// measurePercentiles prints how long a call takes at the median and at the 99th
// percentile, and compares the latter with its budget.
func measurePercentiles(t *testing.T, what string, budget time.Duration, reqs []admission.Request, call func(context.Context, admission.Request) admission.Response) {
	t.Helper()
	if p99 := timeCalls(t, what, budget, calls, reqs, call); p99 > slack*budget {
		t.Errorf("%s takes %s, more than %d times its budget of %s", what, p99, slack, budget)
	}
}

// timeCalls prints how long a call takes, and returns the 99th percentile.
func timeCalls(t *testing.T, what string, budget time.Duration, calls int, reqs []admission.Request, call func(context.Context, admission.Request) admission.Response) time.Duration {
	t.Helper()
	var p50s, p99s []time.Duration
	for range *rounds {
		times := make([]time.Duration, 0, calls)
		for i := range calls {
			start := time.Now()
			response := call(t.Context(), reqs[i%len(reqs)])
			times = append(times, time.Since(start))
			if !response.Allowed {
				t.Fatalf("%s: %v", what, response.Result)
			}
		}
		slices.Sort(times)
		p50s, p99s = append(p50s, times[calls/2]), append(p99s, times[calls*99/100])
	}
	p50, p99 := median(p50s), median(p99s)
	t.Logf("%s: p50 %s, p99 %s (budget %s)", what, p50, p99, budget)
	return p99
}

func TestBenchExpand(t *testing.T) {
	objects := readSamples(t)
	perCall(t, "the whole pipeline to a plan", func(i int) {
		o := objects[i%len(objects)]
		admit.Check(o, nil, admit.Surroundings{Facts: known}).Expand(o)
	})
}

// TestBenchCurrent times what a controller does for each child that stands as it
// should, with a Deployment as recorded from an API server.
func TestBenchCurrent(t *testing.T) {
	for _, operation := range []string{"created", "applied"} {
		live, desired := readRecorded(t, operation)
		if !kubernetes.IsCurrent(live, desired) {
			t.Fatalf("%s: the recorded Deployment is not as it should be", operation)
		}
		perCall(t, "Current, a Deployment as "+operation, func(int) { kubernetes.IsCurrent(live, desired) })
	}
}

// perCall prints how long one call takes.
func perCall(t *testing.T, what string, call func(int)) {
	t.Helper()
	var figures []time.Duration
	for range *rounds {
		start := time.Now()
		for i := range calls {
			call(i)
		}
		figures = append(figures, time.Since(start)/calls)
	}
	t.Logf("%s: %s", what, median(figures))
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[len(of)/2].Round(100 * time.Nanosecond)
}
