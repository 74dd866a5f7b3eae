package signals

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gati.dev/gati/pkg/rollout"
)

// An image may have no metrics, and pods without an address answer nothing. Such pods must
// cost next to nothing, however many there are.
const (
	// maxProbed is how many pods are asked of a workload whose pods have never answered
	// with metrics, and maxProbes how many such workloads in one round.
	maxProbed = 2
	maxProbes = 64
	// probeTimeout bounds the time of such a pod.
	probeTimeout = time.Second
)

var errNoReadyPod = errors.New("none of its pods is ready")

// isProbe reports whether a reading of a subject only finds out if its pods have metrics.
func (s Subject) isProbe() bool { return !s.Proven && !s.Reported && !s.Judged }

// ProbedPods returns the pods that a probe asks: ready ones, and few of them.
func (s Subject) ProbedPods() []Pod {
	ready := slices.DeleteFunc(s.runningPods(), func(p Pod) bool { return !p.Ready })
	return ready[:min(len(ready), maxProbed)]
}

// findMute asks pods of the workloads that have never answered with metrics. It returns
// those that still do not, with the last reason.
func (p *Pods) findMute(ctx context.Context, subjects []Subject) map[Key]string {
	out := map[Key]string{}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(maxConcurrentReads)
	for _, s := range subjects {
		if !s.isProbe() || p.hasRead(s.Key) {
			continue
		}
		group.Go(func() error {
			if err := p.probeSubject(ctx, s); err != nil {
				mu.Lock()
				defer mu.Unlock()
				out[s.Key] = describeErrors(err)
			}
			return nil
		})
	}
	_ = group.Wait()
	return out
}

// hasRead reports whether this process has read the pods of a workload.
func (p *Pods) hasRead(k Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.histories[k] != nil
}

// probeSubject returns nil once a ready pod of a subject has answered with metrics.
func (p *Pods) probeSubject(ctx context.Context, s Subject) error {
	err := errNoReadyPod
	for _, pod := range s.ProbedPods() {
		within, cancel := context.WithTimeout(ctx, probeTimeout)
		_, _, err = p.scrapePod(within, s, pod)
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

// newUnproven returns the reading of a workload whose pods have never answered with
// metrics.
func (p *Pods) newUnproven(now time.Time, why string) Reading {
	return Reading{Traffic: rollout.Traffic{Source: p.Name(), Unproven: true, At: now, Message: why}}
}
