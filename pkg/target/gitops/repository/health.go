package repository

import (
	"errors"
	"sync"
	"time"

	"k8s.io/utils/clock"

	v1 "gati.dev/gati/api/v1"
)

// health keeps a repository that fails from being asked by every owner at once.
type health struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	err   error
	delay time.Duration
	until time.Time
}

// checkRetry returns the last failure until it may be tried again.
func (h *health) checkRetry() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil && h.clock.Now().Before(h.until) {
		return h.err
	}
	return nil
}

// lastFailure returns the last failure.
func (h *health) lastFailure() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// notePush records the result of a push.
func (h *health) notePush(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if contested := (*Error)(nil); err == nil || errors.As(err, &contested) && contested.Reason == v1.ReasonRepositoryBusy {
		h.err, h.delay = nil, 0
		return
	}
	h.err = err
	h.delay = min(max(2*h.delay, firstDelay), maxDelay)
	h.until = h.clock.Now().Add(h.delay)
}

func (h *health) retryAfter() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		return 0
	}
	return max(h.until.Sub(h.clock.Now()), time.Second)
}
