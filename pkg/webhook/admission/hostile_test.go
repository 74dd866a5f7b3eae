package admission_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	hooks "gati.dev/gati/pkg/webhook/admission"
)

// maxAllocated is what one review may allocate in all, garbage included.
const maxAllocated = 100 << 20

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
	}{
		"a status of 7 MB":               {hostileReview(handler(`"port":3001`, `"versions":`+many(`{"version":"v1"}`, 430_000)), plain), ""},
		"a stored status of 7 MB":        {hostileReview(handler(`"port":3001`, ""), handler(`"port":3000`, `"versions":`+many(`{"version":"v1"}`, 430_000))), ""},
		"a million spread constraints":   {hostileReview(handler(`"pod":{"topologySpreadConstraints":`+many(`{}`, 966_000)+`}`, ""), "null"), "spec.pod.topologySpreadConstraints: has more than"},
		"the most containers":            {hostileReview(handler(`"pod":{"initContainers":`+many(`{}`, 1_000)+`}`, ""), "null"), ""},
		"the most values":                {hostileReview(handler(`"pod":{"initContainers":`+many(`{"env":`+many(`{}`, 900)+`}`, 100)+`}`, ""), "null"), ""},
		"the most environment":           {hostileReview(handler(`"env":`+many(`{"name":"A","value":"b"}`, 1000), ""), "null"), ""},
		"the most versions, old and new": {hostileReview(handler(`"port":3001`, ""), handler(`"port":3000`, `"versions":`+many(`{"references":`+many(`{}`, 40)+`}`, 1_000))), ""},
		"the most hostnames":             {hostileReview(handler(`"route":{"hostnames":`+many(`"a"`, 10_000)+`}`, ""), "null"), ""},
		"too many modules":               {hostileReview(handler(`"modules":`+many(`"a"`, 50_000), ""), "null"), "spec.modules: has more than"},
		"groups of the user":             {strings.Replace(hostileReview(plain, plain), `"uid"`, `"userInfo":{"groups":`+many(`""`, 2_000_000)+`},"uid"`, 1), "request.userInfo.groups: has more than"},
		"YAML":                           {"request:\n  object: &a [" + strings.Repeat("{},", 1_000_000) + "]", "is no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			for hook, serve := range map[string]http.Handler{"mutate": mutating(t), "validate": validating(t)} {
				_, memory, _ := hooks.Measure([]byte(tc.review))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got := answer(t, serve, []byte(tc.review))
				runtime.ReadMemStats(&after)
				allocated := after.TotalAlloc - before.TotalAlloc
				t.Logf("%s: %d KiB of review, %d KiB measured, %d KiB allocated: %.150s", hook, len(tc.review)>>10, memory>>10, allocated>>10, fmt.Sprint(got.Result))
				if allocated > maxAllocated {
					t.Errorf("%s: %d MiB were allocated, want at most %d", hook, allocated>>20, maxAllocated>>20)
				}
				if hook == "validate" && tc.refused != "" && (got.Allowed || !strings.HasPrefix(got.Result.Message, tc.refused)) {
					t.Errorf("allowed %v: %.300s; want %q", got.Allowed, got.Result.Message, tc.refused)
				}
			}
		})
	}
}
