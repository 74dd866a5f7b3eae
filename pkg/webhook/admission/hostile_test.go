package admission_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gati.dev/gati/pkg/admit"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

const (
	// maxAllocated is what one review may allocate in all, garbage included.
	maxAllocated = 100 << 20
	// maxCPU is what one review may take of the CPU: ten times the 2 s that are promised,
	// for a slow machine and the race detector. What grows with the square takes minutes.
	maxCPU = 20 * time.Second
)

// hostileReview is the review of an update of a handler.
func hostileReview(object, old string) string {
	return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1","operation":"UPDATE","kind":{"group":"gati.dev","version":"v1","kind":"GatiHandler"},"object":` +
		object + `,"oldObject":` + old + `}}`
}

// many is a list of n times a text.
func many(text string, n int) string { return "[" + text + strings.Repeat(","+text, n-1) + "]" }

// TestHostileReviews attacks as a pod without credentials, or as a tenant before the API
// server has looked at the schema: reviews of megabytes that decode to a hundred times as
// much. Each is refused, or takes about what its measure says.
func TestHostileReviews(t *testing.T) {
	handler := func(spec, status string) string {
		return `{"metadata":{"name":"a","namespace":"shop"},"spec":{"path":"/a","image":"i:v1",` + spec + `},"status":{` + status + `}}`
	}
	plain := handler(`"port":3000`, "")
	for name, tc := range map[string]struct {
		review  string
		refused string // what the answer says; empty is read
		schema  bool   // the schema of the API server refuses it, not the validator
	}{
		"a status of 7 MB":               {hostileReview(handler(`"port":3001`, `"versions":`+many(`{"version":"v1"}`, 430_000)), plain), "", false},
		"a stored status of 7 MB":        {hostileReview(handler(`"port":3001`, ""), handler(`"port":3000`, `"versions":`+many(`{"version":"v1"}`, 430_000))), "", false},
		"a million spread constraints":   {hostileReview(handler(`"pod":{"topologySpreadConstraints":`+many(`{}`, 966_000)+`}`, ""), "null"), "spec.pod.topologySpreadConstraints: has more than", false},
		"the most containers":            {hostileReview(handler(`"pod":{"initContainers":`+many(`{}`, 1_000)+`}`, ""), "null"), "", false},
		"the most values":                {hostileReview(handler(`"pod":{"initContainers":`+many(`{"env":`+many(`{}`, 900)+`}`, 100)+`}`, ""), "null"), "", false},
		"the most environment":           {hostileReview(handler(`"env":`+many(`{"name":"A","value":"b"}`, 1000), ""), "null"), "", false},
		"the most versions, old and new": {hostileReview(handler(`"port":3001`, ""), handler(`"port":3000`, `"versions":`+many(`{"references":`+many(`{}`, 40)+`}`, 1_000))), "", false},
		"the most hostnames":             {hostileReview(handler(`"route":{"hostnames":`+many(`"a"`, 10_000)+`}`, ""), "null"), "", false},
		"too many modules":               {hostileReview(handler(`"modules":`+many(`"a"`, 50_000), ""), "null"), "spec.modules: has more than", false},
		"many faults within all bounds":  {hostileReview(handler(`"pod":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":`+many(`{"matchExpressions":`+many(`{}`, 128)+`}`, 48)+`}}}}`, ""), "null"), "more errors", true},
		"many faults within each bound":  {hostileReview(handler(`"pod":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":`+many(`{"matchExpressions":`+many(`{}`, 128)+`}`, 128)+`}}}}`, ""), "null"), "spec: Too long", true},
		"many texts that are too long":   {hostileReview(handler(`"route":{"hostnames":`+many(`"`+strings.Repeat("a", 300)+`"`, 9_000)+`}`, ""), "null"), "spec.route.hostnames: Too many: 9000", false},
		"groups of the user":             {strings.Replace(hostileReview(plain, plain), `"uid"`, `"userInfo":{"groups":`+many(`""`, 2_000_000)+`},"uid"`, 1), "request.userInfo.groups: has more than", false},
		"YAML":                           {"request:\n  object: &a [" + strings.Repeat("{},", 1_000_000) + "]", "is no JSON", false},
	} {
		t.Run(name, func(t *testing.T) {
			for hook, serve := range map[string]http.Handler{"mutate": mutating(t), "validate": validating(t)} {
				_, memory, _ := hooks.Measure([]byte(tc.review))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := readCPU(t)
				got := answer(t, serve, []byte(tc.review))
				took := readCPU(t) - began
				runtime.ReadMemStats(&after)
				allocated := after.TotalAlloc - before.TotalAlloc
				t.Logf("%s: %d KiB of review, %d KiB measured, %d KiB allocated, %s: %.150s", hook, len(tc.review)>>10, memory>>10, allocated>>10, took, fmt.Sprint(got.Result))
				if took > maxCPU {
					t.Errorf("%s: took %s of the CPU, want at most %s", hook, took, maxCPU)
				}
				if allocated > maxAllocated {
					t.Errorf("%s: %d MiB were allocated, want at most %d", hook, allocated>>20, maxAllocated>>20)
				}
				if isRefused := tc.refused != "" && (hook == "mutate" || !tc.schema); isRefused && (got.Allowed || got.Result == nil || !strings.Contains(got.Result.Message, tc.refused)) {
					t.Errorf("%s: allowed %v: %.300s; want %q", hook, got.Allowed, fmt.Sprint(got.Result), tc.refused)
				}
				if got.Result == nil {
					continue
				}
				if d := got.Result.Details; d != nil && len(d.Causes) > admit.MaxErrors+1 {
					t.Errorf("%s: %d errors, want at most %d", hook, len(d.Causes), admit.MaxErrors+1)
				}
			}
		})
	}
}

// readCPU returns the time of the CPU that the process has taken.
func readCPU(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
