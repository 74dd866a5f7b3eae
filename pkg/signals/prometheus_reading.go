package signals

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/prometheus/common/model"

	"gati.dev/gati/pkg/rollout"
)

// readings makes readings of an answer.
func (p *Prometheus) readings(out map[Key]Reading, now time.Time, subjects []Subject, answer rows) {
	mine := p.mine(subjects, answer)
	for _, s := range subjects {
		out[s.Key] = p.reading(now, s, mine[s.Key], answer)
	}
}

// own are the rows that belong to one subject.
type own struct {
	// present are those of its pods, or of its Service at the gateway; gone those of
	// pods that it had.
	present, gone []*row
}

// mine tells the rows of an answer apart by whom they are about.
func (p *Prometheus) mine(subjects []Subject, answer rows) map[Key]own {
	out := map[Key]own{}
	if p.what.set.gateway() {
		for _, s := range subjects {
			var rows own
			for _, name := range servicesOf(s) {
				if r := answer[name]; r != nil {
					rows.present = append(rows.present, r)
				}
			}
			out[s.Key] = rows
		}
		return out
	}
	owners := ownersOf(subjects)
	for _, r := range answer {
		key, known, found := owners.of(r.namespace, r.pod)
		rows := out[key]
		switch {
		case !found:
			continue
		case known:
			rows.present = append(rows.present, r)
		default:
			rows.gone = append(rows.gone, r)
		}
		out[key] = rows
	}
	return out
}

// reading makes one of a subject's rows.
func (p *Prometheus) reading(now time.Time, s Subject, mine own, answer rows) Reading {
	back := p.back(now, s)
	at, why := p.covered(now, s, mine, answer, back)
	if why != "" {
		return unknown(p.Name(), now, why)
	}
	r := Reading{Traffic: rollout.Traffic{
		Source: p.Name(), Known: true, From: now.Add(-back), At: at, Partial: p.what.set.gateway() && !s.OnlyPath,
	}, At: at}
	for _, list := range [][]*row{mine.present, mine.gone} {
		for _, one := range list {
			p.addTraffic(&r.Traffic, s, one, back)
		}
	}
	r.Traffic.Lost = len(mine.gone) > 0
	if s.Window > 0 {
		window := p.window(s)
		r.Stats, r.From = newStats(), now.Add(-window)
		for _, list := range [][]*row{mine.present, mine.gone} {
			for _, one := range list {
				one.addStats(r.Stats, s, window)
			}
		}
	}
	return r
}

// covered returns up to when everything was read that the subject's traffic shows
// up in, or says what was not.
func (p *Prometheus) covered(now time.Time, s Subject, mine own, answer rows, back time.Duration) (time.Time, string) {
	for _, r := range append(append([]*row{}, mine.present...), mine.gone...) {
		if r.wrong != "" {
			return now, r.wrong
		}
	}
	if p.what.set.gateway() {
		return p.read(now, answer[""], "the gateway", back)
	}
	byName := map[string]*row{}
	for _, r := range mine.present {
		byName[r.pod] = r
	}
	at := now
	for _, pod := range s.running() {
		last, why := p.read(now, byName[pod.Name], "pod "+pod.Name, back)
		if why != "" {
			return now, why
		}
		if last.Before(at) {
			at = last
		}
	}
	return at.Add(-max(0, time.Duration(p.ahead.Load())).Truncate(time.Second)), ""
}

// read returns when something was last read, or says that it was not, or too seldom.
func (p *Prometheus) read(now time.Time, r *row, what string, back time.Duration) (time.Time, string) {
	if r == nil || r.alive.IsZero() {
		return now, fmt.Sprintf("%s has no metrics of %s; is it scraped, and do the labels say so?", p.Name(), what)
	}
	if r.wrong != "" {
		return now, r.wrong
	}
	if old := now.Sub(r.alive); old > 3*p.scrape+5*time.Second {
		return now, fmt.Sprintf("the metrics of %s are %s old", what, old.Round(time.Second))
	}
	if r.windows[back] == nil || r.windows[back].samples < 2 {
		return now, fmt.Sprintf("the metrics of %s were read once in %s, which tells of no growth", what, back)
	}
	if r.alive.After(now) {
		return now, ""
	}
	return r.alive, ""
}

// addTraffic adds what one row has of the traffic in a window. One that reads the
// metrics is under way while it does.
func (p *Prometheus) addTraffic(t *rollout.Traffic, s Subject, r *row, back time.Duration) {
	active := r.active
	if l := r.windows[back]; l != nil {
		requests, _ := l.totals(s)
		t.Requests += int64(math.Ceil(requests))
		if active > 0 && l.scrapes() {
			active--
		}
	}
	t.InFlight += int64(math.Ceil(active))
}

// addStats adds what one row has of a window.
func (r *row) addStats(to *Stats, s Subject, window time.Duration) {
	l := r.windows[window]
	if l == nil {
		return
	}
	requests, errors := l.totals(s)
	to.Requests += requests
	to.Errors += errors
	for _, b := range l.buckets {
		if !s.own(b.route) {
			to.Buckets[b.bound] += b.n
		}
	}
}

// queries asks what a user asks. Each is a request of its own: one that does not
// parse must not take others with it.
func (p *Prometheus) queries(ctx context.Context, s Subject, now time.Time) map[string]Answer {
	out := map[string]Answer{}
	for _, q := range s.Queries {
		value, err := p.number(ctx, q.PromQL, now)
		if err != nil {
			out[q.Name] = Answer{Message: err.Error()}
			continue
		}
		out[q.Name] = Answer{Value: value, Known: true}
	}
	return out
}

// number asks for one number, and takes no other answer.
func (p *Prometheus) number(ctx context.Context, query string, now time.Time) (float64, error) {
	value, warnings, err := p.api.Query(ctx, query, now)
	if err != nil {
		return 0, fmt.Errorf("%s: %s", p.Name(), brief(err.Error()))
	}
	if len(warnings) > 0 {
		return 0, fmt.Errorf("%s warns: %s", p.Name(), brief(warnings[0]))
	}
	var number float64
	switch v := value.(type) {
	case *model.Scalar:
		number = float64(v.Value)
	case model.Vector:
		if len(v) != 1 {
			return 0, fmt.Errorf("the query gives %d series where one number is asked for", len(v))
		}
		number = float64(v[0].Value)
	default:
		return 0, fmt.Errorf("the query gives a %s where one number is asked for", value.Type())
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return 0, fmt.Errorf("the query gives %v", number)
	}
	return number, nil
}
