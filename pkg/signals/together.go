package signals

import (
	"cmp"

	"gati.dev/gati/pkg/rollout"
)

// together makes one reading of those of several sources. A request that one of them
// saw is a request; there is none only where each that sees every path says so.
func together(k Key, readings []map[Key]Reading) Reading {
	var out Reading
	for i, of := range readings {
		r := of[k]
		if i == 0 {
			out = r
			continue
		}
		out.Traffic = both(out.Traffic, r.Traffic)
		if out.Stats == nil && r.Stats != nil {
			out.Stats, out.From, out.At, out.Message = r.Stats, r.From, r.At, r.Message
		}
		if out.Queries == nil {
			out.Queries = r.Queries
		}
	}
	return out
}

func both(a, b rollout.Traffic) rollout.Traffic {
	name := joined("+", a.Source, b.Source)
	if a.Partial != b.Partial && a.Known && b.Known {
		// One sees every path: of the other, only requests count.
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
		return seenAnyway(a, b)
	case !b.Known:
		b.Source = name
		return seenAnyway(b, a)
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

// seenAnyway is what is known where one source is silent: the requests that the other
// saw, and never that there were none.
func seenAnyway(silent, other rollout.Traffic) rollout.Traffic {
	if other.Known && (other.Requests > 0 || other.InFlight > 0) {
		other.Source = silent.Source
		return other
	}
	return silent
}

// lasting carries on a time without requests: a reader that missed a reading still
// learns of all of it.
func lasting(last, r Reading) Reading {
	a, b := last.Traffic, r.Traffic
	idle := func(t rollout.Traffic) bool { return t.Known && t.Requests == 0 && t.InFlight == 0 && !t.Partial }
	if idle(a) && idle(b) && !b.Lost && a.Source == b.Source && !b.From.After(a.At) && a.From.Before(b.From) {
		r.Traffic.From = a.From
	}
	return r
}

func compare(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Handler, b.Handler), cmp.Compare(a.Workload, b.Workload))
}
