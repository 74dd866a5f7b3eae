package rollout

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// TestForecast checks the forecast of a step. "continues in 19s" alone is never said of a step
// that may wait ten minutes for requests, or of one that is failing.
func TestForecast(t *testing.T) {
	const derived = v1.InconclusivePolicy("") // of a default analysis
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	least, began := 95.0, metav1.NewTime(now.Add(-11*time.Second))
	in := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(d)} }
	when := func(at metav1.Time) string { return "in " + formatDuration(at.Sub(now)) }
	measured := func(verdict v1.AnalysisVerdict, c v1.CountedStatus) []v1.MetricStatus {
		return []v1.MetricStatus{{Name: "success rate", Verdict: verdict, MeasuredAt: in(0), Counted: &c}}
	}
	for name, tc := range map[string]struct {
		reason   v1.WaitingReason
		until    time.Duration
		then     v1.InconclusivePolicy
		analysis []v1.MetricStatus
		dryRun   bool
		want     string
	}{
		"nothing measured yet":            {v1.WaitingForPause, 19 * time.Second, v1.InconclusivePass, []v1.MetricStatus{{Name: "success rate", Verdict: v1.AnalysisRunning}}, false, "continues in 19s if N come by then, else continues in 9m49s"},
		"requests missing":                {v1.WaitingForPause, 19 * time.Second, v1.InconclusiveWait, measured(v1.AnalysisInconclusive, v1.CountedStatus{Missing: 5}), false, "continues in 19s if N come by then, else waits in 9m49s to be promoted"},
		"failing":                         {v1.WaitingForPause, 19 * time.Second, v1.InconclusiveFail, measured(v1.AnalysisInconclusive, v1.CountedStatus{Missing: 5, Outlook: v1.OutlookFailing}), false, "is rolled back if it goes on failing, else is rolled back in 9m49s"},
		"the pause is over":               {v1.WaitingForAnalysis, 589 * time.Second, v1.InconclusivePass, measured(v1.AnalysisInconclusive, v1.CountedStatus{Missing: 5}), false, "continues after N, else continues in 9m49s"},
		"a pause as long as the deadline": {v1.WaitingForPause, 589 * time.Second, v1.InconclusivePass, []v1.MetricStatus{{Name: "success rate", Verdict: v1.AnalysisRunning}}, false, "continues in 9m49s, whether or not N come"},
		"a default analysis":              {v1.WaitingForPause, 19 * time.Second, derived, measured(v1.AnalysisInconclusive, v1.CountedStatus{Missing: 5, Outlook: v1.OutlookHealthy}), false, "continues in 19s"},
		"a default analysis that doubts":  {v1.WaitingForPause, 19 * time.Second, derived, measured(v1.AnalysisInconclusive, v1.CountedStatus{Missing: 5, Outlook: v1.OutlookUndecided}), false, "continues in 19s if N come by then, else continues in 9m49s"},
		"passes":                          {v1.WaitingForPause, 19 * time.Second, v1.InconclusivePass, measured(v1.AnalysisPass, v1.CountedStatus{}), false, "continues in 19s"},
		"an analysis that acts not":       {v1.WaitingForPause, 19 * time.Second, v1.InconclusivePass, nil, true, "continues in 19s"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Policy{
				Steps: []Step{{10, tc.until + 11*time.Second}}, ProgressDeadline: 10 * time.Minute,
				Analysis: &AnalysisPolicy{Alpha: 0.01, Detect: 5, Inconclusive: tc.then, DryRun: tc.dryRun, Derived: tc.then == derived, Metrics: []Metric{{Name: "success rate", Min: &least}}},
			}
			ro := &v1.RolloutStatus{
				Mode: v1.RolloutSteps, StepStartedAt: &began, Analysis: tc.analysis,
				WaitingFor: &v1.WaitingStatus{Reason: tc.reason, Until: in(tc.until)},
			}
			if got := ForecastStep(p, ro).Describe(when, "N"); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
