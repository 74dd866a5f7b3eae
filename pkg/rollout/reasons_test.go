package rollout_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/reasons"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// timeOfDay must not be in a stored message: what is left of a time is counted by who
// shows it.
var timeOfDay = regexp.MustCompile(`\d\d:\d\d|UTC`)

// staysScenes bring a version that would be removed to stay, for each reason.
var staysScenes = map[v1.StaysReason]func(*rollout.Input){
	v1.StaysDeclared: func(in *rollout.Input) {
		in.Declared = rollout.Unit{Version: "v1", Revision: "v1-r1", RevisionNumber: 1}
		in.Records["v1"] = rollout.Record{Inactive: true}
	},
	v1.StaysWeight: func(in *rollout.Input) {
		in.State.Versions[0].Weight, in.State.Versions[0].ExposedWeight = 30, 30
		in.State.Versions[1].Weight = 70
		in.State.Rollout.Phase = v1.RolloutRollingBack
		v2 := in.Workloads["v2"]
		v2.Settling = 1
		in.Workloads["v2"] = v2
	},
	v1.StaysGatewayLag: keepers["not accepted"].change,
	v1.StaysPodsLeft:   func(in *rollout.Input) { in.Policy.Gateway = false },
	v1.StaysKeep:       keepers["kept"].change, v1.StaysProtectedTag: keepers["protected"].change,
	v1.StaysMinActive: keepers["minActive"].change, v1.StaysWarmReplicas: keepers["warm replicas"].change,
	v1.StaysPaused: keepers["paused"].change, v1.StaysRollbackWindow: keepers["rollback window"].change,
	v1.StaysMinAge:         keepers["minAge"].change,
	v1.StaysNotObserved:    func(in *rollout.Input) { delete(in.Workloads, "v1") },
	v1.StaysStillCalled:    measuring("traffic"),
	v1.StaysTrafficUnknown: measuring("unknown"),
	v1.StaysDrainWindow:    measuring("zero for less"),
	v1.StaysDrainDeadline:  func(in *rollout.Input) { in.Policy.DrainDeadline = 3 * time.Hour },
}

func measuring(source string) func(*rollout.Input) {
	return func(in *rollout.Input) {
		w := in.Workloads["v1"]
		w.Traffic = sources[source].traffic
		in.Workloads["v1"] = w
	}
}

// TestEveryReasonToStay drives the machine to each reason for which a version stays.
// The status has it with its time, the notes tell it in the same words, and it is gone
// with the version.
func TestEveryReasonToStay(t *testing.T) {
	timed := []v1.StaysReason{v1.StaysRollbackWindow, v1.StaysMinAge, v1.StaysDrainWindow, v1.StaysDrainDeadline}
	for _, reason := range reasons.Stays() {
		t.Run(string(reason), func(t *testing.T) {
			in := drained()
			staysScenes[reason](&in)
			d := rollout.Next(in)
			v := d.Versions[0]
			if v.Stays == nil || v.Stays.Reason != reason {
				t.Fatalf("v1 is %s and stays for %+v: %s %q", v.Phase, v.Stays, d.Reason, d.Notes)
			}
			if got := v.Stays.NotBefore != nil; got != slices.Contains(timed, reason) {
				t.Errorf("notBefore is %s", v.Stays.NotBefore)
			}
			if !strings.Contains(strings.Join(d.Notes, " "), v.Stays.Message) || timeOfDay.MatchString(v.Stays.Message) {
				t.Errorf("message %q, notes %q", v.Stays.Message, d.Notes)
			}
			again := drained()
			again.State = d.State
			again.State.Versions[0].Weight, again.State.Versions[1].Weight = 0, 100
			again.State.Rollout.Frozen = nil
			if v := rollout.Next(again).Versions[0]; v.Phase == v1.VersionDecommissioned && v.Stays != nil {
				t.Errorf("it is removed and stays for %+v", v.Stays)
			}
		})
	}
}

// waitingScenes bring a rollout to wait, for each reason.
var waitingScenes = map[v1.WaitingReason]func(*testing.T) *rollouttest.Life{
	v1.WaitingForPods: func(t *testing.T) *rollouttest.Life {
		l := settled(t, v1.StrategyCanary)
		l.Cluster.Qualities["v2-r1"] = rollouttest.NeverReady
		return releasing(l)
	},
	v1.WaitingForInfrastructure: func(t *testing.T) *rollouttest.Life {
		l := settled(t, v1.StrategyCanary)
		l.Cluster.Full = true
		return releasing(l)
	},
	v1.WaitingForEndpoints: func(t *testing.T) *rollouttest.Life { return releasing(settled(t, v1.StrategyCanary)) },
	v1.WaitingForOldPods: func(t *testing.T) *rollouttest.Life {
		l := settled(t, v1.StrategyCanary)
		l.Policy.Gateway, l.Policy.Steps = false, []rollout.Step{{Weight: 50, Pause: time.Second}}
		return releasing(l)
	},
	v1.WaitingForGateway: func(t *testing.T) *rollouttest.Life {
		l := settled(t, v1.StrategyCanary)
		l.Cluster.AcceptLag = time.Hour
		return releasing(l)
	},
	v1.WaitingForRoute: func(t *testing.T) *rollouttest.Life {
		l := settled(t, v1.StrategyCanary)
		l.Cluster.Refusing = true
		return releasing(l)
	},
	v1.WaitingForPause: func(t *testing.T) *rollouttest.Life { return midway(t, v1.StrategyCanary) },
	v1.WaitingForPromotion: func(t *testing.T) *rollouttest.Life {
		l := settled(t, v1.StrategyCanary)
		l.Policy.Steps = []rollout.Step{{Weight: 10}}
		return releasing(l)
	},
	v1.WaitingForCheck: func(t *testing.T) *rollouttest.Life { return releasing(checked(t, v1.CheckBeforeTraffic)) },
	v1.WaitingForAnalysis: func(t *testing.T) *rollouttest.Life {
		l := judged(t)
		l.Policy.Steps = []rollout.Step{{Weight: 10, Pause: time.Second}}
		l.Cluster.Qualities["v2-r1"] = rollouttest.Unseen
		return releasing(l)
	},
	v1.WaitingForTraffic: func(t *testing.T) *rollouttest.Life {
		l := judged(t)
		l.Policy.Steps = []rollout.Step{{Weight: 10, Pause: time.Second}}
		l.Policy.ProgressDeadline = time.Minute
		l.Policy.Analysis.Inconclusive = v1.InconclusiveWait
		return releasing(l)
	},
	v1.WaitingForResume: func(t *testing.T) *rollouttest.Life {
		l := midway(t, v1.StrategyCanary)
		l.Ask(request.Pause, "")
		return l
	},
	v1.WaitingForAction: broken,
	v1.WaitingForSpecChange: func(t *testing.T) *rollouttest.Life {
		l := midway(t, v1.StrategyCanary)
		l.Ask(request.Abort, "")
		return l
	},
	v1.WaitingForCompatibility: func(t *testing.T) *rollouttest.Life { return hold(t, v1.StrategyCanary) },
	v1.WaitingForTransformers: func(t *testing.T) *rollouttest.Life {
		l := covered(t, v1.StrategyCanary)
		l.Cluster.Holding = rollouttest.Lacking
		return releasing(l)
	},
	v1.WaitingForActivation: func(t *testing.T) *rollouttest.Life {
		l := settled(t, v1.StrategyCanary)
		l.Records["v2"] = rollout.Record{Inactive: true}
		return releasing(l)
	},
	v1.WaitingForShares: func(t *testing.T) *rollouttest.Life {
		l := twenty(t, rollout.MaxShares)
		ask(l, 17, 5)
		return l
	},
	v1.WaitingForTurn: func(t *testing.T) *rollouttest.Life {
		l := settled(t, v1.StrategyCanary)
		l.Turn = &rollout.Turn{Bounds: []rollout.Bound{{Scope: "namespace shop", Limit: 5, Taken: 5, Before: 3}}}
		return releasing(l)
	},
	v1.WaitingForObservation: func(t *testing.T) *rollouttest.Life { return midway(t, v1.StrategyCanary) },
}

// releasing declares the next version.
func releasing(l *rollouttest.Life) *rollouttest.Life {
	l.Declare("v2", 1)
	return l
}

// TestEveryReasonToWait drives the machine to everything that a rollout waits for. The
// status has it with its time, and the decision tells it in the same words.
func TestEveryReasonToWait(t *testing.T) {
	timed := []v1.WaitingReason{v1.WaitingForPods, v1.WaitingForInfrastructure, v1.WaitingForGateway, v1.WaitingForRoute, v1.WaitingForPause, v1.WaitingForCheck, v1.WaitingForAnalysis}
	for _, reason := range reasons.Waiting() {
		t.Run(string(reason), func(t *testing.T) {
			l := waitingScenes[reason](t)
			for range 180 {
				in := l.Input()
				if reason == v1.WaitingForObservation {
					delete(in.Workloads, "v2")
				}
				d := rollout.Next(in)
				w := d.Rollout.WaitingFor
				if w == nil || w.Reason != reason {
					look(t, l)
					l.Cluster.Pass(time.Second)
					continue
				}
				if told := d.Reason + " " + strings.Join(d.Notes, " "); !strings.Contains(told, w.Message) || timeOfDay.MatchString(w.Message) {
					t.Errorf("message %q, told: %s", w.Message, told)
				}
				if got := w.Until != nil; got != slices.Contains(timed, reason) {
					t.Errorf("until is %s", w.Until)
				}
				return
			}
			t.Errorf("it does not come to wait for it, but for %+v: %s", l.State.Rollout.WaitingFor, l.Last.Reason)
		})
	}
}

// TestNothingIsWaitedForAtRest holds that what was waited for is forgotten when it has
// come.
func TestNothingIsWaitedForAtRest(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyCanary, v1.StrategyManual, v1.StrategyRollingUpdate} {
		l := settled(t, strategy)
		if w := l.State.Rollout.WaitingFor; w != nil {
			t.Errorf("%s waits for %+v", strategy, w)
		}
	}
	l := midway(t, v1.StrategyCanary)
	l.Ask(request.Promote, request.Full)
	pass(t, l, 20)
	if r := l.State.Rollout; r.Phase != v1.RolloutStable || r.WaitingFor != nil {
		t.Errorf("in phase %s it waits for %+v", r.Phase, r.WaitingFor)
	}
}

// TestTheWayBackTellsItsCause holds that a rollback says what led to it for as long as
// it lasts.
func TestTheWayBackTellsItsCause(t *testing.T) {
	l := midway(t, v1.StrategyCanary)
	l.Cluster.AcceptLag = time.Minute
	l.Ask(request.Abort, "")
	look(t, l)
	if w := l.State.Rollout.WaitingFor; w == nil || w.Reason != v1.WaitingForGateway || !strings.HasPrefix(w.Message, "rolled back to v1: aborted by jane; ") {
		t.Errorf("%+v", w)
	}
}
