package signals

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"gati.dev/gati/pkg/rollout"
)

// addReadings adds a reading for each subject.
func (p *Prometheus) addReadings(out map[Key]Reading, now time.Time, subjects []Subject, answer rows) {
	mine := p.groupRows(subjects, answer)
	for _, s := range subjects {
		out[s.Key] = p.newReading(now, s, mine[s.Key], answer)
	}
}

// subjectRows are the rows of one subject.
type subjectRows struct {
	// current are the rows of its pods, or of its Service at the gateway; former
	// are those of pods that it had.
	current, former []*row
}

// groupRows assigns the rows of an answer to their subjects.
func (p *Prometheus) groupRows(subjects []Subject, answer rows) map[Key]subjectRows {
	out := map[Key]subjectRows{}
	if p.selection.set.isGateway() {
		for _, s := range subjects {
			// rows is a parsed answer. Its key is a pod with its namespace, a
			// gateway's name of a Service, or "" for the gateway itself.
			var rows subjectRows
			for _, name := range serviceNames(s) {
				if r := answer[name]; r != nil {
					rows.current = append(rows.current, r)
				}
			}
			out[s.Key] = rows
		}
		return out
	}
	owners := newPodOwners(subjects)
	for _, r := range answer {
		key, known, found := owners.findSubject(r.namespace, r.pod)
		rows := out[key]
		switch {
		case !found:
			continue
		case known:
			rows.current = append(rows.current, r)
		default:
			rows.former = append(rows.former, r)
		}
		out[key] = rows
	}
	return out
}

// newReading makes a reading from the rows of a subject.
func (p *Prometheus) newReading(now time.Time, s Subject, mine subjectRows, answer rows) Reading {
	back := p.trafficWindow(now, s)
	at, why := p.coveredUntil(now, s, mine, answer, back)
	if why != "" {
		r := newUnknown(p.Name(), now, why)
		if s.Judged && !p.selection.set.isGateway() {
			r.Counters = p.countersOf(now, s, mine)
		}
		return r
	}
	r := Reading{Traffic: rollout.Traffic{
		Source: p.Name(), Known: true, From: now.Add(-back), At: at, Partial: p.selection.set.isGateway() && !s.OnlyPath,
	}, At: at}
	for _, list := range [][]*row{mine.current, mine.former} {
		for _, one := range list {
			p.addTraffic(&r.Traffic, s, one, back)
		}
	}
	r.Traffic.Lost = len(mine.former) > 0
	switch {
	case s.Judged && p.selection.set.isGateway():
		r.Counters = p.gatewayCounters(at, s, mine, answer[""])
	case s.Judged:
		r.Counters = p.countersOf(now, s, mine)
	}
	if s.Window > 0 {
		window := p.queriesWindow(s)
		requests := 0.0
		for _, list := range [][]*row{mine.current, mine.former} {
			for _, one := range list {
				if l := one.windows[window]; l != nil {
					n, _ := countRequests(l.requests, s)
					requests += n
				}
			}
		}
		r.Requests, r.From = &requests, now.Add(-window)
	}
	return r
}

// countersOf returns the counters of the pods that were scraped lately, and since they
// started.
func (p *Prometheus) countersOf(now time.Time, s Subject, mine subjectRows) rollout.Counters {
	at, why := now, ""
	var all []rollout.InstanceCounters
	for _, pod := range s.runningPods() {
		r := mine.rowOf(pod)
		last, problem := p.lastAlive(now, r, "pod "+pod.Name)
		if problem == "" && last.Before(pod.Started) {
			problem = fmt.Sprintf("%s has no metrics of pod %s since it started", p.Name(), pod.Name)
		}
		one := rollout.InstanceCounters{Unread: true, Started: pod.Started}
		if problem == "" {
			one = r.processFor("").sumCounters(s, pod.Started)
			one.InFlight = r.inFlight(p.trafficWindow(now, s))
			at = earlierOf(at, last)
		}
		why = cmp.Or(why, problem)
		one.ID = p.Name() + "/" + pod.Instance
		all = append(all, one)
	}
	return rollout.NewCounters(p.onOurClock(at), all, why)
}

// gatewayCounters returns the counts of each gateway process for a Service. A process
// without a start time cannot be distinguished from its predecessor.
func (p *Prometheus) gatewayCounters(at time.Time, s Subject, mine subjectRows, gateway *row) rollout.Counters {
	started := map[string]time.Time{}
	if gateway != nil {
		for instance, process := range gateway.processes {
			started[instance] = process.started
		}
	}
	if len(started) == 0 {
		return rollout.Counters{At: at, Message: fmt.Sprintf("%s has no %s of the gateway; check that it is scraped", p.Name(), processStart)}
	}
	var all []rollout.InstanceCounters
	for _, instance := range slices.Sorted(maps.Keys(started)) {
		sum := &processRow{}
		for _, r := range mine.current {
			if process := r.processes[instance]; process != nil {
				sum.requests = append(sum.requests, process.requests...)
				sum.buckets = append(sum.buckets, process.buckets...)
			}
		}
		one := sum.sumCounters(s, started[instance])
		one.ID = fmt.Sprintf("%s/%s@%d", p.Name(), instance, started[instance].Unix())
		all = append(all, one)
	}
	return rollout.NewCounters(at, all, "")
}

// sumCounters adds up the counters of a process.
func (r *processRow) sumCounters(s Subject, started time.Time) rollout.InstanceCounters {
	requests, errors := countRequests(r.requests, s)
	buckets := map[float64]float64{}
	for _, b := range r.buckets {
		if !s.isOwnRoute(b.route) {
			buckets[b.bound] += b.n
		}
	}
	return rollout.InstanceCounters{Started: started, Requests: int64(requests), Errors: int64(errors), Buckets: sortedBuckets(buckets)}
}

// coveredUntil returns up to when all traffic of the subject was scraped, or the
// reason why that is unknown.
func (p *Prometheus) coveredUntil(now time.Time, s Subject, mine subjectRows, answer rows, back time.Duration) (time.Time, string) {
	for _, r := range append(append([]*row{}, mine.current...), mine.former...) {
		if r.problem != "" {
			return now, r.problem
		}
	}
	if p.selection.set.isGateway() {
		return p.lastScraped(now, answer[""], "the gateway", back)
	}
	at := now
	for _, pod := range s.runningPods() {
		last, why := p.lastScraped(now, mine.rowOf(pod), "pod "+pod.Name, back)
		if why != "" {
			return now, why
		}
		at = earlierOf(at, last)
	}
	return p.onOurClock(at), ""
}

// rowOf returns the row of a pod, nil where there is none.
func (mine subjectRows) rowOf(pod Pod) *row {
	for _, r := range mine.current {
		if r.pod == pod.Name {
			return r
		}
	}
	return nil
}

// onOurClock returns a time of the server's clock, which may be ahead of ours.
func (p *Prometheus) onOurClock(at time.Time) time.Time {
	return at.Add(-max(0, time.Duration(p.clockAhead.Load())).Truncate(time.Second))
}

func earlierOf(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// lastScraped returns when a target was last scraped, or the reason why no increase of its
// rows is known.
func (p *Prometheus) lastScraped(now time.Time, r *row, what string, back time.Duration) (time.Time, string) {
	last, why := p.lastAlive(now, r, what)
	if why == "" && (r.windows[back] == nil || r.windows[back].samples < 2) {
		why = fmt.Sprintf("the metrics of %s were scraped only once in %s, so no increase is known", what, back)
	}
	return last, why
}

// lastAlive returns when a target was last scraped, or the reason why its rows must not be
// used.
func (p *Prometheus) lastAlive(now time.Time, r *row, what string) (time.Time, string) {
	if r == nil || r.alive.IsZero() {
		return now, fmt.Sprintf("%s has no metrics of %s; check that it is scraped, and its labels", p.Name(), what)
	}
	if r.problem != "" {
		return now, r.problem
	}
	if old := now.Sub(r.alive); old > 3*p.scrape+5*time.Second {
		return now, fmt.Sprintf("the metrics of %s are %s old", what, old.Round(time.Second))
	}
	return earlierOf(now, r.alive), ""
}

// addTraffic adds the traffic of one row in a window.
func (p *Prometheus) addTraffic(t *rollout.Traffic, s Subject, r *row, back time.Duration) {
	if l := r.windows[back]; l != nil {
		requests, _ := countRequests(l.requests, s)
		t.Requests += int64(math.Ceil(requests))
	}
	t.InFlight += r.inFlight(back)
}

// inFlight returns how many requests of a row have no answer yet. One that is the scrape itself
// does not count.
func (r *row) inFlight(back time.Duration) int64 {
	active := r.active
	if l := r.windows[back]; l != nil && active > 0 && l.countsScrapes() {
		active--
	}
	return int64(math.Ceil(active))
}

// runQuery runs a query of a user on its own: an invalid one must not fail others.
func (p *Prometheus) runQuery(ctx context.Context, q Query, now time.Time) Answer {
	value, err := p.queryNumber(ctx, q.PromQL, now)
	if err != nil {
		return Answer{Message: err.Error()}
	}
	return Answer{Value: value, Known: true}
}

// answersByName returns nil for a workload without queries.
func answersByName(queries []Query, answers []Answer) map[string]Answer {
	if len(queries) == 0 {
		return nil
	}
	out := map[string]Answer{}
	for i, q := range queries {
		out[q.Name] = answers[i]
	}
	return out
}

// queryNumber runs a query whose answer must be one number.
func (p *Prometheus) queryNumber(ctx context.Context, query string, now time.Time) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	value, warnings, err := p.api.Query(ctx, query, now)
	if err != nil {
		return 0, fmt.Errorf("%s: %s", p.Name(), shortenMessage(err.Error()))
	}
	if len(warnings) > 0 {
		return 0, fmt.Errorf("%s warns: %s", p.Name(), shortenMessage(warnings[0]))
	}
	var number float64
	switch v := value.(type) {
	case *model.Scalar:
		number = float64(v.Value)
	case model.Vector:
		if len(v) != 1 {
			return 0, fmt.Errorf("the query returns %d series instead of one number", len(v))
		}
		number = float64(v[0].Value)
	default:
		return 0, fmt.Errorf("the query returns a %s instead of one number", value.Type())
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return 0, fmt.Errorf("the query returns %v", number)
	}
	return number, nil
}
