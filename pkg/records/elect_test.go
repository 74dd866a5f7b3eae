package records_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/records"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func user(name string, age int) *builders.Version {
	return builders.MakeVersion(name).Created(start.Add(time.Duration(age) * time.Second))
}

func automatic() *builders.Version {
	return user("auto", 0).Label(v1.LabelAutomatic, "true").Label(v1.LabelManagedBy, v1.ManagedBy)
}

// decided returns a record whose author the controller has already found.
func decided(b *builders.Version, automatic bool) *v1.GatiVersion {
	return b.Status(func(s *v1.GatiVersionStatus) { s.Automatic = &automatic }).Obj()
}

// managed sets the manager of a field of the spec.
func managed(v *v1.GatiVersion, manager, field string) *v1.GatiVersion {
	v.ManagedFields = append(v.ManagedFields, metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate,
		FieldsV1: metav1.NewFieldsV1(fmt.Sprintf(`{"f:spec":{"f:%s":{}}}`, field)),
	})
	return v
}

func TestElect(t *testing.T) {
	const older = "record a is older and records the same version; delete one of them"
	lost := func(what string) string {
		return "record auto has " + what + " that this one lacks or contradicts; repeat it here or remove it there"
	}
	schema := &v1.VersionSchema{}
	list := func(vs ...*v1.GatiVersion) []*v1.GatiVersion { return vs }
	tests := map[string]struct {
		records []*v1.GatiVersion

		wantWinner   string
		wantRefused  map[string]string
		wantYielding []string
	}{
		"none":                          {nil, "", map[string]string{}, nil},
		"the automatic one alone":       {list(automatic().Obj()), "auto", map[string]string{}, nil},
		"a user's alone":                {list(user("a", 1).Obj()), "a", map[string]string{}, nil},
		"a user's and the automatic":    {list(automatic().Obj(), user("a", 1).Obj()), "a", map[string]string{}, []string{"auto"}},
		"a user's, labelled later":      {list(decided(automatic(), false), user("a", 1).Obj()), "auto", map[string]string{"a": "record auto is older and records the same version; delete one of them"}, nil},
		"the automatic, label removed":  {list(decided(user("auto", 0), true), user("a", 1).Obj()), "a", map[string]string{}, []string{"auto"}},
		"two users', the oldest":        {list(user("b", 2).Obj(), user("a", 1).Obj()), "a", map[string]string{"b": older}, nil},
		"as old as each other, by name": {list(user("b", 1).Obj(), user("a", 1).Obj()), "a", map[string]string{"b": older}, nil},
		"tags would be lost": {list(automatic().Tags("beta").Obj(), user("a", 1).Tags("other").Obj()), "auto",
			map[string]string{"a": lost("tags")}, nil},
		"tags are repeated":          {list(automatic().Tags("beta").Obj(), user("a", 1).Tags("other", "beta").Obj()), "a", map[string]string{}, []string{"auto"}},
		"keep would be contradicted": {list(automatic().Keep(true).Obj(), user("a", 1).Keep(false).Obj()), "auto", map[string]string{"a": lost("keep")}, nil},
		"active would be lost":       {list(automatic().Active(false).Obj(), user("a", 1).Obj()), "auto", map[string]string{"a": lost("active")}, nil},
		"a schema would be lost": {list(automatic().Spec(func(s *v1.GatiVersionSpec) { s.Schema = schema }).Obj(), user("a", 1).Obj()), "auto",
			map[string]string{"a": lost("schema")}, nil},
		"transformers would be contradicted": {list(automatic().Named("x").Obj(), user("a", 1).Named("y").Obj()), "auto", map[string]string{"a": lost("transformers")}, nil},
		"all that would be lost is named":    {list(automatic().Tags("beta").Keep(true).Obj(), user("a", 1).Obj()), "auto", map[string]string{"a": lost("tags, keep")}, nil},
		"our own traffic is not kept":        {list(managed(automatic().Traffic(40).Obj(), v1.FieldManager, "traffic"), user("a", 1).Obj()), "a", map[string]string{}, []string{"auto"}},
		"traffic that others set is": {list(managed(automatic().Traffic(40).Obj(), "kubectl-gati", "traffic"), user("a", 1).Obj()), "auto",
			map[string]string{"a": lost("traffic")}, nil},
		"the first is refused, the second fits": {list(automatic().Keep(true).Obj(), user("a", 1).Obj(), user("b", 2).Keep(true).Obj()), "b",
			map[string]string{"a": lost("keep")}, []string{"auto"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := records.Elect(tc.records)
			winner, yielding := names(got)
			if diff := cmp.Diff([]any{tc.wantWinner, tc.wantRefused, tc.wantYielding}, []any{winner, got.Refused, yielding}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func names(e records.Election) (winner string, yielding []string) {
	if e.Winner != nil {
		winner = e.Winner.Name
	}
	for _, y := range e.Yielding {
		yielding = append(yielding, y.Name)
	}
	return winner, yielding
}

func TestTakenOver(t *testing.T) {
	applied := func(manager string, operation metav1.ManagedFieldsOperationType) *v1.GatiVersion {
		v := automatic().Obj()
		v.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: operation}}
		return v
	}
	lastApplied := automatic().Obj()
	lastApplied.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}"}
	tests := map[string]struct {
		record *v1.GatiVersion
		want   bool
	}{
		"ours":                      {applied(v1.FieldManager, "Update"), false},
		"applied by kubectl":        {applied("kubectl", "Apply"), true},
		"applied by Argo CD":        {applied("argocd-controller", "Apply"), true},
		"applied by kubectl, old":   {lastApplied, true},
		"a field set by our plugin": {applied("kubectl-gati", "Apply"), false},
		"a field edited by hand":    {applied("kubectl-edit", "Update"), false},
		"a user's from the start":   {user("a", 0).Obj(), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := records.TakenOver(tc.record); got != tc.want {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

type election func([]*v1.GatiVersion) records.Election

func TestElectKeepsItsPromises(t *testing.T) {
	for seed := range int64(500) {
		if err := unfair(records.Elect, seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func TestPropertiesCatchFaults(t *testing.T) {
	spoilt := func(spoil func([]*v1.GatiVersion, *records.Election)) election {
		return func(in []*v1.GatiVersion) records.Election {
			e := records.Elect(in)
			spoil(in, &e)
			return e
		}
	}
	faults := map[string]election{
		"the first of the list wins": spoilt(func(in []*v1.GatiVersion, e *records.Election) { e.Winner = in[0]; delete(e.Refused, in[0].Name) }),
		"two winners":                spoilt(func(_ []*v1.GatiVersion, e *records.Election) { e.Refused = map[string]string{} }),
		"the automatic one never yields": spoilt(func(_ []*v1.GatiVersion, e *records.Election) {
			if len(e.Yielding) > 0 {
				e.Winner = e.Yielding[0]
			}
		}),
		"it always yields": spoilt(func(in []*v1.GatiVersion, e *records.Election) {
			for _, r := range in {
				if !records.IsAutomatic(r) {
					e.Winner = r
					delete(e.Refused, r.Name)
				}
			}
		}),
		"refuses without a word": spoilt(func(_ []*v1.GatiVersion, e *records.Election) {
			for name := range e.Refused {
				e.Refused[name] = "no"
			}
		}),
		"deletes a user's": spoilt(func(in []*v1.GatiVersion, e *records.Election) {
			for _, r := range in {
				if !records.IsAutomatic(r) && r != e.Winner {
					e.Yielding = append(e.Yielding, r)
				}
			}
		}),
	}
	for name, faulty := range faults {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(100) {
				if unfair(faulty, seed) != nil {
					return
				}
			}
			t.Error("no property catches it")
		})
	}
}

// unfair elects among random records in several orders and returns the first
// property that does not hold.
func unfair(elect election, seed int64) error {
	random := rand.New(rand.NewSource(seed))
	in := candidates(random)
	first := elect(slices.Clone(in))
	winner, yielding := names(first)
	for range 5 {
		random.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		again := elect(slices.Clone(in))
		w, y := names(again)
		if diff := cmp.Diff([]any{winner, yielding, first.Refused}, []any{w, y, again.Refused}); diff != "" {
			return fmt.Errorf("another outcome in another order:\n%s", diff)
		}
	}
	for _, r := range in {
		wins, yields, why := r == first.Winner || r.Name == winner, slices.Contains(yielding, r.Name), first.Refused[r.Name]
		fates := 0
		for _, is := range []bool{wins, yields, why != ""} {
			if is {
				fates++
			}
		}
		switch {
		case fates != 1:
			return fmt.Errorf("%s wins: %v, yields: %v, refused: %q", r.Name, wins, yields, why)
		case yields && !records.IsAutomatic(r):
			return fmt.Errorf("the user's record %s yields", r.Name)
		case why != "" && records.IsAutomatic(r):
			return fmt.Errorf("the automatic record is refused: %s", why)
		case why != "" && !strings.Contains(why, winner) && !strings.Contains(why, "auto"):
			return fmt.Errorf("%s is refused without naming what is in its way: %s", r.Name, why)
		}
	}
	return lostByElection(in, first)
}

// lostByElection checks that no field which others set in the automatic record is lost.
func lostByElection(in []*v1.GatiVersion, e records.Election) error {
	fit := false
	for _, r := range in {
		if records.IsAutomatic(r) && r != e.Winner && e.Winner != nil {
			for _, tag := range r.Spec.Tags {
				if !slices.Contains(e.Winner.Spec.Tags, tag) {
					return fmt.Errorf("the tag %s is lost", tag)
				}
			}
		}
		fit = fit || !records.IsAutomatic(r)
	}
	if why := ""; fit && e.Winner != nil && records.IsAutomatic(e.Winner) {
		for _, r := range in {
			if !records.IsAutomatic(r) {
				why = e.Refused[r.Name]
			}
			if !records.IsAutomatic(r) && !strings.Contains(why, "tags") {
				return fmt.Errorf("the automatic record stays although %s loses nothing: %q", r.Name, why)
			}
		}
	}
	return nil
}

func candidates(random *rand.Rand) []*v1.GatiVersion {
	tags := []v1.Tag{"beta", "gamma"}
	var in []*v1.GatiVersion
	for i := range 1 + random.Intn(4) {
		in = append(in, user(fmt.Sprintf("user-%d", i), random.Intn(3)).Tags(tags[:random.Intn(3)]...).Obj())
	}
	if random.Intn(3) > 0 {
		in = append(in, automatic().Tags(tags[:random.Intn(3)]...).Obj())
	}
	return in
}
