package signals

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"k8s.io/utils/clock"
)

// PrometheusConfig is how the operator's Prometheus is reached, and what it calls
// things.
type PrometheusConfig struct {
	URL string
	// TokenFile, or User with PasswordFile, are its credentials; CAFile has the
	// authorities that it is trusted by.
	TokenFile, User, PasswordFile, CAFile string
	// Timeout is how long a query may take, Limit how many bytes an answer may have.
	Timeout time.Duration
	Limit   int64
	// Metrics is the name of a built-in set.
	Metrics string
	// NamespaceLabel and PodLabel are the labels that say whose a series is.
	NamespaceLabel, PodLabel string
	// Matcher is added to every selector: cluster="here".
	Matcher string
	// ScrapeInterval is how often it reads the metrics.
	ScrapeInterval time.Duration
}

// Prometheus measures with one query a round, however many subjects there are.
type Prometheus struct {
	api    promv1.API
	what   selection
	scrape time.Duration
	limit  time.Duration
	clock  clock.PassiveClock
	// ahead is how far its clock was ahead of ours in the last answer.
	ahead atomic.Int64
}

// NewPrometheus returns a source that has not been asked yet.
func NewPrometheus(c PrometheusConfig, now clock.PassiveClock) (*Prometheus, error) {
	set, err := SetOf(c.Metrics)
	if err != nil {
		return nil, err
	}
	next, err := trusting(c.CAFile)
	if err != nil {
		return nil, err
	}
	p := &Prometheus{
		what:   selection{set: set, namespace: c.NamespaceLabel, pod: c.PodLabel, matcher: c.Matcher},
		scrape: c.ScrapeInterval, limit: c.Timeout, clock: now,
	}
	client, err := api.NewClient(api.Config{Address: c.URL, Client: &http.Client{
		Timeout: c.Timeout,
		Transport: &transport{
			next: next, clock: now, limit: c.Limit, token: c.TokenFile, user: c.User, password: c.PasswordFile,
			ahead: func(d time.Duration) { p.ahead.Store(int64(d)) },
		},
	}})
	if err != nil {
		return nil, fmt.Errorf("the address of Prometheus: %w", err)
	}
	p.api = promv1.NewAPI(client)
	return p, nil
}

// Name is what the status calls it.
func (p *Prometheus) Name() string { return "prometheus" }

// least is the shortest window: a counter that was read twice in it.
func (p *Prometheus) least() time.Duration {
	return max(4*time.Second, 4*p.scrape.Truncate(time.Second))
}

// Measure asks once for all subjects, and once more for each query of a user's.
func (p *Prometheus) Measure(ctx context.Context, now time.Time, subjects []Subject) map[Key]Reading {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	out := map[Key]Reading{}
	plan := p.plan(now, subjects)
	vector, err := p.ask(ctx, p.what.query(plan), now)
	if err != nil {
		for _, s := range subjects {
			out[s.Key] = unknown(p.Name(), now, err.Error())
		}
	} else {
		p.readings(out, now, subjects, p.what.read(vector))
	}
	for _, s := range subjects {
		if len(s.Queries) > 0 {
			r := out[s.Key]
			r.Queries = p.queries(ctx, s, now)
			out[s.Key] = r
		}
	}
	return out
}

// plan says how far back to look for whom.
func (p *Prometheus) plan(now time.Time, subjects []Subject) plan {
	out := plan{windows: map[time.Duration][]Subject{}, judged: map[time.Duration][]Subject{}, all: subjects}
	for _, s := range subjects {
		back := p.back(now, s)
		out.windows[back] = append(out.windows[back], s)
		if s.Window == 0 {
			continue
		}
		window := p.window(s)
		out.judged[window] = append(out.judged[window], s)
		if window != back {
			out.windows[window] = append(out.windows[window], s)
		}
	}
	return out
}

// window is that of a subject's Stats.
func (p *Prometheus) window(s Subject) time.Duration {
	return max(p.least(), s.Window.Truncate(time.Second))
}

// back is how far to look back for a subject's traffic, so that nothing is left out
// since it was last known: one of three lengths, for the sake of one query.
func (p *Prometheus) back(now time.Time, s Subject) time.Duration {
	least := p.least()
	if s.Since.IsZero() {
		return least
	}
	gap := now.Sub(s.Since) + 2*p.scrape
	for _, length := range []time.Duration{least, 5 * least} {
		if gap <= length {
			return length
		}
	}
	return 60 * least
}

// ask asks one query. An answer that says that it is not whole is none.
func (p *Prometheus) ask(ctx context.Context, query string, now time.Time) (model.Vector, error) {
	value, warnings, err := p.api.Query(ctx, query, now)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, fmt.Errorf("%s: %w; raise prometheus-answer-limit if there are that many pods", p.Name(), errTooLarge)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%s did not answer within %s", p.Name(), p.limit)
	case err != nil:
		return nil, fmt.Errorf("%s: %s", p.Name(), brief(withoutAddress(err)))
	case len(warnings) > 0:
		return nil, fmt.Errorf("%s warns: %s", p.Name(), brief(strings.Join(warnings, "; ")))
	}
	if ahead := time.Duration(p.ahead.Load()); ahead.Abs() > mostAhead {
		return nil, fmt.Errorf("the clock of %s is off by %s", p.Name(), ahead.Round(time.Second))
	}
	vector, ok := value.(model.Vector)
	if !ok {
		return nil, fmt.Errorf("%s gives a %s where a vector was asked for", p.Name(), value.Type())
	}
	return vector, nil
}

// withoutAddress says why there was no answer. The address is the operator's affair:
// the sentence stands in the status of every handler.
func withoutAddress(err error) string {
	var request *url.Error
	if !errors.As(err, &request) {
		return err.Error()
	}
	why := request.Err
	if dial := (*net.OpError)(nil); errors.As(why, &dial) {
		why = dial.Err
	}
	if name := (*net.DNSError)(nil); errors.As(why, &name) {
		return "it cannot be reached: " + name.Err
	}
	return "it cannot be reached: " + why.Error()
}

// mostAhead is by how much the clocks may differ. A Date has whole seconds.
const mostAhead = 10 * time.Second

// brief makes one short line of what a server says.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return text
}
