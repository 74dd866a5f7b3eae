package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// Analysis holds the measurements of the version that is being rolled out, or was last.
type Analysis struct {
	// DryRun reports whether the analysis acts on nothing.
	DryRun bool `json:"dryRun,omitempty"`
	// Window is the length of the past that each measurement of a query covers.
	Window string `json:"window"`
	// FailureLimit is the number of failed measurements of a query in a row that ends the
	// rollout.
	FailureLimit int32 `json:"failureLimit"`
	// RequestsPerSecond is the mean rate since the rollout began; absent where nothing was
	// counted.
	RequestsPerSecond string `json:"requestsPerSecond,omitempty"`
	// Of is the version that was promoted and is still judged, until Until; empty during a
	// rollout.
	Of    string       `json:"of,omitempty"`
	Until *metav1.Time `json:"until,omitempty"`
	// Metrics are the controller's own. Each must hold.
	Metrics []v1.MetricStatus `json:"metrics"`
	// Advice was measured beside them, and decides nothing.
	Advice []v1.MetricStatus `json:"advice,omitempty"`
}

// Rows returns everything that was measured, for a table: advice is named so.
func (a *Analysis) Rows() []v1.MetricStatus {
	out := slices.Clone(a.Metrics)
	for _, m := range a.Advice {
		m.Name += " (advice)"
		out = append(out, m)
	}
	return out
}

// viewAnalysis returns the measurements of a rollout's target, nil without any.
func viewAnalysis(h *v1.GatiHandler, ro *v1.RolloutStatus, now time.Time) *Analysis {
	if len(ro.Analysis) == 0 {
		return nil
	}
	out := &Analysis{Window: formatLength(v1.DefaultAnalysisWindow.Or(0)), FailureLimit: v1.DefaultFailureLimit, Metrics: ro.Analysis, Advice: ro.Advice}
	if r := h.Spec.Rollout; r != nil && r.Analysis != nil {
		out.DryRun, out.Window = r.Analysis.DryRun, formatLength(r.Analysis.Window.OrDefault(v1.DefaultAnalysisWindow))
		if r.Analysis.FailureLimit != nil {
			out.FailureLimit = *r.Analysis.FailureLimit
		}
	}
	out.RequestsPerSecond = meanRate(ro)
	out.setWatch(h, now)
	if ro.Target == nil && out.Of == "" {
		// Nothing is judged any more: what was never measured is not running.
		out.Metrics = slices.DeleteFunc(slices.Clone(out.Metrics), func(m v1.MetricStatus) bool { return m.Verdict == v1.AnalysisRunning })
		if len(out.Metrics) == 0 {
			return nil
		}
	}
	return out
}

// setWatch fills in which promoted version is still judged, and until when.
func (a *Analysis) setWatch(h *v1.GatiHandler, now time.Time) {
	r := h.Spec.Rollout
	if r == nil || r.Analysis.IsOff() || r.Strategy != v1.StrategyCanary || h.Spec.Route == nil {
		return
	}
	since := rollout.WatchedSince(rollout.State{Versions: h.Status.Versions, Rollout: h.Status.Rollout})
	if since == nil {
		return
	}
	if until := since.Add(r.RollbackWindow.OrDefault(v1.DefaultRollbackWindow)); until.After(now) {
		a.Of, a.Until = h.Status.Rollout.Stable.Title(), &metav1.Time{Time: until}
	}
}

// meanRate returns the requests per second of the version since its rollout began.
func meanRate(ro *v1.RolloutStatus) string {
	var most float64
	for i := range ro.Analysis {
		m := &ro.Analysis[i]
		if m.Counted == nil || m.MeasuredAt == nil || ro.StartedAt == nil || !m.MeasuredAt.After(ro.StartedAt.Time) {
			continue
		}
		most = max(most, float64(m.Samples)/m.MeasuredAt.Sub(ro.StartedAt.Time).Seconds())
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", most)
}

// SummarizeMetric returns the evidence of a metric in one line: the counts of both
// versions, the odds, and what the version needs to pass.
func SummarizeMetric(m *v1.MetricStatus, now time.Time) string {
	c := m.Counted
	if c == nil || c.Target.Requests == 0 {
		return m.Message
	}
	parts := []string{describeCounts(c.Target)}
	if c.Stable != nil {
		parts = append(parts, "stable "+describeCounts(*c.Stable))
	}
	if c.Odds != "" {
		parts = append(parts, fmt.Sprintf("odds %s (rejected at %s)", c.Odds, c.RejectAt))
	}
	if m.Verdict == v1.AnalysisInconclusive {
		if c.Outlook != v1.OutlookHealthy {
			parts = append(parts, c.Outlook.Words())
		}
		if c.Outlook != v1.OutlookFailing {
			parts = append(parts, describePass(c, now))
		}
	}
	if m.Message != "" {
		parts = append(parts, m.Message)
	}
	return strings.Join(parts, "; ")
}

func describeCounts(c v1.RequestCounts) string {
	return fmt.Sprintf("%d of %d bad", c.Bad, c.Requests)
}

// describePass returns what a version still needs to pass, and the expected time.
func describePass(c *v1.CountedStatus, now time.Time) string {
	text := fmt.Sprintf("passes after %d more", c.Missing)
	if at := c.PassesAt; at != nil && at.After(now) {
		text += ", in about " + formatLength(at.Sub(now).Round(time.Second))
	}
	return text
}

// explainAnalysis returns at most four sentences about the metric that decides: the first
// that rejects, or else the first that has not passed.
func explainAnalysis(r *Rollout, now time.Time) []string {
	if r == nil || r.Analysis == nil {
		return nil
	}
	m := decidingMetric(r.Analysis.Metrics)
	if m == nil || m.Counted == nil || m.Counted.Target.Requests == 0 {
		return nil
	}
	c := m.Counted
	counts := fmt.Sprintf("By its %s, %d of %d requests to the new version were bad", m.Name, c.Target.Bad, c.Target.Requests)
	if c.Stable != nil {
		counts += fmt.Sprintf(", and %d of %d to the stable version in the same time", c.Stable.Bad, c.Stable.Requests)
	}
	out := []string{
		counts + ".",
		fmt.Sprintf("Required is %s; the odds against a healthy version are %s to 1, and it is rejected at %s to 1.", m.Threshold, c.Odds, c.RejectAt),
	}
	return append(out, explainVerdict(r.Analysis, m, now)...)
}

// explainVerdict returns the effect of a verdict on the rollout.
func explainVerdict(a *Analysis, m *v1.MetricStatus, now time.Time) []string {
	c := m.Counted
	switch m.Verdict {
	case v1.AnalysisFail:
		out := []string{"So it is rejected."}
		if a.DryRun {
			out = []string{"So it would have been rolled back, but dryRun is set."}
		}
		if m.Message != "" {
			out = append(out, strings.ToUpper(m.Message[:1])+m.Message[1:]+".")
		}
		return out
	case v1.AnalysisInconclusive:
		if c.Outlook == v1.OutlookFailing {
			return []string{"It is failing: if this goes on, it is rejected."}
		}
		out := []string{"It is " + c.Outlook.Words() + ", and " + describePass(c, now) + "."}
		if c.WouldShow != "" {
			out = append(out, "A fault in "+c.WouldShow+" of the requests would have shown by now.")
		}
		return out
	case v1.AnalysisPass:
		return []string{"So it passes: a fault in " + c.WouldShow + " of the requests would have shown."}
	default:
		return nil
	}
}

func decidingMetric(list []v1.MetricStatus) *v1.MetricStatus {
	list = rollout.WorstFirst(list)
	for _, verdict := range []v1.AnalysisVerdict{v1.AnalysisFail, v1.AnalysisInconclusive, v1.AnalysisPass} {
		for i := range list {
			if list[i].Verdict == verdict && list[i].Counted != nil {
				return &list[i]
			}
		}
	}
	return nil
}
