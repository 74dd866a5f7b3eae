package rollout_test

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// TestEveryFieldOfARolloutIsPartOfItsIntent holds that a change of any field of
// spec.rollout changes the intent, and with it ends a rejection.
func TestEveryFieldOfARolloutIsPartOfItsIntent(t *testing.T) {
	r := &v1.Rollout{}
	fill(reflect.ValueOf(r))
	intent := func() string {
		intent, _ := rollout.IntentFor(defaulting.Handler{Spec: v1.GatiHandlerSpec{Rollout: r}}, "users-1")
		return intent
	}
	before := intent()
	eachLeaf(reflect.ValueOf(r), "spec.rollout", func(path string, leaf reflect.Value) {
		was := reflect.New(leaf.Type()).Elem()
		was.Set(leaf)
		leaf.SetZero()
		if leaf.Equal(was) {
			t.Fatalf("%s was not set", path)
		}
		if intent() == before {
			t.Errorf("%s changes, and the intent does not", path)
		}
		leaf.Set(was)
	})
	if intent() != before {
		t.Error("the same spec has two intents")
	}
}

// TestOtherUnitsOfTimeAreTheSameIntent writes each length of time of a rollout in other units,
// and in another length.
func TestOtherUnitsOfTimeAreTheSameIntent(t *testing.T) {
	r := &v1.Rollout{}
	fill(reflect.ValueOf(r))
	lengths := 0
	eachLeaf(reflect.ValueOf(r), "spec.rollout", func(path string, leaf reflect.Value) {
		words := map[reflect.Type][3]string{
			reflect.TypeFor[v1.Duration]():      {"120s", "2m", "3m"},
			reflect.TypeFor[v1.ShortDuration](): {"2s", "2000ms", "2001ms"},
		}
		texts, isLength := words[leaf.Type()]
		if !isLength {
			return
		}
		lengths++
		var intents, earlier []string
		for _, text := range texts {
			leaf.SetString(text)
			a, b := rollout.IntentFor(defaulting.Handler{Spec: v1.GatiHandlerSpec{Rollout: r}}, "users-1")
			intents, earlier = append(intents, a), append(earlier, b)
		}
		if intents[0] != intents[1] || intents[0] == intents[2] || earlier[0] == earlier[1] {
			t.Errorf("%s has the intents %v, and earlier %v", path, intents, earlier)
		}
	})
	if lengths < 6 {
		t.Errorf("%d lengths of time", lengths)
	}
}

// TestAnEarlierFormOfTheIntentIsNoChange holds that an upgrade ends no rejection: a status has
// the intent as an earlier release hashed it.
func TestAnEarlierFormOfTheIntentIsNoChange(t *testing.T) {
	l := midway(t, v1.StrategyCanary)
	l.Ask(request.Abort, "")
	pass(t, l, 12)
	in := l.Input()
	if len(in.State.Rollout.Rejected) == 0 {
		t.Fatal("nothing is rejected")
	}
	in.Intent, in.EarlierIntent = "now", in.State.Rollout.Intent
	d := rollout.Next(in)
	if len(d.Rollout.Rejected) == 0 || d.Rollout.Intent != "now" {
		t.Errorf("rejected %v, intent %s", d.Rollout.Rejected, d.Rollout.Intent)
	}
	in.EarlierIntent = ""
	if d := rollout.Next(in); len(d.Rollout.Rejected) > 0 {
		t.Error("another intent ends no rejection")
	}
}

// fill sets every field, and gives every list one item. A type of Kubernetes' own is one
// leaf, whose first text is set.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Map:
		v.Set(reflect.ValueOf(corev1.ResourceList{"cpu": resource.MustParse("1")}))
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem())
	case reflect.Struct:
		for i := range fieldsOf(v) {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("1")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(1)
	}
}

// fieldsOf returns how many fields of a struct are walked: of Kubernetes' own types only
// the first, a name or a prefix.
func fieldsOf(v reflect.Value) int {
	if v.Type().PkgPath() != reflect.TypeFor[v1.Rollout]().PkgPath() {
		return 1
	}
	return v.NumField()
}

// eachLeaf visits every text, number and switch of a value that was filled.
func eachLeaf(v reflect.Value, path string, visit func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		eachLeaf(v.Elem(), path, visit)
	case reflect.Map:
		// Hashed with the field around it.
	case reflect.Struct:
		for i := range fieldsOf(v) {
			eachLeaf(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		eachLeaf(v.Index(0), path+"[0]", visit)
	default:
		visit(path, v)
	}
}
