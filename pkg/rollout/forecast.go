package rollout

import (
	"cmp"
	"math"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/analysis"
)

// Forecast is what is to be expected of a step that waits for time or requests: one answer
// for conditions, status, explain and the live view.
type Forecast struct {
	// Outlook is that of the metric that is furthest from passing; empty where no requests
	// are missing. Missing is how many more it needs.
	Outlook v1.AnalysisOutlook
	Missing int64
	// Next is the end of the pause, nil once it is over.
	Next *metav1.Time
	// Latest is when Then decides although requests are missing.
	Latest *metav1.Time
	Then   v1.InconclusivePolicy
}

// ForecastStep returns the forecast of a rollout, nil where it waits for something else.
func ForecastStep(p *Policy, ro *v1.RolloutStatus) *Forecast {
	w, a := ro.WaitingFor, p.Analysis
	if w == nil || w.Until == nil || w.Reason != v1.WaitingForPause && w.Reason != v1.WaitingForAnalysis {
		return nil
	}
	f, steps := &Forecast{}, p.StepsOf(ro)
	if w.Reason == v1.WaitingForPause {
		f.Next = w.Until
	}
	if a == nil || a.DryRun || ro.Mode != v1.RolloutSteps || ro.StepStartedAt == nil || int(ro.Step) >= len(steps)-1 {
		return f
	}
	f.Missing, f.Outlook = a.findFurthest(ro.Analysis)
	if f.Missing > 0 {
		f.Then = a.Inconclusive
		f.Latest = &metav1.Time{Time: ro.StepStartedAt.Add(p.JudgingTime(steps[ro.Step]))}
	}
	return f
}

// findFurthest returns the missing requests and the outlook of the metric that is furthest from
// passing: the first that is failing, else the one that needs most.
func (p *AnalysisPolicy) findFurthest(list []v1.MetricStatus) (most int64, worst v1.AnalysisOutlook) {
	for _, metric := range p.Metrics {
		missing, outlook := p.findMissingRequests(metric, list)
		if outlook == v1.OutlookFailing {
			return missing, outlook
		}
		if missing > most {
			most, worst = missing, outlook
		}
	}
	return most, worst
}

// WorstFirst returns metrics in the order in which they decide: those that are failing, then
// those that need most requests to pass. A version is as healthy as its worst metric.
func WorstFirst(list []v1.MetricStatus) []v1.MetricStatus {
	need := func(s v1.MetricStatus) int64 {
		switch {
		case s.Verdict == v1.AnalysisFail || s.Counted != nil && s.Counted.Outlook == v1.OutlookFailing:
			return math.MaxInt64
		case s.Counted == nil:
			return 0
		default:
			return s.Counted.Missing
		}
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b v1.MetricStatus) int { return cmp.Compare(need(b), need(a)) })
	return out
}

// TestNeed is what a test of a metric has to show, and how many requests that takes.
type TestNeed struct {
	// Compared reports whether the test compares with the stable version.
	Compared bool
	Fault    float64
	Requests int64
}

// Needs returns what the tests of a metric have to show.
func (p *AnalysisPolicy) Needs(metric Metric) []TestNeed {
	q := p.questionFor(metric)
	absolute, compared := q, q
	absolute.Within, absolute.Floor, compared.Allowed = nil, false, nil
	var out []TestNeed
	for _, test := range []analysis.Question{absolute, compared} {
		if need, ok := test.Needed(); ok {
			out = append(out, TestNeed{test.Within != nil, need.Fault, need.Requests})
		}
	}
	return out
}

// Missing returns how many more requests a metric needs to pass, also before its first interval.
func (p *AnalysisPolicy) Missing(metric Metric, s v1.MetricStatus) int64 {
	if s.Counted == nil || s.MeasuredAt == nil || s.Verdict == v1.AnalysisRunning {
		return p.questionFor(metric).Missing(analysis.State{})
	}
	return s.Counted.Missing
}

// findMissingRequests returns how many requests a metric needs to pass, also before the first
// interval has ended.
func (p *AnalysisPolicy) findMissingRequests(metric Metric, list []v1.MetricStatus) (int64, v1.AnalysisOutlook) {
	if metric.Kind == Query {
		return 0, ""
	}
	at := slices.IndexFunc(list, func(s v1.MetricStatus) bool { return s.Name == metric.Name })
	switch {
	case at < 0: // The controller has not taken up the metric yet.
		return 0, ""
	case p.Derived && (list[at].Counted == nil || list[at].Counted.Outlook == v1.OutlookHealthy):
		return 0, "" // A default analysis lengthens no step of a version that nothing speaks against.
	case list[at].Counted == nil || list[at].MeasuredAt == nil || list[at].Verdict == v1.AnalysisRunning:
		return p.Missing(metric, list[at]), v1.OutlookUndecided
	case list[at].Verdict == v1.AnalysisFail:
		return max(1, list[at].Counted.Missing), v1.OutlookFailing
	default:
		return list[at].Counted.Missing, list[at].Counted.Outlook
	}
}

// Describe returns the forecast in words: the next moment, what it depends on, and the end.
// when writes a time as "in 19s" or "at 12:00 UTC", requests is the number of those missing.
func (f *Forecast) Describe(when func(metav1.Time) string, requests string) string {
	if f.Missing == 0 {
		if f.Next == nil {
			return ""
		}
		return "continues " + when(*f.Next)
	}
	var parts []string
	switch {
	case f.Outlook == v1.OutlookFailing:
		parts = append(parts, "is rolled back if it goes on failing")
	case f.Next != nil && !f.Next.Before(f.Latest) && f.Then != v1.InconclusiveFail && f.Then != v1.InconclusiveWait:
		return "continues " + when(*f.Next) + ", whether or not " + requests + " come"
	case f.Next != nil:
		parts = append(parts, "continues "+when(*f.Next)+" if "+requests+" come by then")
	default:
		parts = append(parts, "continues after "+requests)
	}
	return strings.Join(append(parts, "else "+f.describeEnd(when)), ", ")
}

// describeEnd returns what is done when the requests have not come.
func (f *Forecast) describeEnd(when func(metav1.Time) string) string {
	switch f.Then {
	case v1.InconclusiveFail:
		return "is rolled back " + when(*f.Latest)
	case v1.InconclusiveWait:
		return "waits " + when(*f.Latest) + " to be promoted"
	default:
		return "continues " + when(*f.Latest)
	}
}
