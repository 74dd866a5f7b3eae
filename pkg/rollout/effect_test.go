package rollout_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// effectLives returns how many lives TestEffectAgreesWithTheMachine lives.
func effectLives() int {
	if detector.Enabled {
		return 40
	}
	return 400
}

// TestEffectAgreesWithTheMachine makes every request in whatever state a life comes
// to, once the state has taken in what was observed. What Effect says, from the
// stored objects alone, is what the machine does.
func TestEffectAgreesWithTheMachine(t *testing.T) {
	phases, done, refused := map[v1.RolloutPhase]int{}, map[request.Verb]int{}, map[request.Verb]int{}
	asking := func(in rollout.Input) rollout.Decision {
		d := rollout.Next(in)
		next := in
		next.State = d.State
		if h, versions, ok := stored(next); ok && !d.Undecided {
			in := next
			phases[in.State.Rollout.Phase]++
			for _, r := range everyRequest() {
				want, got := handledBy(in, r), rollout.Effect(rollout.InputFor(h, versions, in.Now), r)
				if want.Refused && got.Refused != want.Outcome || !want.Refused && (got.Refused != "" || got.Does != want.Outcome) {
					t.Fatalf("%s under %s in phase %s:\nthe machine: %+v\nthe effect:  %+v", r.String(), in.Policy.Strategy, in.State.Rollout.Phase, want, got)
				}
				if want.Refused {
					refused[r.Verb]++
				} else {
					done[r.Verb]++
				}
			}
		}
		return d
	}
	for seed := range int64(effectLives()) {
		l := rollouttest.NewLife(asking, seed)
		l.Cluster.Reliable = true // An outdated status is not what a user sees.
		l.Policy.HistoryLimit = 0 // Nor which revisions are left.
		if seed%4 == 0 {
			l.Records["v2"], l.Records["v3"] = rollout.Record{Held: breaking}, rollout.Record{Held: breaking}
		}
		if seed%4 == 1 {
			l.Records = rollouttest.BreakingRecords()
		}
		if err := l.Live(events); err != nil {
			t.Fatal(err)
		}
	}
	if detector.Enabled {
		return // Its few lives need not come to every phase.
	}
	for _, phase := range []v1.RolloutPhase{v1.RolloutStarting, v1.RolloutStable, v1.RolloutProgressing, v1.RolloutRollingBack, v1.RolloutFailed} {
		if phases[phase] == 0 {
			t.Errorf("no request was made in phase %s", phase)
		}
	}
	for _, verb := range request.Available() {
		if done[verb] == 0 || refused[verb] == 0 && verb != request.Restart {
			t.Errorf("%s was done %d times and refused %d times", verb, done[verb], refused[verb])
		}
	}
}

// everyRequest returns each verb with each kind of argument.
func everyRequest() []rollout.Request {
	arguments := map[request.Verb][]string{
		request.Promote: {"", request.Full}, request.Rollback: {"", "v1", "v2", "v9"},
		request.Decommission: {"v1", "v2", "v9"}, request.Override: {request.AllowBreaking},
		request.Contract: {"", "v1", "v2", "v9"},
	}
	var out []rollout.Request
	for _, verb := range request.Available() {
		given := arguments[verb]
		if given == nil {
			given = []string{""}
		}
		for _, argument := range given {
			out = append(out, rollout.Request{By: "ann", Request: request.Request{Verb: verb, Argument: argument, ID: "effect"}})
		}
	}
	return out
}

// handledBy returns what the machine notes of a request.
func handledBy(in rollout.Input, r rollout.Request) v1.HandledRequest {
	in.Request = &r
	d := rollout.Next(in)
	i := slices.IndexFunc(d.Rollout.Requests, func(h v1.HandledRequest) bool { return h.ID == r.ID })
	return d.Rollout.Requests[i]
}

// stored returns a life as the API server has it. It is not stored where the status
// was lost, or does not know of the spec or of a workload yet.
func stored(in rollout.Input) (*v1.GatiHandler, []v1.GatiVersion, bool) {
	ro := in.State.Rollout
	if ro == nil || ro.Intent != in.Intent {
		return nil, nil, false
	}
	for name, w := range in.Workloads {
		known := slices.ContainsFunc(in.State.Versions, func(v v1.VersionStatus) bool { return v.Workload == name })
		if w.Exists && !known {
			return nil, nil, false
		}
	}
	h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Name: in.Handler}, Spec: specOf(in.Policy)}
	h.Status.Rollout, h.Status.Version = ro, in.Declared.Version
	var versions []v1.GatiVersion
	for _, v := range in.State.Versions {
		record := in.Records[v.Version]
		if record.AllowedBy != "" {
			return nil, nil, false
		}
		v.Record, v.Held = v.Version, record.Held
		h.Status.Versions = append(h.Status.Versions, v)
		active := !record.Inactive
		spec := v1.GatiVersionSpec{Traffic: record.Traffic, Active: &active, Keep: &record.Keep}
		for _, tag := range record.Tags {
			spec.Tags = append(spec.Tags, v1.Tag(tag))
		}
		versions = append(versions, v1.GatiVersion{Spec: spec})
		versions[len(versions)-1].Name = v.Version
	}
	return h, versions, true
}

// specOf returns the spec that a policy comes from.
func specOf(p rollout.Policy) v1.GatiHandlerSpec {
	active, auto := int32(p.MinActive), p.AutoRollback
	spec := v1.GatiHandlerSpec{
		Replicas: &p.Replicas,
		Rollout:  &v1.Rollout{Strategy: p.Strategy, AutoRollback: &auto, RollbackWindow: v1.Duration(p.RollbackWindow.String())},
		Versions: &v1.VersionPolicy{MinActive: &active, ColdAfter: v1.Duration(p.ColdAfter.String())},
	}
	for _, s := range p.Steps {
		step := v1.RolloutStep{Weight: s.Weight}
		if s.Pause > 0 {
			step.Pause = v1.Duration(fmt.Sprintf("%ds", s.Pause/time.Second))
		}
		spec.Rollout.Steps = append(spec.Rollout.Steps, step)
	}
	for _, tag := range p.ProtectedTags {
		spec.Versions.ProtectedTags = append(spec.Versions.ProtectedTags, v1.Tag(tag))
	}
	if p.Gateway {
		spec.Route = &v1.Route{ParentRefs: []gatewayv1.ParentReference{{Name: "web"}}}
	}
	return spec
}

// TestEffectSaysWhereItLeads holds the weights and steps that requests lead to.
func TestEffectSaysWhereItLeads(t *testing.T) {
	steps := []rollout.Step{{Weight: 10}, {Weight: 50}}
	change := func(version string, from, to int32) rollout.WeightChange {
		return rollout.WeightChange{Unit: v1.UnitRef{Version: version, RevisionNumber: 1}, From: from, To: to}
	}
	tests := map[string]struct {
		asks    []rollout.Request
		request rollout.Request
		weights []rollout.WeightChange
		step    *rollout.StepChange
	}{
		"promote":      {nil, requestOf(request.Promote, ""), []rollout.WeightChange{change("v1", 90, 50), change("v2", 10, 50)}, &rollout.StepChange{From: 1, To: 2, Of: 3}},
		"promote full": {nil, requestOf(request.Promote, request.Full), []rollout.WeightChange{change("v1", 90, 0), change("v2", 10, 100)}, &rollout.StepChange{From: 1, To: 3, Of: 3}},
		"pause":        {nil, requestOf(request.Pause, ""), nil, nil},
		"abort":        {nil, requestOf(request.Abort, ""), []rollout.WeightChange{change("v1", 90, 100), change("v2", 10, 0)}, nil},
		"rollback":     {nil, requestOf(request.Rollback, ""), []rollout.WeightChange{change("v1", 90, 100), change("v2", 10, 0)}, nil},
		"restart":      {nil, requestOf(request.Restart, ""), nil, nil},
		"back":         {[]rollout.Request{requestOf(request.Promote, request.Full)}, requestOf(request.Rollback, ""), []rollout.WeightChange{change("v1", 0, 100), change("v2", 100, 0)}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			l := rollouttest.NewLife(rollout.Next, 1)
			l.Policy = drained().Policy
			l.Policy.Steps = steps
			pass(t, l, 20)
			l.Declare("v2", 1)
			pass(t, l, 20)
			for _, r := range tc.asks {
				l.Ask(r.Verb, r.Argument)
				pass(t, l, 20)
			}
			got := rollout.Effect(l.Input(), tc.request)
			if got.Refused != "" || !slices.Equal(got.Weights, tc.weights) || fmt.Sprint(got.Step) != fmt.Sprint(tc.step) && (got.Step == nil || *got.Step != *tc.step) {
				t.Errorf("%+v; want %+v and %+v", got, tc.weights, tc.step)
			}
		})
	}
}

// TestEffectWithoutTheDeclaredVersion holds that each request has an answer where the
// status names a declared version and has no entry for it.
func TestEffectWithoutTheDeclaredVersion(t *testing.T) {
	for _, strategy := range []v1.Strategy{v1.StrategyRollingUpdate, v1.StrategyCanary, v1.StrategyManual} {
		l := rollouttest.NewLife(rollout.Next, 1)
		l.Policy = drained().Policy
		l.Policy.Strategy = strategy
		pass(t, l, 20)
		in := l.Input()
		in.Declared = rollout.Unit{Version: "v9", RevisionNumber: 1}
		for _, r := range everyRequest() {
			if got := rollout.Effect(in, r); got.Does == "" && got.Refused == "" {
				t.Errorf("%s under %s: no answer", r.String(), strategy)
			}
		}
	}
}

func requestOf(verb request.Verb, argument string) rollout.Request {
	return rollout.Request{By: "jane", Request: request.Request{Verb: verb, Argument: argument}}
}
