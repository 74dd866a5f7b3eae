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
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/utils/clock"

	"gati.dev/gati/pkg/rollout"
)

// Pods reads the metrics of the pods themselves, whose counters see every request on any
// path. It remembers their last values, and stores them in each reading, so that another
// replica can continue the count.
type Pods struct {
	client *http.Client
	clock  clock.PassiveClock
	set    Set
	limit  time.Duration

	mu        sync.Mutex
	histories map[Key]*history
}

// history has the samples of a subject's pods by instance, oldest first.
type history struct {
	at      time.Time
	samples map[string][]podSample
}

const (
	// maxConcurrentReads is how many pods are read at once, maxPodAnswer how many bytes
	// one may answer.
	maxConcurrentReads = 64
	maxPodAnswer       = 4 << 20
	// maxPodHeader bounds the header of its answer in bytes.
	maxPodHeader = 16 << 10
	// maxReads is how many times the limit of one pod all of a round take at most.
	maxReads = 10
)

// NewPods returns a source that reads pods.
func NewPods(limit time.Duration, now clock.PassiveClock) *Pods {
	gati := sets[0]
	return &Pods{
		clock: now, set: gati, limit: limit, histories: map[Key]*history{},
		client: &http.Client{
			Timeout:   limit,
			Transport: &transport{next: &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: 2 * time.Minute, MaxResponseHeaderBytes: maxPodHeader}, clock: now, limit: maxPodAnswer},
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return errors.New("the pod answers with a redirect")
			},
		},
	}
}

// Name is the source's name in the status.
func (p *Pods) Name() string { return "pods" }

// scrape is the result of reading one pod. The zero value is a pod that was skipped because
// another one of its workload had failed.
type scrape struct {
	sample podSample
	report PodReport
	// read reports whether the pod has answered with metrics.
	read bool
	err  error
}

// Measure reads every pod once. Each has a deadline of its own. The traffic of a workload of
// which one pod fails is unknown, and so are its counters where most pods fail: then its
// others do not take the time of other workloads. Of a workload whose pods have never answered
// with metrics, few are asked.
func (p *Pods) Measure(ctx context.Context, now time.Time, subjects []Subject) map[Key]Reading {
	ctx, cancel := context.WithTimeout(ctx, maxReads*p.limit)
	defer cancel()
	mute := p.findMute(ctx, subjects)
	scrapes := p.scrapeAll(ctx, subjects, mute)
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[Key]Reading{}
	for i, s := range subjects {
		if why, isMute := mute[s.Key]; isMute {
			out[s.Key] = p.newUnproven(now, why)
			continue
		}
		out[s.Key] = p.readingOf(now, s, scrapes[i])
	}
	p.dropStale(now)
	return out
}

// scrapeAll reads the pods of the workloads that have metrics, as far as that is known.
// Namespaces take turns, so that one whose pods hang makes no other wait.
func (p *Pods) scrapeAll(ctx context.Context, subjects []Subject, mute map[Key]string) [][]scrape {
	out := make([][]scrape, len(subjects))
	failed := make([]atomic.Int64, len(subjects))
	var turns turnList
	for i, s := range subjects {
		if _, isMute := mute[s.Key]; isMute {
			continue
		}
		pods := s.runningPods()
		out[i] = make([]scrape, len(pods))
		for j, pod := range pods {
			turns.add(s.Namespace, func() {
				if s.Reported || failed[i].Load() <= s.maxUnread() {
					r := &out[i][j]
					r.sample, r.report, r.err = p.scrapePod(ctx, s, pod)
					if r.read = r.err == nil; !r.read {
						failed[i].Add(1)
					}
				}
			})
		}
	}
	var group errgroup.Group
	group.SetLimit(maxConcurrentReads)
	turns.start(&group)
	_ = group.Wait()
	return out
}

// maxUnread is how many pods of a subject may fail before nothing more is learned of it.
func (s Subject) maxUnread() int64 {
	if s.Judged {
		return int64(len(s.Pods) / 2)
	}
	return 0
}

// readingOf returns the reading of a workload whose pods were read.
func (p *Pods) readingOf(now time.Time, s Subject, scrapes []scrape) Reading {
	fresh := map[string]podSample{}
	var reports []PodReport
	var err error
	isProven := s.Proven || p.histories[s.Key] != nil
	for j, pod := range s.runningPods() {
		err = errors.Join(err, scrapes[j].err)
		fresh[pod.Instance] = scrapes[j].sample
		isProven = isProven || scrapes[j].read
		if s.Reported {
			reports = append(reports, scrapes[j].report)
		}
	}
	var out Reading
	switch {
	case err == nil && isProven:
		out = p.newReading(now, s, fresh)
	case !isProven:
		out = p.newUnproven(now, describeErrors(err))
	default:
		out = newUnknown(p.Name(), now, describeErrors(err))
	}
	if s.Judged && isProven {
		out.Counters = countersOf(now, s, scrapes)
	}
	out.Reports = reports
	return out
}

// describeErrors returns errors as one line.
func describeErrors(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(shortenMessage(err.Error()), "\n", "; ")
}

// newReading compares the counters with their last values.
func (p *Pods) newReading(now time.Time, s Subject, fresh map[string]podSample) Reading {
	m := p.histories[s.Key]
	known := m != nil
	if m == nil {
		m = &history{samples: map[string][]podSample{}}
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
	t.Counted, t.CountedBy = int64(total), instancesHash(s)
	if err := p.countSince(&t, m, known, s, fresh, total); err != nil {
		delete(p.histories, s.Key)
		return newUnknown(p.Name(), now, err.Error())
	}
	r := Reading{Traffic: t, At: at}
	for instance, one := range fresh {
		one.buckets = nil // Only the latest are read.
		m.samples[instance] = append(m.samples[instance], one)
	}
	for instance := range m.samples {
		if _, there := fresh[instance]; !there {
			delete(m.samples, instance)
		}
	}
	m.at = at
	p.histories[s.Key] = m
	m.fillRequests(&r, s)
	return r
}

// countSince fills in the requests since the last reading, which is our own or,
// after a restart, the one stored in the status.
func (p *Pods) countSince(t *rollout.Traffic, m *history, known bool, s Subject, fresh map[string]podSample, total float64) error {
	if !known {
		if s.CountedBy != "" && s.CountedBy == t.CountedBy && !s.Since.IsZero() && int64(total) >= s.Counted {
			t.From, t.Requests = s.Since, int64(total)-s.Counted
		}
		return nil
	}
	t.From = m.at
	for _, pod := range s.runningPods() {
		one, last := fresh[pod.Instance], podSample{}
		if list := m.samples[pod.Instance]; len(list) > 0 {
			last = list[len(list)-1]
		}
		grown, err := one.increaseSince(last)
		if err != nil {
			return fmt.Errorf("pod %s: %w", pod.Name, err)
		}
		t.Requests += int64(math.Ceil(grown))
	}
	for instance := range m.samples {
		if _, there := fresh[instance]; !there {
			t.Lost = true
		}
	}
	return nil
}

// instancesHash identifies the set of instances whose counters were read.
func instancesHash(s Subject) string {
	var all []string
	for _, pod := range s.runningPods() {
		all = append(all, pod.Instance)
	}
	return hashNames(all)
}

// hashNames identifies a set of names.
func hashNames(all []string) string {
	slices.Sort(all)
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return hex.EncodeToString(sum[:8])
}

// countersOf returns the counters of the pods that were read.
func countersOf(now time.Time, s Subject, scrapes []scrape) rollout.Counters {
	at := now
	var all []rollout.InstanceCounters
	var unread error
	for i, pod := range s.runningPods() {
		one := scrapes[i]
		if one.read && one.sample.at.Before(at) {
			at = one.sample.at
		}
		unread = errors.Join(unread, one.err)
		all = append(all, rollout.InstanceCounters{
			ID: "pods/" + pod.Instance, Started: pod.Started, Unread: !one.read,
			Requests: int64(one.sample.requests), Errors: int64(one.sample.errors), InFlight: int64(one.sample.active), Buckets: sortedBuckets(one.sample.buckets),
		})
	}
	return rollout.NewCounters(at, all, describeErrors(unread))
}

// fillRequests fills in the requests of the window. Where the samples do not reach
// back that far, they cover less. A pod that started within the window is counted
// from its start.
func (m *history) fillRequests(r *Reading, s Subject) {
	if s.Window == 0 {
		for instance, list := range m.samples {
			m.samples[instance] = list[len(list)-1:]
		}
		return
	}
	from := r.At.Add(-s.Window)
	requests, reach := 0.0, from
	for _, pod := range s.runningPods() {
		list := m.samples[pod.Instance]
		now, then := list[len(list)-1], podSample{}
		if pod.Started.Before(from) {
			at := max(0, slices.IndexFunc(list, func(one podSample) bool { return one.at.After(from) })-1)
			then = list[at]
			if then.at.After(reach) {
				reach = then.at
			}
			m.samples[pod.Instance] = list[at:]
		}
		if grown, err := now.increaseSince(then); err == nil {
			requests += grown
		}
	}
	r.Requests, r.From = &requests, reach
}

// dropStale drops subjects that were not measured for an hour.
func (p *Pods) dropStale(now time.Time) {
	for key, m := range p.histories {
		if now.Sub(m.at) > time.Hour {
			delete(p.histories, key)
		}
	}
}
