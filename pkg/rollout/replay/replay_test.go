package replay_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/randfill"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/rollout/replay"
	"gati.dev/gati/pkg/rollout/simulate"
)

// observer records the decisions of a handler's life.
type observer struct {
	t        *testing.T
	recorder replay.Recorder
	// ended are the records of the rollouts that have ended.
	ended [][]byte
}

// next decides and records.
func (o *observer) next(in rollout.Input) rollout.Decision {
	o.t.Helper()
	in.State = persisted(o.t, in.State)
	d := rollout.Next(in)
	if !d.Undecided {
		o.note(in, d)
	}
	return d
}

func (o *observer) note(in rollout.Input, d rollout.Decision) {
	o.t.Helper()
	isOver, err := o.recorder.Note("v1.0.0", in, d, replay.MaxSize)
	if err != nil {
		o.t.Fatal(err)
	}
	if isOver {
		o.ended = append(o.ended, o.record())
	}
}

func (o *observer) record() []byte {
	o.t.Helper()
	record, err := o.recorder.Record()
	if err != nil {
		o.t.Fatal(err)
	}
	return record
}

// persisted returns a state as the API server gives it back.
func persisted(t *testing.T, s rollout.State) (out rollout.State) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, record []byte) []replay.Entry {
	t.Helper()
	entries, err := replay.Read(record)
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	return entries
}

// differences replays a record, and returns the numbers of the decisions that differ.
func differences(t *testing.T, entries []replay.Entry, next replay.Machine) (out []int, fields map[string]bool) {
	t.Helper()
	fields = map[string]bool{}
	for i := range entries {
		differs, err := entries[i].Replay(next)
		if err != nil {
			t.Fatal(err)
		}
		if len(differs) > 0 {
			out = append(out, entries[i].Number)
		}
		for _, d := range differs {
			fields[d.Field] = true
		}
	}
	return out, fields
}

// TestEveryRolloutIsReplayed lets 50 handlers live for a week, with every strategy, checks,
// transformers, bounds and requests, and decides again on each of their rollouts.
func TestEveryRolloutIsReplayed(t *testing.T) {
	t.Parallel()
	decisions, largest, outcomes := 0, 0, map[string]int{}
	for seed := range int64(50) {
		o := &observer{t: t}
		l := rollouttest.NewLife(o.next, seed)
		if _, err := l.Month(8 * 24 * time.Hour); err != nil {
			t.Fatal(err)
		}
		for _, record := range o.ended {
			entries := read(t, record)
			if differ, fields := differences(t, entries, rollout.Next); differ != nil {
				t.Fatalf("seed %d: decisions %v differ in %v", seed, differ, fields)
			}
			decisions, largest = decisions+len(entries), max(largest, len(record))
			for _, e := range entries[len(entries)-1].Decision.Events {
				outcomes[e.Reason]++
			}
		}
	}
	t.Logf("%d decisions, the largest record has %d bytes; the last ones: %v", decisions, largest, outcomes)
	if decisions < 500 || outcomes["Completed"] == 0 || outcomes["Failed"] == 0 {
		t.Error("too little was replayed")
	}
}

// canary is a handler whose canary is judged by its requests, of some pods each.
func canary(t *testing.T, pods int, fault float64, steps ...v1.RolloutStep) (*rollouttest.Life, *observer) {
	t.Helper()
	o, drawn := &observer{t: t}, simulate.Drawn(rand.New(rand.NewPCG(1, 1)))
	l, err := rollouttest.NewCanary(o.next, rollouttest.Load{PerSecond: 20, Pods: pods, Bad: map[string]float64{"v2-r1": fault}, Traffic: drawn}, steps...)
	if err != nil {
		t.Fatal(err)
	}
	return l, o
}

func pass(t *testing.T, l *rollouttest.Life, d time.Duration) {
	t.Helper()
	if err := l.LookFor(d); err != nil {
		t.Fatal(err)
	}
}

var usualSteps = []v1.RolloutStep{{Weight: 10, Pause: "5m"}, {Weight: 50, Pause: "10m"}, {Weight: 100}}

// TestARecordHasTheNumbers holds that the record of a canary that was rolled back begins with
// its first decision, has each interval, and ends with the rollback.
func TestARecordHasTheNumbers(t *testing.T) {
	l, o := canary(t, 3, 0.05, usualSteps...)
	pass(t, l, 20*time.Minute)
	if len(o.ended) != 1 {
		t.Fatalf("%d records", len(o.ended))
	}
	entries := read(t, o.ended[0])
	first, last := entries[0], entries[len(entries)-1]
	if first.Number != 1 || first.Decision.Rollout.Target == nil || first.Input.State.Rollout.Target != nil {
		t.Errorf("it begins with %d: %+v", first.Number, first.Decision.Rollout)
	}
	if last.Number != len(entries) || last.Decision.Rollout.Phase != v1.RolloutStable || len(last.Decision.Rollout.Rejected) != 1 {
		t.Errorf("it ends with %d of %d: %+v", last.Number, len(entries), last.Decision.Rollout)
	}
	intervals := map[int64]bool{}
	for _, e := range entries {
		for _, m := range e.Decision.Rollout.Analysis {
			intervals[m.Samples] = true
		}
	}
	if len(intervals) < 3 {
		t.Errorf("the record has the samples %v", intervals)
	}
}

// TestAWatchedVersionIsRecorded holds that the record goes on while a promoted version is
// judged, so that one which is taken back has one record from its begin to its end, and that a
// handler at rest has none.
func TestAWatchedVersionIsRecorded(t *testing.T) {
	l, o := canary(t, 1, 0, v1.RolloutStep{Weight: 50, Pause: "1m"}, v1.RolloutStep{Weight: 100})
	pass(t, l, 10*time.Minute)
	if len(o.ended) != 1 || o.recorder.IsEmpty() {
		t.Fatalf("%d records, recording: %t", len(o.ended), !o.recorder.IsEmpty())
	}
	l.Cluster.Load.Bad = map[string]float64{"v2-r1": 0.5}
	pass(t, l, 10*time.Minute)
	if len(o.ended) != 2 {
		t.Fatalf("%d records", len(o.ended))
	}
	entries := read(t, o.ended[1])
	if first, last := entries[0].Decision.Rollout, entries[len(entries)-1].Decision.Rollout; first.Target == nil || len(last.Rejected) != 1 {
		t.Errorf("it begins with %+v and ends with %+v", first, last)
	}
	pass(t, l, 2*time.Hour)
	if !o.recorder.IsEmpty() {
		t.Error("a handler at rest is recorded")
	}
}

// TestAChangedDecisionIsCaught holds that each kind of fault shows, and only it.
func TestAChangedDecisionIsCaught(t *testing.T) {
	l, o := canary(t, 3, 0.05, usualSteps...)
	pass(t, l, 20*time.Minute)
	entries := read(t, o.ended[0])
	isStep := func(in *rollout.Input) bool { return in.State.Rollout.Target != nil }
	for name, tc := range map[string]struct {
		next  replay.Machine
		field string
	}{
		"no analysis": {func(in rollout.Input) rollout.Decision { in.Policy.Analysis = nil; return rollout.Next(in) }, "Rollout.analysis[0].samples"},
		"earlier":     {func(in rollout.Input) rollout.Decision { in.Now = in.Now.Add(-time.Minute); return rollout.Next(in) }, "After"},
		"a weight": {func(in rollout.Input) rollout.Decision {
			d := rollout.Next(in)
			if isStep(&in) {
				d.Workloads[0].Weight++
			}
			return d
		}, "Workloads[0].Weight"},
		"a word": {func(in rollout.Input) rollout.Decision {
			d := rollout.Next(in)
			d.Reason = strings.ToUpper(d.Reason)
			return d
		}, "Reason"},
		"nothing": {func(rollout.Input) rollout.Decision { return rollout.Decision{} }, "Rollout.phase"},
	} {
		if differ, fields := differences(t, entries, tc.next); len(differ) == 0 || !fields[tc.field] {
			t.Errorf("%s: decisions %v differ in %v, want %s", name, differ, fields, tc.field)
		}
	}
	if differ, _ := differences(t, entries, rollout.Next); differ != nil {
		t.Errorf("decisions %v differ without a fault", differ)
	}
}

// TestADayOfIntervalsIsBounded holds that a canary of many pods that waits for a day has a
// record of its first and its last decisions, in the space that it may take.
func TestADayOfIntervalsIsBounded(t *testing.T) {
	t.Parallel()
	l, o := canary(t, 20, 0, v1.RolloutStep{Weight: 20}, v1.RolloutStep{Weight: 100})
	pass(t, l, 24*time.Hour)
	if len(o.ended) > 0 {
		t.Fatal("it has ended")
	}
	record := o.record()
	entries := read(t, record)
	first, second, last := entries[0], entries[1], entries[len(entries)-1]
	t.Logf("%d bytes, %d of %d decisions", len(record), len(entries), last.Number)
	if len(record) > replay.MaxSize || first.Number != 1 || second.Number == 2 || last.Number < 2000 || last.Number-second.Number != len(entries)-2 {
		t.Errorf("%d bytes: decisions 1, %d to %d, %d of them", len(record), second.Number, last.Number, len(entries))
	}
	if age := l.Cluster.Now.Sub(last.Input.Now); age > time.Minute {
		t.Errorf("the last decision is %s old", age)
	}
	if differ, fields := differences(t, entries, rollout.Next); differ != nil {
		t.Errorf("decisions %v differ in %v", differ, fields)
	}
}

// TestAnInputSurvives holds that each field of an input is read as it was written.
func TestAnInputSurvives(t *testing.T) {
	fill := randfill.NewWithSeed(1).NilChance(0.2).NumElements(0, 3).MaxDepth(12).Funcs(
		func(at *time.Time, c randfill.Continue) { *at = time.Unix(c.Int63n(4e9), c.Int63n(1e9)).UTC() },
		func(b *rollout.Bucket, c randfill.Continue) {
			*b = rollout.Bucket{Bound: []float64{0.005, 1e-9, 1e30, math.Inf(1)}[c.Intn(4)], Count: c.Int63()}
		},
		func(s *rollout.State, _ randfill.Continue) { *s = rollout.State{} }, // The API's own form.
	)
	for range 200 {
		var want, got rollout.Input
		fill.Fill(&want)
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-written, +read):\n%s", diff)
		}
	}
}

// TestNoFieldIsHidden holds that an input has no field that JSON leaves out.
func TestNoFieldIsHidden(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(path string, of reflect.Type)
	walk = func(path string, of reflect.Type) {
		if seen[of] || of == reflect.TypeFor[time.Time]() || strings.HasPrefix(of.PkgPath(), "k8s.io/") {
			return
		}
		seen[of] = true
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(path, of.Elem())
		case reflect.Func, reflect.Chan, reflect.Interface:
			t.Errorf("%s is a %s", path, of.Kind())
		case reflect.Struct:
			for i := range of.NumField() {
				f := of.Field(i)
				if !f.IsExported() || f.Tag.Get("json") == "-" {
					t.Errorf("%s.%s is hidden", path, f.Name)
				}
				walk(path+"."+f.Name, f.Type)
			}
		}
	}
	walk("Input", reflect.TypeFor[rollout.Input]())
	walk("Decision", reflect.TypeFor[rollout.Decision]())
	if len(seen) < 30 {
		t.Errorf("%d types were seen", len(seen))
	}
}

// TestWhatIsNoRecord holds that anything else is refused, and does not fill the memory.
func TestWhatIsNoRecord(t *testing.T) {
	_, o := canary(t, 1, 0)
	o.note(rollout.Input{}, rollout.Decision{State: rollout.State{Rollout: &v1.RolloutStatus{Phase: v1.RolloutProgressing}}})
	whole := o.record()
	for name, record := range map[string][]byte{
		"nothing": nil, "a text": []byte("hello"), "a part": whole[:len(whole)/2], "a flipped byte": flip(whole),
	} {
		entries, err := replay.Read(record)
		if err == nil || !strings.Contains(err.Error(), "the record of the rollout cannot be read") {
			t.Errorf("%s: %d entries, %v", name, len(entries), err)
		}
	}
}

// TestAnImpossibleStateIsAnError holds that a state which no machine comes to ends nothing but
// its own replay.
func TestAnImpossibleStateIsAnError(t *testing.T) {
	e := replay.Entry{Number: 7}
	_, err := e.Replay(func(rollout.Input) rollout.Decision { panic("no transition") })
	if err == nil || err.Error() != "decision 7 cannot be made again: no transition" {
		t.Error(err)
	}
}

func flip(record []byte) []byte {
	out := slices.Clone(record)
	out[len(out)/2] ^= 0xff
	return out
}
