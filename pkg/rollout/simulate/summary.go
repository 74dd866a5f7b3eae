package simulate

import (
	"math"
	"slices"

	"gati.dev/gati/pkg/rollout"
)

// Summary sums up the runs of one scenario.
type Summary struct {
	// RolledBack counts the runs in which the new version was found before it had all traffic,
	// RolledBackLater those in which that was later, within rollbackWindow.
	RolledBack      int `json:"rolledBack"`
	RolledBackLater int `json:"rolledBackLater"`
	Promoted        int `json:"promoted"`
	// Waiting counts the runs that waited for a user.
	Waiting int `json:"waiting"`
	// SecondsToRollback and SecondsToPromotion are from the begin of the rollout; absent where
	// no run ended so.
	SecondsToRollback  *Spread `json:"secondsToRollback,omitempty"`
	SecondsToPromotion *Spread `json:"secondsToPromotion,omitempty"`
	// FailedRequests are those of the new version until it was rolled back, or judged no more.
	FailedRequests Spread        `json:"failedRequests"`
	Steps          []StepSummary `json:"steps"`
}

// StepSummary sums up a step.
type StepSummary struct {
	Weight int32 `json:"weight"`
	// RolledBack counts the runs in which the new version was found in it.
	RolledBack int `json:"rolledBack"`
	// SecondsToBegin are those of the runs that came to it.
	SecondsToBegin *Spread `json:"secondsToBegin,omitempty"`
}

// Spread has the middle and the upper end of many values.
type Spread struct {
	Median       int64 `json:"median"`
	Percentile90 int64 `json:"percentile90"`
}

// Summarize sums up the runs of a policy.
func Summarize(p *rollout.Policy, runs []Run) Summary {
	var out Summary
	for _, s := range p.AllSteps() {
		out.Steps = append(out.Steps, StepSummary{Weight: s.Weight})
	}
	var back, promoted, failed []int64
	began := make([][]int64, len(out.Steps))
	for _, run := range runs {
		failed = append(failed, run.Failed)
		for i, s := range run.Steps {
			began[i] = append(began[i], int64(s.Began.Seconds()))
		}
		took := int64(run.Took.Seconds())
		switch run.Outcome {
		case RolledBack:
			out.addRollback(max(0, len(run.Steps)-1))
			back = append(back, took)
		case Promoted:
			out.Promoted++
			promoted = append(promoted, took)
		default:
			out.Waiting++
		}
	}
	out.SecondsToRollback, out.SecondsToPromotion = spreadOf(back), spreadOf(promoted)
	if all := spreadOf(failed); all != nil {
		out.FailedRequests = *all
	}
	for i := range began {
		out.Steps[i].SecondsToBegin = spreadOf(began[i])
	}
	return out
}

// addRollback counts a rollback in a step.
func (s *Summary) addRollback(step int) {
	s.Steps[step].RolledBack++
	if s.Steps[step].Weight < 100 {
		s.RolledBack++
		return
	}
	s.RolledBackLater++
}

// spreadOf returns the spread of values; nil without any.
func spreadOf(values []int64) *Spread {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	at := func(share float64) int64 { return values[int(math.Ceil(share*float64(len(values))))-1] }
	return &Spread{at(0.5), at(0.9)}
}
