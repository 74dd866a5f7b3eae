package signals

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestHangingPodsOfOneNamespace holds that pods which hang, many more than are read at once in
// the time of a round, leave the workloads of another namespace known. Theirs sort last.
func TestHangingPodsOfOneNamespace(t *testing.T) {
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hangs.Close()
	answers := httptest.NewServer(constant(counter(3, 0, 0)))
	defer answers.Close()
	var subjects []Subject
	for i := range maxReads * maxConcurrentReads {
		s := podAt(t, hangs)
		s.Key = Key{"attic", fmt.Sprint("h", i), "v1"}
		s.Pods[0].Name = fmt.Sprint("pod-", i)
		subjects = append(subjects, s)
	}
	modest := podAt(t, answers)
	subjects = append(subjects, modest)
	got := NewPods(500*time.Millisecond, at(now)).Measure(t.Context(), now, subjects)
	if !got[modest.Key].Traffic.Known {
		t.Errorf("beside %d hanging pods of another namespace: %s", len(subjects)-1, got[modest.Key].Traffic.Message)
	}
	if first := got[subjects[0].Key].Traffic; first.Known {
		t.Errorf("a pod that hangs is known: %+v", first)
	}
}

// TestAWorkloadThatAsksTooMuch holds that an answer which is too large, or a query that the
// server refuses to compute, makes the workload unknown that caused it, and none beside it.
func TestAWorkloadThatAsksTooMuch(t *testing.T) {
	const culprit = "shop-0/h7"
	for name, refuse := range map[string]http.HandlerFunc{
		"an answer too large": constant(vector(strings.Repeat(" ", 2<<20))),
		"too many samples": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = w.Write([]byte(`{"status":"error","errorType":"execution","error":"query processing would load too many samples into memory"}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := fleet(30, 2)
			answer := selecting(t, all, "", func(int, int) {})
			p := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if asksFor(t, r, culprit, all) {
					refuse(w, r)
					return
				}
				answer(w, r)
			}).prometheus(t)
			readings := p.Measure(t.Context(), now, all)
			for _, s := range all {
				got := readings[s.Key].Traffic
				if isCulprit := s.Namespace+"/"+s.Handler == culprit; got.Known == isCulprit {
					t.Fatalf("%v: known is %t: %s", s.Key, got.Known, got.Message)
				}
			}
		})
	}
}

// asksFor reports whether a query selects pods of a workload.
func asksFor(t *testing.T, r *http.Request, workload string, all []Subject) bool {
	t.Helper()
	m := selected.FindStringSubmatch(r.FormValue("query"))
	if m == nil {
		t.Errorf("the query selects nothing:\n%.300s", r.FormValue("query"))
		return false
	}
	for _, s := range all {
		if s.Namespace+"/"+s.Handler == workload {
			return regexp.MustCompile("^(?:" + m[2] + ")$").MatchString(s.Pods[0].Name)
		}
	}
	return false
}
