package canarysim

import "gati.dev/gati/pkg/analysis"

// Rule judges a canary slot by slot.
type Rule interface {
	// Look takes in the next slot and reports whether the version is rolled back.
	Look(target analysis.Counts) bool
}

// Windowed is a rule that looks at the success rate of the last window, and counts
// measurements below a limit. Every tool in the field has one of this form.
type Windowed struct {
	// Every and Window are in slots, Min is a share.
	Every, Window int
	Min           float64
	// Samples are the fewest requests that judge.
	Samples int64
	// Limit failures end the rollout: in a row, or in all.
	Limit int
	InRow bool

	slots    []analysis.Counts
	failures int
}

// minute is how many slots of 2.5 s a minute has.
const minute = 24

// OldRule is Gati's before it counted intervals, with its defaults: windows of a minute
// that overlap, judged every 30 s, from 20 samples on; two failures in a row.
func OldRule() *Windowed {
	return &Windowed{Every: minute / 2, Window: minute, Min: 0.99, Samples: 20, Limit: 2, InRow: true}
}

// ArgoRule is the AnalysisTemplate of Argo Rollouts' documents, with our success rate: a
// window of five minutes every five minutes; more than three failures.
func ArgoRule() *Windowed {
	return &Windowed{Every: 5 * minute, Window: 5 * minute, Min: 0.99, Samples: 1, Limit: 4}
}

// FlaggerRule is the canary of Flagger's documents: a window of a minute every minute;
// five failures.
func FlaggerRule() *Windowed {
	return &Windowed{Every: minute, Window: minute, Min: 0.99, Samples: 1, Limit: 5}
}

// Look implements Rule.
func (w *Windowed) Look(target analysis.Counts) bool {
	w.slots = append(w.slots, target)
	if len(w.slots)%w.Every != 0 {
		return false
	}
	var sum analysis.Counts
	for _, s := range w.slots[max(0, len(w.slots)-w.Window):] {
		sum = sum.Add(s)
	}
	switch {
	case sum.Requests < w.Samples:
	case float64(sum.Requests-sum.Bad) < w.Min*float64(sum.Requests):
		w.failures++
	case w.InRow:
		w.failures = 0
	}
	return w.failures >= w.Limit
}
