package app

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
)

func TestLifecycle(t *testing.T) {
	type event struct {
		What  string
		After time.Duration
	}
	tests := map[string]struct {
		signals []time.Duration
		done    time.Duration // when the process has ended by itself
		want    []event
	}{
		"one signal": {
			signals: []time.Duration{time.Second}, done: time.Minute,
			want: []event{{"drain", time.Second}, {"cancel", 11 * time.Second}},
		},
		"a second cuts the delay short": {
			signals: []time.Duration{time.Second, 3 * time.Second}, done: time.Minute,
			want: []event{{"drain", time.Second}, {"cancel", 3 * time.Second}},
		},
		"a third ends it at once": {
			signals: []time.Duration{time.Second, 3 * time.Second, 5 * time.Second}, done: time.Minute,
			want: []event{{"drain", time.Second}, {"cancel", 3 * time.Second}, {"exit", 5 * time.Second}},
		},
		"it does not end": {
			signals: []time.Duration{time.Second}, done: 2 * time.Minute,
			want: []event{{"drain", time.Second}, {"cancel", 11 * time.Second}, {"exit", 101 * time.Second}},
		},
		"no signal": {done: time.Minute},
		"it ends while it drains": {
			signals: []time.Duration{time.Second}, done: 2 * time.Second,
			want: []event{{"drain", time.Second}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var mu sync.Mutex
				var got []event
				record := func(what string) func() {
					return func() {
						mu.Lock()
						defer mu.Unlock()
						got = append(got, event{what, time.Since(began)})
					}
				}
				l := &lifecycle{drain: record("drain"), delay: 10 * time.Second, limit: 90 * time.Second, cancel: record("cancel"), log: logr.Discard()}
				signals, done := make(chan os.Signal), make(chan struct{})
				for _, at := range tc.signals {
					time.AfterFunc(at, func() { signals <- syscall.SIGTERM })
				}
				time.AfterFunc(tc.done, func() { close(done) })
				l.shutDown(signals, done, record("exit"))
				<-done
				if !slices.Equal(got, tc.want) {
					t.Errorf("got %v, want %v", got, tc.want)
				}
			})
		})
	}
}
