package signals

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"golang.org/x/sync/errgroup"
	"k8s.io/utils/clock"
)

// PrometheusConfig is the address of the operator's Prometheus and the labels it
// uses.
type PrometheusConfig struct {
	URL string
	// TokenFile, or User with PasswordFile, are the credentials; CAFile has the
	// authorities of its certificate.
	TokenFile, User, PasswordFile, CAFile string
	// Timeout bounds a query, Limit the bytes of an answer.
	Timeout time.Duration
	Limit   int64
	// Metrics is the name of a built-in set.
	Metrics string
	// NamespaceLabel and PodLabel are the labels that identify the pod of a series.
	NamespaceLabel, PodLabel string
	// Matcher is added to every selector: cluster="here".
	Matcher string
	// ScrapeInterval is how often Prometheus reads the metrics.
	ScrapeInterval time.Duration
}

// Prometheus measures the subjects of a round in chunks, with one query for each.
type Prometheus struct {
	api       promv1.API
	selection selection
	scrape    time.Duration
	limit     time.Duration
	clock     clock.PassiveClock
	// clockAhead is by how much the server's clock was ahead of ours in the last
	// answer.
	clockAhead atomic.Int64
}

// NewPrometheus returns a source that has made no request yet.
func NewPrometheus(c PrometheusConfig, now clock.PassiveClock) (*Prometheus, error) {
	set, err := FindSet(c.Metrics)
	if err != nil {
		return nil, err
	}
	next, err := newTransport(c.CAFile)
	if err != nil {
		return nil, err
	}
	p := &Prometheus{
		selection: selection{set: set, namespace: c.NamespaceLabel, pod: c.PodLabel, matcher: c.Matcher},
		scrape:    c.ScrapeInterval, limit: c.Timeout, clock: now,
	}
	client, err := api.NewClient(api.Config{Address: c.URL, Client: &http.Client{
		Timeout: c.Timeout,
		Transport: &transport{
			next: next, clock: now, limit: c.Limit, token: c.TokenFile, user: c.User, password: c.PasswordFile,
			onClockAhead: func(d time.Duration) { p.clockAhead.Store(int64(d)) },
		},
	}})
	if err != nil {
		return nil, fmt.Errorf("the address of Prometheus: %w", err)
	}
	p.api = promv1.NewAPI(client)
	return p, nil
}

// Name is the source's name in the status.
func (p *Prometheus) Name() string { return "prometheus" }

// minWindow is the shortest window in which each counter is read at least twice.
func (p *Prometheus) minWindow() time.Duration {
	return max(4*time.Second, 4*p.scrape.Truncate(time.Second))
}

// maxRound is how many times the limit of one query a round takes at most.
const maxRound = 4

// Measure makes one query for each chunk of the subjects, and one for each query of a
// user. Each has a deadline of its own, and one that fails fails alone.
func (p *Prometheus) Measure(ctx context.Context, now time.Time, subjects []Subject) map[Key]Reading {
	ctx, cancel := context.WithTimeout(ctx, maxRound*p.limit)
	defer cancel()
	subjects = slices.SortedFunc(slices.Values(subjects), func(a, b Subject) int { return compareKeys(a.Key, b.Key) })
	chunks := p.selection.chunkSubjects(subjects)
	readings := make([]map[Key]Reading, len(chunks))
	var group errgroup.Group
	group.SetLimit(maxQueries)
	for i, chunk := range chunks {
		group.Go(func() error {
			readings[i] = p.measureChunk(ctx, now, chunk)
			return nil
		})
	}
	answers := p.startQueries(ctx, &group, now, subjects)
	_ = group.Wait()
	out := map[Key]Reading{}
	for _, chunk := range readings {
		maps.Copy(out, chunk)
	}
	for i, s := range subjects {
		r := out[s.Key]
		r.Queries = answersByName(s.Queries, answers[i])
		out[s.Key] = r
	}
	return out
}

// startQueries starts the queries of users and returns their answers, by subject and query,
// which are there when the group has ended. Namespaces take turns and in each its workloads, so
// that one whose queries hang holds up no other.
func (p *Prometheus) startQueries(ctx context.Context, group *errgroup.Group, now time.Time, subjects []Subject) [][]Answer {
	answers, most := make([][]Answer, len(subjects)), 0
	for i, s := range subjects {
		answers[i] = make([]Answer, len(s.Queries))
		most = max(most, len(s.Queries))
	}
	var turns turnList
	for j := range most {
		for i, s := range subjects {
			if j < len(s.Queries) {
				turns.add(s.Namespace, func() { answers[i][j] = p.runQuery(ctx, s.Queries[j], now) })
			}
		}
	}
	turns.start(group)
	return answers
}

// measureChunk measures subjects with one query. One that the server cannot answer for all of
// them is divided: the workload that asks for too much is unknown alone.
func (p *Prometheus) measureChunk(ctx context.Context, now time.Time, subjects []Subject) map[Key]Reading {
	bounded, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	out := map[Key]Reading{}
	vector, err := p.queryVector(bounded, p.selection.renderQuery(p.planQuery(now, subjects)), now)
	if err == nil {
		p.addReadings(out, now, subjects, p.selection.parseAnswer(vector))
		return out
	}
	if half := len(subjects) / 2; half > 0 && asksTooMuch(err) {
		maps.Copy(out, p.measureChunk(ctx, now, subjects[:half]))
		maps.Copy(out, p.measureChunk(ctx, now, subjects[half:]))
		return out
	}
	for _, s := range subjects {
		out[s.Key] = newUnknown(p.Name(), now, err.Error())
	}
	return out
}

// planQuery returns the windows of all subjects.
func (p *Prometheus) planQuery(now time.Time, subjects []Subject) queryPlan {
	out := queryPlan{traffic: map[time.Duration][]Subject{}, all: subjects}
	for _, s := range subjects {
		back := p.trafficWindow(now, s)
		out.traffic[back] = append(out.traffic[back], s)
		if s.Judged {
			out.judged = append(out.judged, s)
		}
		if window := p.queriesWindow(s); s.Window > 0 && window != back {
			out.traffic[window] = append(out.traffic[window], s)
		}
	}
	return out
}

// queriesWindow returns the window of a subject's queries.
func (p *Prometheus) queriesWindow(s Subject) time.Duration {
	return max(p.minWindow(), s.Window.Truncate(time.Second))
}

// trafficWindow returns how far to look back so that no request since the last
// reading is missed. There are three lengths only, so that the subjects share one
// query.
func (p *Prometheus) trafficWindow(now time.Time, s Subject) time.Duration {
	least := p.minWindow()
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

// queryVector runs a query. A partial answer is an error.
func (p *Prometheus) queryVector(ctx context.Context, query string, now time.Time) (model.Vector, error) {
	value, warnings, err := p.api.Query(ctx, query, now)
	switch {
	case errors.Is(err, errAnswerTooLarge):
		return nil, fmt.Errorf("%s: %w; raise prometheus-answer-limit if a workload has that many pods", p.Name(), errAnswerTooLarge)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%s did not answer within %s", p.Name(), p.limit)
	case err != nil:
		return nil, &queryError{fmt.Sprintf("%s: %s", p.Name(), shortenMessage(withoutAddress(err))), err}
	case len(warnings) > 0:
		return nil, fmt.Errorf("%s warns: %s", p.Name(), shortenMessage(strings.Join(warnings, "; ")))
	}
	if ahead := time.Duration(p.clockAhead.Load()); ahead.Abs() > maxClockSkew {
		return nil, fmt.Errorf("the clock of %s differs by %s", p.Name(), ahead.Round(time.Second))
	}
	vector, ok := value.(model.Vector)
	if !ok {
		return nil, fmt.Errorf("%s returned a %s instead of a vector", p.Name(), value.Type())
	}
	return vector, nil
}

// queryError is a failed query in one line, with its cause.
type queryError struct {
	message string
	cause   error
}

func (e *queryError) Error() string { return e.message }
func (e *queryError) Unwrap() error { return e.cause }

// asksTooMuch reports whether a query for fewer subjects may be answered: the answer was too
// large, or the server has refused to compute it.
func asksTooMuch(err error) bool {
	refused, is := errors.AsType[*promv1.Error](err)
	return errors.Is(err, errAnswerTooLarge) || is && refused.Type == promv1.ErrExec
}

// withoutAddress returns the reason of a failed request without the server's
// address: the message is shown in the status of every handler.
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
		return "cannot be reached: " + name.Err
	}
	return "cannot be reached: " + why.Error()
}

// maxClockSkew bounds the difference of the clocks. The header Date has whole
// seconds.
const maxClockSkew = 10 * time.Second

// shortenMessage makes one short line of a server's message.
func shortenMessage(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return text
}

const (
	// maxSelection is how many characters the names of a query's subjects have.
	maxSelection = 4096
	// maxSelected is how many pods a query selects, unless one workload has more: an
	// answer has dozens of rows of some 200 bytes for each.
	maxSelected = 250
	// maxQueries is how many queries are asked at once.
	maxQueries = 4
)

// chunkSubjects divides subjects into groups of which each is asked for in one query.
func (s selection) chunkSubjects(subjects []Subject) [][]Subject {
	var out [][]Subject
	first, length, pods := 0, 0, 0
	for i, subject := range subjects {
		size := len(s.subjectMatcher(subjects[i : i+1]))
		if i > first && (length+size > maxSelection || pods+len(subject.Pods) > maxSelected) {
			out = append(out, subjects[first:i])
			first, length, pods = i, 0, 0
		}
		length, pods = length+size, pods+len(subject.Pods)
	}
	if first < len(subjects) {
		out = append(out, subjects[first:])
	}
	return slices.Clip(out)
}
