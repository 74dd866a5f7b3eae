package signals

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"gati.dev/gati/pkg/rollout"
)

// runtimeMetrics returns what a pod with the package in runtime/ answered: it holds one of
// two recorded pairs.
func runtimeMetrics(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/runtime.prom")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reportOf returns the report of a pod that answers so.
func reportOf(t *testing.T, answer http.HandlerFunc) (Reading, Subject) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	s := podAt(t, server)
	s.Reported = true
	return NewPods(time.Second, at(now)).Measure(t.Context(), now, []Subject{s})[s.Key], s
}

// TestReportOfThePackage holds that a pair without its functions is never a loaded one.
func TestReportOfThePackage(t *testing.T) {
	got, s := reportOf(t, constant(runtimeMetrics(t)))
	want := []PodReport{{Instance: s.Pods[0].Instance, PodReport: rollout.PodReport{
		Pod: s.Pods[0].Name, At: now, Contract: "v1.0.0", Hash: "0415eaa5ac35d7c8",
		Loaded: []rollout.Hop{{From: "v1.0.0", To: "v2.0.0"}},
	}}}
	if d := cmp.Diff(want, got.Reports); d != "" {
		t.Error(d)
	}
	if !got.Traffic.Known {
		t.Errorf("its traffic is unknown: %s", got.Traffic.Message)
	}
}

// TestFailedTransformersAreReported holds that a pod's report names the functions that failed.
func TestFailedTransformersAreReported(t *testing.T) {
	got, _ := reportOf(t, constant(runtimeMetrics(t)+`gati_timescape_transformer_executions_total{from_version="v1.0.0",to_version="v2.0.0",success="true"} 9
gati_timescape_transformer_executions_total{from_version="v2.0.0",to_version="v3.0.0",success="false"} 2
gati_timescape_transformer_executions_total{from_version="v3.0.0",to_version="v4.0.0",success="false"} 0
`))
	if d := cmp.Diff([]rollout.Hop{{From: "v2.0.0", To: "v3.0.0"}}, got.Reports[0].Failed); d != "" {
		t.Error(d)
	}
}

// TestNamesOfThePackage holds that the package still gives its metrics these names.
func TestNamesOfThePackage(t *testing.T) {
	code, err := os.ReadFile("../../runtime/src/transformers/transformers.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"'" + transformersFamily + "'", "labelNames: ['contract', 'hash']",
		"'" + loadedFamily + "'", "labelNames: ['from', 'to']",
		"'" + executionsFamily + "'", "labelNames: [...versions, 'success']",
	} {
		if !strings.Contains(strings.ReplaceAll(string(code), "/** @type {const} */ (", ""), part) {
			t.Errorf("runtime/src/transformers/transformers.js does not have %s", part)
		}
	}
}

// TestNoReport holds that a pod that says nothing has a problem with its remedy.
func TestNoReport(t *testing.T) {
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"without the package": {constant(counter(1, 0, 0)), "its image needs the package gati-kubernetes"},
		"without metrics":     {http.NotFound, "answers /metrics with 404, where its transformers are read: its image needs the package gati-kubernetes"},
		"other text":          {constant("{"), "cannot be asked for its transformers: the metrics of pod"},
		"no answer":           {func(_ http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "which gati-webhook has to reach"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := reportOf(t, tc.answer)
			if len(got.Reports) != 1 || !strings.Contains(got.Reports[0].Problem, tc.want) || got.Reports[0].Loaded != nil {
				t.Errorf("%+v, want %s", got.Reports, tc.want)
			}
		})
	}
}

// TestEveryPodReports holds that one that fails does not keep the others from being asked.
func TestEveryPodReports(t *testing.T) {
	good := httptest.NewServer(constant(runtimeMetrics(t)))
	defer good.Close()
	bad := httptest.NewServer(http.HandlerFunc(http.NotFound))
	defer bad.Close()
	s, other := podAt(t, bad), podAt(t, good)
	s.Reported = true
	for _, name := range []string{"b", "c"} {
		p := other.Pods[0]
		p.Name, p.Instance = name, name
		s.Pods = append(s.Pods, p)
	}
	got := NewPods(time.Second, at(now)).Measure(t.Context(), now, []Subject{s})[s.Key]
	if len(got.Reports) != 3 || got.Reports[0].Problem == "" || got.Reports[1].Problem != "" || got.Reports[2].Problem != "" {
		t.Errorf("%+v", got.Reports)
	}
}

// TestReporterMeasuresNoTraffic holds that pods are asked for their transformers where no
// source is configured, and that nothing follows from it for traffic.
func TestReporterMeasuresNoTraffic(t *testing.T) {
	server := httptest.NewServer(constant(runtimeMetrics(t)))
	defer server.Close()
	s := podAt(t, server)
	of := Owner{s.Namespace, s.Handler}
	told := &scripted{says: rollout.Traffic{Known: true, Source: "scripted", At: now, Requests: 7}}
	for name, sources := range map[string][]Source{"no source": nil, "another source": {told}} {
		t.Run(name, func(t *testing.T) {
			h := NewHub(clocktesting.NewFakePassiveClock(now), nil, sources...)
			h.ReadReportsWith(NewPods(time.Second, at(now)))
			for _, isReported := range []bool{false, true} {
				s.Reported = isReported
				h.Want(of, nil)
				h.Want(of, []Subject{measuredEvery(5*time.Second, s)})
				h.Round(t.Context())
				r, ok := h.Read(s.Key)
				if !ok || len(r.Reports) == 1 != isReported {
					t.Errorf("asked for: %v, got %+v", isReported, r.Reports)
				}
				if len(sources) > 0 && r.Traffic.Requests != 7 || len(sources) == 0 && r.Traffic.Known {
					t.Errorf("traffic %+v", r.Traffic)
				}
			}
			if len(sources) == 0 && h.Names() != "" {
				t.Errorf("%s measures traffic", h.Names())
			}
		})
	}
}
