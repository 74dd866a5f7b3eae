package signals

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/utils/clock"

	"gati.dev/gati/pkg/rollout"
)

// Pods measures by reading the metrics of the pods themselves, whose counters see
// every request, whatever its path. It remembers what they stood at; what it leaves
// with each reading lets another one carry on.
type Pods struct {
	client *http.Client
	clock  clock.PassiveClock
	set    Set
	limit  time.Duration

	mu     sync.Mutex
	memory map[Key]*memory
}

// memory is what the counters of a subject's pods stood at, by instance, oldest
// first.
type memory struct {
	at      time.Time
	samples map[string][]sample
}

const (
	// readers is how many pods are read at once, podLimit how much one may answer.
	readers  = 16
	podLimit = 4 << 20
)

// NewPods returns a source that reads pods.
func NewPods(limit time.Duration, now clock.PassiveClock) *Pods {
	gati := sets[0]
	return &Pods{
		clock: now, set: gati, limit: limit, memory: map[Key]*memory{},
		client: &http.Client{
			Timeout:   limit,
			Transport: &transport{next: &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: 2 * time.Minute}, clock: now, limit: podLimit},
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return errors.New("it answers with a redirect")
			},
		},
	}
}

// Name is what the status calls it.
func (p *Pods) Name() string { return "pods" }

// Measure reads every pod once.
func (p *Pods) Measure(ctx context.Context, now time.Time, subjects []Subject) map[Key]Reading {
	ctx, cancel := context.WithTimeout(ctx, 4*p.limit)
	defer cancel()
	type result struct {
		sample sample
		err    error
	}
	results := make([][]result, len(subjects))
	var group errgroup.Group
	group.SetLimit(readers)
	for i, s := range subjects {
		pods := s.running()
		results[i] = make([]result, len(pods))
		for j, pod := range pods {
			group.Go(func() error {
				results[i][j].sample, results[i][j].err = p.scrape(ctx, s, pod)
				return nil
			})
		}
	}
	_ = group.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[Key]Reading{}
	for i, s := range subjects {
		fresh := map[string]sample{}
		var err error
		for j, pod := range s.running() {
			err = errors.Join(err, results[i][j].err)
			fresh[pod.Instance] = results[i][j].sample
		}
		if err != nil {
			out[s.Key] = unknown(p.Name(), now, strings.ReplaceAll(brief(err.Error()), "\n", "; "))
			continue
		}
		out[s.Key] = p.reading(now, s, fresh)
	}
	p.forget(now)
	return out
}

// reading compares what the counters stand at with what they stood at.
func (p *Pods) reading(now time.Time, s Subject, fresh map[string]sample) Reading {
	m := p.memory[s.Key]
	known := m != nil
	if m == nil {
		m = &memory{samples: map[string][]sample{}}
	}
	at := now
	for _, one := range fresh {
		if one.at.Before(at) {
			at = one.at
		}
	}
	t := rollout.Traffic{Source: p.Name(), Known: true, From: at, At: at}
	var total float64
	for _, one := range fresh {
		total += one.requests
		t.InFlight += int64(math.Ceil(one.active))
	}
	t.Counted, t.CountedBy = int64(total), instances(s)
	if err := p.compare(&t, m, known, s, fresh, total); err != nil {
		delete(p.memory, s.Key)
		return unknown(p.Name(), now, err.Error())
	}
	r := Reading{Traffic: t, At: at}
	for instance, one := range fresh {
		m.samples[instance] = append(m.samples[instance], one)
	}
	for instance := range m.samples {
		if _, there := fresh[instance]; !there {
			delete(m.samples, instance)
		}
	}
	m.at = at
	p.memory[s.Key] = m
	m.judge(&r, s)
	return r
}

// compare says what was counted since the last reading: our own, or that which
// another one left.
func (p *Pods) compare(t *rollout.Traffic, m *memory, known bool, s Subject, fresh map[string]sample, total float64) error {
	if !known {
		if s.CountedBy != "" && s.CountedBy == t.CountedBy && !s.Since.IsZero() && int64(total) >= s.Counted {
			t.From, t.Requests = s.Since, int64(total)-s.Counted
		}
		return nil
	}
	t.From = m.at
	for _, pod := range s.running() {
		one, last := fresh[pod.Instance], sample{}
		if list := m.samples[pod.Instance]; len(list) > 0 {
			last = list[len(list)-1]
		}
		grown, err := one.since(last)
		if err != nil {
			return fmt.Errorf("pod %s: %w", pod.Name, err)
		}
		t.Requests += int64(math.Ceil(grown.Requests))
	}
	for instance := range m.samples {
		if _, there := fresh[instance]; !there {
			t.Lost = true
		}
	}
	return nil
}

// instances identifies whose counters were read.
func instances(s Subject) string {
	var all []string
	for _, pod := range s.running() {
		all = append(all, pod.Instance)
	}
	slices.Sort(all)
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return hex.EncodeToString(sum[:8])
}

// judge fills in what a window of the samples says. Where they do not reach back that
// far it is about less: a pod that began in it is counted from its start.
func (m *memory) judge(r *Reading, s Subject) {
	if s.Window == 0 {
		return
	}
	from := r.At.Add(-s.Window)
	stats, reach := newStats(), from
	for _, pod := range s.running() {
		list := m.samples[pod.Instance]
		now, then := list[len(list)-1], sample{}
		if pod.Started.Before(from) {
			at := max(0, slices.IndexFunc(list, func(one sample) bool { return one.at.After(from) })-1)
			then = list[at]
			if then.at.After(reach) {
				reach = then.at
			}
			m.samples[pod.Instance] = list[at:]
		}
		if grown, err := now.since(then); err == nil {
			stats.add(grown)
		}
	}
	r.Stats, r.From = stats, reach
}

// forget drops what nobody has asked for in a while.
func (p *Pods) forget(now time.Time) {
	for key, m := range p.memory {
		if now.Sub(m.at) > time.Hour {
			delete(p.memory, key)
		}
	}
}
