package signals

import (
	"cmp"

	"gati.dev/gati/pkg/rollout"
)

// mergeReadings merges the readings of several sources. A request seen by one
// source is a request; there is none only if each source that sees every path
// counted none.
func mergeReadings(k Key, readings []map[Key]Reading) Reading {
	var out Reading
	for i, of := range readings {
		r := of[k]
		if i == 0 {
			out = r
			continue
		}
		if r.Traffic.Unproven || out.Traffic.Unproven {
			out = mergeUnproven(out, r)
			continue
		}
		out.Traffic = mergeTraffic(out.Traffic, r.Traffic)
		if out.Requests == nil && r.Requests != nil {
			out.Requests, out.From, out.At, out.Message = r.Requests, r.From, r.At, r.Message
		}
		if !out.Counters.Known && r.Counters.Known {
			out.Counters = r.Counters
		}
		if out.Reports == nil {
			out.Reports = r.Reports
		}
		if out.Queries == nil {
			out.Queries = r.Queries
		}
	}
	return out
}

// mergeUnproven merges readings of which one is of pods without metrics: the other source
// decides alone.
func mergeUnproven(a, b Reading) Reading {
	if a.Traffic.Unproven {
		a, b = b, a
	}
	if a.Reports == nil {
		a.Reports = b.Reports
	}
	return a
}

func mergeTraffic(a, b rollout.Traffic) rollout.Traffic {
	name := joinNonEmpty("+", a.Source, b.Source)
	if a.Partial != b.Partial && a.Known && b.Known {
		// One sees every path, so the other can only add requests.
		whole, part := a, b
		if a.Partial {
			whole, part = b, a
		}
		whole.Source = name
		whole.Requests, whole.InFlight = max(whole.Requests, part.Requests), max(whole.InFlight, part.InFlight)
		return whole
	}
	switch {
	case !a.Known:
		a.Source = name
		return mergeUnknown(a, b)
	case !b.Known:
		b.Source = name
		return mergeUnknown(b, a)
	}
	out := a
	out.Source, out.Lost = name, a.Lost || b.Lost
	out.Requests, out.InFlight = max(a.Requests, b.Requests), max(a.InFlight, b.InFlight)
	if b.From.After(out.From) {
		out.From = b.From
	}
	if b.At.Before(out.At) {
		out.At = b.At
	}
	if b.CountedBy != "" {
		out.Counted, out.CountedBy = b.Counted, b.CountedBy
	}
	return out
}

// mergeUnknown merges an unknown traffic with another: requests that the other saw
// count, but no requests there prove nothing.
func mergeUnknown(silent, other rollout.Traffic) rollout.Traffic {
	if other.Known && (other.Requests > 0 || other.InFlight > 0) {
		other.Source = silent.Source
		return other
	}
	return silent
}

// extendIdle extends a time without requests by the one before, so that a reader
// that missed a reading learns of both.
func extendIdle(last, r Reading) Reading {
	a, b := last.Traffic, r.Traffic
	idle := func(t rollout.Traffic) bool { return t.Known && t.Requests == 0 && t.InFlight == 0 && !t.Partial }
	if idle(a) && idle(b) && !b.Lost && a.Source == b.Source && !b.From.After(a.At) && a.From.Before(b.From) {
		r.Traffic.From = a.From
	}
	return r
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Handler, b.Handler), cmp.Compare(a.Workload, b.Workload))
}
