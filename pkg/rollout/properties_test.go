package rollout_test

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// machine is what the properties are of: Next, or Next with a fault.
type machine func(rollout.Input) rollout.Decision

// longLife is a number of events with which nearly every one is a new version.
const longLife = 560

// crdLimit is how many versions the CRD takes in a status.
const crdLimit = 512

func TestNextKeepsItsPromises(t *testing.T) {
	for seed := range int64(60) {
		if err := broken(rollout.Next, seed, 60); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if err := broken(rollout.Next, 1, longLife); err != nil {
		t.Fatalf("a long life: %v", err)
	}
}

// TestPropertiesCatchFaults holds that the properties are worth something: each
// machine with a fault breaks one.
func TestPropertiesCatchFaults(t *testing.T) {
	after := func(spoil func(rollout.Input, []v1.VersionStatus) []v1.VersionStatus) machine {
		return func(in rollout.Input) rollout.Decision {
			d := rollout.Next(in)
			d.Versions = spoil(in, slices.Clone(d.Versions))
			return d
		}
	}
	faults := map[string]machine{
		"forgets the sequence": after(func(_ rollout.Input, vs []v1.VersionStatus) []v1.VersionStatus {
			for i := range vs {
				vs[i].Sequence = int64(i + 1)
			}
			slices.SortFunc(vs, func(a, b v1.VersionStatus) int { return int(a.RevisionNumber - b.RevisionNumber) })
			vs[0].Sequence = 99
			return vs
		}),
		"two active": after(func(_ rollout.Input, vs []v1.VersionStatus) []v1.VersionStatus {
			vs[0].Phase = v1.VersionActive
			return vs
		}),
		"the old one keeps its traffic": after(func(_ rollout.Input, vs []v1.VersionStatus) []v1.VersionStatus {
			for i := range vs {
				if vs[i].Phase == v1.VersionDraining {
					vs[i].Weight = 100
				}
			}
			return vs
		}),
		"no traffic until complete": after(func(in rollout.Input, vs []v1.VersionStatus) []v1.VersionStatus {
			for i := range vs {
				if vs[i].Version == in.Version && !in.Seen.Complete {
					vs[i].Weight = 0
				}
			}
			return vs
		}),
		"forgets versions that are over": after(func(_ rollout.Input, vs []v1.VersionStatus) []v1.VersionStatus {
			return slices.DeleteFunc(vs, func(v v1.VersionStatus) bool { return v.Phase == v1.VersionDecommissioned })
		}),
		"counts up at every look": after(func(in rollout.Input, vs []v1.VersionStatus) []v1.VersionStatus {
			for i := range vs {
				if vs[i].Version == in.Version {
					vs[i].RevisionNumber += int64(len(in.State))
				}
			}
			return vs
		}),
		"drains before the new one is complete": after(func(_ rollout.Input, vs []v1.VersionStatus) []v1.VersionStatus {
			for i := range vs {
				if vs[i].Phase == v1.VersionDraining {
					vs[i].Phase, vs[i].Workload = v1.VersionDecommissioned, ""
				}
			}
			return vs
		}),
		"changes the state that it was given": func(in rollout.Input) rollout.Decision {
			d := rollout.Next(in)
			if len(in.State) > 0 {
				in.State[0].Weight = 7
			}
			return d
		},
		"never forgets": func(in rollout.Input) rollout.Decision {
			d := rollout.Next(in)
			gone := slices.DeleteFunc(slices.Clone(in.State), func(was v1.VersionStatus) bool {
				return slices.ContainsFunc(d.Versions, func(is v1.VersionStatus) bool { return is.Version == was.Version })
			})
			d.Versions = append(gone, d.Versions...)
			return d
		},
	}
	for name, faulty := range faults {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(40) {
				if broken(faulty, seed, 60) != nil {
					return
				}
			}
			if broken(faulty, 1, longLife) == nil {
				t.Error("no property catches it")
			}
		})
	}
}

// broken lets a handler live through random events and returns the first property
// that does not hold.
func broken(next machine, seed int64, events int) error {
	random := rand.New(rand.NewSource(seed))
	var state []v1.VersionStatus
	places := map[string]int64{}
	in := rollout.Input{Version: "v0", Revision: "r0", RevisionNumber: 1}
	for i := range events {
		in = event(random, in, i, events)
		in.State = slices.Clone(state)
		given := slices.Clone(in.State)
		d := next(in)
		if !reflect.DeepEqual(given, in.State) {
			return fmt.Errorf("the given state was changed:\n%s", cmp.Diff(given, in.State))
		}
		if err := wrong(in, d, places); err != nil {
			return err
		}
		again := in
		again.State = slices.Clone(d.Versions)
		if twice := next(again); !reflect.DeepEqual(d, twice) {
			return fmt.Errorf("a second look decides otherwise:\n%s", cmp.Diff(d, twice))
		}
		state = d.Versions
	}
	return nil
}

// event is what may happen between two looks.
func event(random *rand.Rand, in rollout.Input, i, events int) rollout.Input {
	kinds := 4
	if events == longLife {
		kinds = 1
	}
	switch random.Intn(kinds) {
	case 0: // A version, new or old.
		in.Version = fmt.Sprintf("v%d", random.Intn(12))
		if events == longLife {
			in.Version = fmt.Sprintf("v%d", i)
		}
		in.Revision, in.RevisionNumber = "r-"+in.Version, 1
		in.Seen.Complete = events == longLife
	case 1: // Another template of it.
		in.RevisionNumber++
		in.Revision = fmt.Sprintf("r-%s-%d", in.Version, in.RevisionNumber)
		in.Seen.Complete = false
	case 2:
		in.Seen.Wanted, in.Seen.Ready = int32(random.Intn(4)), int32(random.Intn(4))
	case 3:
		in.Seen.Updated, in.Seen.Complete = in.Seen.Wanted, random.Intn(2) == 0
	}
	return in
}

func wrong(in rollout.Input, d rollout.Decision, places map[string]int64) error {
	var active int
	var weight int32
	taken := map[int64]string{}
	names := map[string]bool{}
	for _, v := range d.Versions {
		names[v.Version] = true
		weight += v.Weight
		if v.Phase == v1.VersionActive {
			active++
			if v.Version != in.Version || v.Revision != in.Revision || v.RevisionNumber != in.RevisionNumber {
				return fmt.Errorf("%+v is active, %s %s is declared", v, in.Version, in.Revision)
			}
		}
		if place, ok := places[v.Version]; ok && place != v.Sequence {
			return fmt.Errorf("%s had place %d and now %d", v.Version, place, v.Sequence)
		}
		if other, ok := taken[v.Sequence]; ok {
			return fmt.Errorf("%s and %s both have place %d", other, v.Version, v.Sequence)
		}
		places[v.Version], taken[v.Sequence] = v.Sequence, v.Version
	}
	switch {
	case active != 1:
		return fmt.Errorf("%d versions are active", active)
	case weight != 100:
		return fmt.Errorf("the weights add up to %d", weight)
	case len(d.Versions) > crdLimit:
		return fmt.Errorf("%d versions, more than the CRD takes", len(d.Versions))
	case d.Reason == "" || d.Reason[len(d.Reason)-1] != '.':
		return fmt.Errorf("the reason %q is no sentence", d.Reason)
	}
	return kept(in, d, names)
}

// kept holds that a version goes through Draining, and stays known.
func kept(in rollout.Input, d rollout.Decision, names map[string]bool) error {
	for _, was := range in.State {
		if !names[was.Version] {
			if len(in.State) < 400 || was.Phase != v1.VersionDecommissioned {
				return fmt.Errorf("%s is forgotten", was.Version)
			}
			continue
		}
		is := d.Versions[slices.IndexFunc(d.Versions, func(v v1.VersionStatus) bool { return v.Version == was.Version })]
		if was.Phase == v1.VersionActive && is.Phase == v1.VersionDecommissioned && !in.Seen.Complete {
			return fmt.Errorf("%s is over while its pods may run", was.Version)
		}
	}
	return nil
}
