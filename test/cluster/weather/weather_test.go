package weather

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

// scale is how much weather there is.
type scale struct {
	// handlers are spread over namespaces.
	handlers, namespaces int
	// storm is how long disturbances follow each other, pause the longest time between
	// two of them.
	storm, pause time.Duration
	// lasts is how long new storms begin.
	lasts time.Duration
	// calm bounds the wait until all agree after a storm.
	calm time.Duration
}

var (
	short = scale{handlers: 8, namespaces: 2, storm: 20 * time.Second, pause: 1500 * time.Millisecond, lasts: time.Second, calm: 10 * time.Minute}
	long  = scale{handlers: 200, namespaces: 8, storm: 90 * time.Second, pause: 400 * time.Millisecond, lasts: 25 * time.Minute, calm: 15 * time.Minute}
)

// sky is the weather of one run.
type sky struct {
	t      *testing.T
	scale  scale
	random *rand.Rand
	places []*place
	watch  *watch
	// counts are what was done and what came of it, for the log.
	counts map[string]int
}

// TestWeather lets storms pass over handlers of all strategies: changes, requests,
// deleted children and revisions, quotas, refusing webhooks and gateways, and killed
// processes. When each is over, what the status, the conditions, the columns, the
// HTTPRoutes and the pods say agrees. At no time is a version with traffic removed, or
// traffic routed that was not decided.
func TestWeather(t *testing.T) {
	of := soak.Pick("weather", long, short)
	s := &sky{t: t, scale: of, random: random.Moments(t), counts: map[string]int{}}
	s.awaitServing()
	began, calms := time.Now(), 0
	for calms == 0 || time.Since(began) < of.lasts {
		s.disturbForAWhile()
		s.clearUp()
		s.awaitAgreement()
		calms++
	}
	for _, violation := range s.watch.findUndecidedWrites() {
		t.Error(violation)
	}
	s.printReport(calms)
}

// awaitServing makes the handlers and waits until all of them serve.
func (s *sky) awaitServing() {
	s.t.Helper()
	for i := range s.scale.namespaces {
		s.places = append(s.places, newPlace(s.t, fmt.Sprintf("weather-%d", i)))
	}
	s.watch = newWatch(s.t)
	for i := range s.scale.handlers {
		p := s.places[i%len(s.places)]
		p.addHandler(s.t, fmt.Sprintf("h%03d", i), i/len(s.places))
	}
	s.awaitAgreement()
}

// disturbForAWhile disturbs for a while.
func (s *sky) disturbForAWhile() {
	for end := time.Now().Add(s.scale.storm); time.Now().Before(end); {
		name := s.doRandomDeed()
		s.counts[name]++
		// The span is part of the weather; nothing is waited for.
		time.Sleep(time.Duration(s.random.Int63n(int64(s.scale.pause))))
	}
}

// clearUp ends all disturbances. What was asked for stays asked for.
func (s *sky) clearUp() {
	s.t.Helper()
	for _, p := range s.places {
		p.clearUp(s.t)
	}
}

// awaitAgreement waits until everything is at rest and agrees.
func (s *sky) awaitAgreement() {
	s.t.Helper()
	began, told := time.Now(), time.Now()
	await.Within(s.t, s.scale.calm, "agreement", func() error {
		for _, p := range s.places {
			if err := p.checkAgreement(s.t.Context()); err != nil {
				if time.Since(told) > time.Minute {
					s.t.Logf("not yet: %v", err)
					told = time.Now()
				}
				return err
			}
		}
		return nil
	})
	s.t.Logf("all agree after %s", time.Since(began).Round(time.Second))
}

func (s *sky) printReport(calms int) {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.counts)) {
		out = append(out, fmt.Sprintf("%s %d", name, s.counts[name]))
	}
	s.t.Logf("%d handlers, %d times all agreed; %s", s.scale.handlers, calms, strings.Join(out, ", "))
	s.t.Log(s.watch.summarize())
}
