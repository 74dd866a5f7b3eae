package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/statusrecorder"
)

// judgedByDefault is a Canary as it is when only the bound is set: 10 % for 5 minutes,
// 50 % for 10, intervals of 15 seconds.
func judgedByDefault(s *v1.GatiHandlerSpec) {
	s.Rollout = &v1.Rollout{Strategy: v1.StrategyCanary, Analysis: &v1.Analysis{Metrics: []v1.AnalysisMetric{successRate}}}
}

// isPromotedWithin waits longer than other sentences until a version is stable.
func (n then) isPromotedWithin(length time.Duration, version string) {
	n.t.Helper()
	began := time.Now()
	await.Within(n.t, length, version+" as the stable version", func() error {
		h, err := n.readHandler()
		if err != nil {
			return err
		}
		if ro := h.Status.Rollout; ro.Phase != v1.RolloutStable || ro.Stable.Version != version {
			return fmt.Errorf("%s, %+v", ro.Phase, ro.WaitingFor)
		}
		return nil
	})
	n.logStep("then %s is stable after %s", version, time.Since(began).Round(time.Second))
}

// itsHistorySays wants an entry of a kind with each of these texts.
func (n then) itsHistorySays(what string, parts ...string) {
	n.t.Helper()
	h, err := n.readHandler()
	if err != nil {
		n.t.Fatal(err)
	}
	history := h.Status.Rollout.History
	at := slices.IndexFunc(history, func(e v1.HistoryEntry) bool { return e.What == what && checkContains(e.Why, parts...) == nil })
	if at < 0 {
		n.t.Fatalf("no entry %s says %q: %+v", what, parts, history)
	}
	n.logStep("then its history says: %s: %s: %s", history[at].From, what, history[at].Why)
}

// isRejectedWithin waits for the verdict, and counts the intervals with traffic to it.
func (n then) isRejectedWithin(film *film[*v1.GatiHandler], intervals int) {
	n.t.Helper()
	seen := map[int64]bool{}
	film.awaitFirst("metric that failed", func(f statusrecorder.Frame[*v1.GatiHandler]) bool {
		ro := f.Object.Status.Rollout
		if ro == nil || len(ro.Analysis) == 0 || ro.Analysis[0].MeasuredAt == nil {
			return false
		}
		if ro.Analysis[0].Samples > 0 {
			seen[ro.Analysis[0].MeasuredAt.Unix()] = true
		}
		return ro.Analysis[0].Verdict == v1.AnalysisFail
	})
	if len(seen) > intervals {
		n.t.Errorf("it was rejected after %d intervals with traffic, want at most %d", len(seen), intervals)
	}
	n.logStep("then it was rejected after %d intervals with traffic", len(seen))
}

// What an analysis with the defaults of a Canary does about failures, side by side.
func TestAnalysisWithTheDefaults(t *testing.T) {
	prometheusMeasures(t)

	t.Run("failures at a small weight", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(1), judgedByDefault, scrapePods)
		given.steadyTraffic(20)
		film := given.isFilmed()
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "0.3"))
		then.isRejectedWithin(film, 5)
		then.isRolledBack("v1.1.0", "its success rate is", "of the stable version 0 of")
	})

	t.Run("a dry run tells what it would do", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(1), judgedByDefault, setSteps(makeStep(50, "2m")), dryRun, scrapePods)
		given.steadyTraffic(20)
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "0.3"))
		then.isPromotedWithin(15*time.Minute, "v1.1.0")
		then.nothingWasRolledBack()
		then.itsHistorySays("WouldRollBack", "its success rate is", "required: at least 99 %", "analysis.dryRun is set")
		then.hasAnEvent("WouldRollBack")
	})

	// Half of the allowed failures, for as long as steps and rollback window last.
	t.Run("failures within the bound", func(t *testing.T) {
		t.Parallel()
		given, when, then := scenario(t)

		given.aHandler(setReplicas(1), judgedByDefault, scrapePods)
		given.aRequestEvery(200 * time.Millisecond)
		when.applyChanges(setImage("v1.1.0"), addEnv("SAMPLE_FAILURE_RATE", "0.005"))
		then.isPromotedWithin(25*time.Minute, "v1.1.0")
		then.wasCounted(300, 0)
		then.isJudgedToTheEndOfTheWindow("v1.1.0")
		then.wasCounted(2000, 1)
		then.nothingWasRolledBack()
	})

	for name, apart := range map[string]time.Duration{"a request a second": time.Second, "a request in twenty seconds": 20 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given, when, then := scenario(t)

			given.aHandler(setReplicas(1), judgedByDefault, scrapePods)
			given.aRequestEvery(apart)
			when.applyChanges(setImage("v1.1.0"))
			then.isPromotedWithin(25*time.Minute, "v1.1.0")
			then.itsHistorySays("Inconclusive", "too few requests to judge its success rate", "would have shown")
			then.wasCounted(1, 0)
			then.nothingWasRolledBack()
			then.noRequestHasFailed(10)
			then.answersCameFrom("v1.0.0", "v1.1.0")
		})
	}
}

// wasCounted wants the metric of the last rollout to have counted so many requests, and so
// many bad ones.
func (n then) wasCounted(requests, bad int64) {
	n.t.Helper()
	h, err := n.readHandler()
	if err != nil {
		n.t.Fatal(err)
	}
	metrics := h.Status.Rollout.Analysis
	if len(metrics) != 1 || metrics[0].Counted == nil || metrics[0].Counted.Target.Requests < requests || metrics[0].Counted.Target.Bad < bad {
		n.t.Fatalf("%+v, want %d requests or more, %d of them bad", metrics, requests, bad)
	}
	n.logStep("then %d of %d requests were bad", metrics[0].Counted.Target.Bad, metrics[0].Counted.Target.Requests)
}

// isJudgedToTheEndOfTheWindow waits until the analysis of a promoted version has ended, and
// wants it to be stable still.
func (n then) isJudgedToTheEndOfTheWindow(version string) {
	n.t.Helper()
	judged := false
	await.Within(n.t, 15*time.Minute, "the end of the analysis of "+version, func() error {
		h, err := n.readHandler()
		if err != nil {
			return err
		}
		ready := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionReady)
		if ready == nil || h.Status.Rollout.Stable.Version != version {
			n.t.Fatalf("%s is stable: %+v", h.Status.Rollout.Stable.Title(), ready)
		}
		isJudged := strings.Contains(ready.Message, "is judged by its requests until")
		judged = judged || isJudged
		if !judged || isJudged {
			return errors.New(ready.Message)
		}
		return nil
	})
	n.logStep("then %s was judged to the end of the rollback window, and is stable", version)
}

// hasAnEvent waits for an Event of the handler with a reason.
func (n then) hasAnEvent(reason string) {
	n.t.Helper()
	n.eventually("Event "+reason, func() error {
		if out := n.runKubectl("", "get", "events", "-o", "jsonpath={.items[*].reason}"); !slices.Contains(strings.Fields(out), reason) {
			return fmt.Errorf("Events are %s", out)
		}
		return nil
	})
}
