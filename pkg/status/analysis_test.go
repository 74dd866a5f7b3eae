package status_test

import (
	"os"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// explained returns what explain says of the analysis of a handler, as it is changed.
func explained(change func(*v1.MetricStatus)) []string {
	objs := statustest.Analysed()
	change(&objs.Handlers[0].Status.Rollout.Analysis[0])
	s := status.Build(objs, statustest.Now)
	return s.ExplainHandler(&s.Handlers[0]).Analysis
}

// TestTheDocumentExplainsAsTheCommandDoes holds that docs/analysis.md shows what explain
// says.
func TestTheDocumentExplainsAsTheCommandDoes(t *testing.T) {
	text, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(explained(func(*v1.MetricStatus) {}), "\n")
	if !strings.Contains(string(text), "```\n"+got+"\n```") {
		t.Errorf("docs/analysis.md does not show\n%s", got)
	}
}

// TestEveryVerdictIsExplained holds that each verdict is told in at most four sentences,
// with what follows from it.
func TestEveryVerdictIsExplained(t *testing.T) {
	for verdict, want := range map[v1.AnalysisVerdict]string{
		v1.AnalysisFail: "So it is rejected.", v1.AnalysisInconclusive: "It is healthy so far", v1.AnalysisPass: "So it passes",
	} {
		got := explained(func(m *v1.MetricStatus) {
			m.Verdict = verdict
			if verdict == v1.AnalysisFail {
				m.Message = "the stable version is no better"
			}
		})
		if text := strings.Join(got, " "); len(got) > 4 || !strings.Contains(text, want) || !strings.Contains(text, "1 of 140 requests") {
			t.Errorf("%s: %q", verdict, text)
		}
	}
}

// TestMetricsAreSummarized holds the line of a metric, with and without evidence.
func TestMetricsAreSummarized(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for want, m := range map[string]v1.MetricStatus{
		"the query gives no number": {Verdict: v1.AnalysisNoData, Message: "the query gives no number"},
		"0 of 5 bad; odds 0.9 (rejected at 100); passes after 370 more": {
			Verdict: v1.AnalysisInconclusive,
			Counted: &v1.CountedStatus{Target: v1.RequestCounts{Requests: 5}, Odds: "0.9", RejectAt: "100", Outlook: v1.OutlookHealthy, Missing: 370},
		},
		"58 of 116 bad; odds 4.3 (rejected at 100); failing": {
			Verdict: v1.AnalysisInconclusive,
			Counted: &v1.CountedStatus{Target: v1.RequestCounts{Requests: 116, Bad: 58}, Odds: "4.3", RejectAt: "100", Outlook: v1.OutlookFailing, Missing: 17},
		},
		"1 of 4 bad; odds 0.9 (rejected at 100); undecided; passes after 366 more": {
			Verdict: v1.AnalysisInconclusive,
			Counted: &v1.CountedStatus{Target: v1.RequestCounts{Requests: 4, Bad: 1}, Odds: "0.9", RejectAt: "100", Outlook: v1.OutlookUndecided, Missing: 366},
		},
		"5 of 5 bad; stable 5 of 9 bad; odds 1000 (rejected at 100); the stable version is no better": {
			Verdict: v1.AnalysisFail, Message: "the stable version is no better",
			Counted: &v1.CountedStatus{Target: v1.RequestCounts{Requests: 5, Bad: 5}, Stable: &v1.RequestCounts{Requests: 9, Bad: 5}, Odds: "1000", RejectAt: "100"},
		},
	} {
		if got := status.SummarizeMetric(&m, now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
