package target

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/kubernetes"
)

// TestEveryFieldIsPutBack walks through every field of every child. A foreign
// manager changes it, removes it, or adds to the list that it is in. Where the
// server takes that and a value of ours is another now, the next Apply restores
// it; where none is, nothing is written.
//
// Ownership looks one way after our create and another after our first apply, so
// every change is tried in both states. The short form tries one change in eight; "make
// soak NAME=everyFieldIsPutBack" all.
func TestEveryFieldIsPutBack(t *testing.T) {
	for _, name := range []string{"full handler", "module"} { // Together they have every kind of child.
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, makeOwners()[name])
			chosen := soak.Share(t, "everyFieldIsPutBack", 8)
			for _, obj := range w.plan {
				t.Run(reflect.TypeOf(obj).Elem().Name(), func(t *testing.T) {
					w.t = t
					driftOf(w, obj, chosen, func() {})
					driftOf(w, obj, chosen, func() {
						w.must(w.admin.Delete(w.context, obj.DeepCopyObject().(client.Object)))
						w.mustApply(obj)
					})
				})
			}
		})
	}
}

func driftOf(w *world, obj client.Object, chosen func() bool, before func()) {
	w.mustApply(obj)
	want := ownContent(w.t, obj)
	tried, taken, changed := 0, 0, 0
	for _, f := range listFields(want, nil) {
		for name, meddle := range f.listMeddlings() {
			if !chosen() {
				continue
			}
			tried++
			before()
			took, drifted := w.meddleWithFields(obj, want, fmt.Sprintf("%s of %s", name, f), meddle)
			taken, changed = taken+took, changed+drifted
		}
	}
	w.t.Logf("%d foreign writes were taken, %d of them changed a value of ours", taken, changed)
	if _, immutable := want["immutable"]; !immutable && tried > 5 && changed == 0 {
		w.t.Error("no drift was tried")
	}
}

// meddleWithFields lets the intruder write, and holds that the next Apply is right about it.
func (w *world) meddleWithFields(obj client.Object, want map[string]any, what string, change func(map[string]any) bool) (taken, drifted int) {
	w.t.Helper()
	live := w.readObject(obj)
	if !change(live.Object) {
		return 0, 0
	}
	before := live.GetResourceVersion()
	err := w.admin.Update(w.context, live, client.FieldOwner(intruder))
	if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || live.GetResourceVersion() == before {
		return 0, 0 // The server itself keeps that from happening.
	}
	w.must(err)
	differs := !hasAllOf(want, w.readObject(obj).Object)
	w.clock.SetTime(w.clock.Now().Add(time.Minute))
	got := w.mustApply(obj)
	switch {
	case differs && len(got.Writes) == 0:
		w.t.Errorf("%s: not noticed", what)
	case !differs && len(got.Writes) > 0 && !strings.HasPrefix(what, "adding"):
		w.t.Errorf("%s: written although all of ours stands", what)
	case !hasAllOf(want, w.readObject(obj).Object):
		w.t.Errorf("%s: not restored", what)
	case len(replannedWrites(got)) > 0:
		w.t.Errorf("%s: told as another plan of ours", what)
	}
	if again := w.mustApply(obj); len(again.Writes) > 0 {
		w.t.Errorf("%s: written once more", what)
	}
	if differs {
		drifted = 1
	}
	return 1, drifted
}

// TestALostRaceIsNoRepair has the status of a Deployment written between our read and our
// repair, as Kubernetes' own controller does while it acts on an edit of another manager.
// Such a try writes nothing, so it counts as no repair.
func TestALostRaceIsNoRepair(t *testing.T) {
	t.Parallel()
	w := newWorld(t, builders.MakeHandler("users").Path("/users").Image("app:v1").Obj())
	d := findPlanned[*appsv1.Deployment](w)
	w.mustApply(d.DeepCopy())
	want := ownContent(t, d)
	var read appsv1.Deployment
	w.must(w.admin.Get(w.context, client.ObjectKeyFromObject(d), &read))
	read.Spec.Template.Spec.Containers[0].Image = "evil:v1"
	w.must(w.admin.Update(w.context, &read, client.FieldOwner(intruder)))

	isRaced := true
	wire, err := client.NewWithWatch(config, client.Options{Scheme: scheme.Scheme})
	w.must(err)
	raced := interceptor.NewClient(wire, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if isRaced {
				read.Status.ObservedGeneration++
				if err := w.admin.Status().Update(ctx, &read); err != nil {
					return err
				}
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
	})
	to := kubernetes.New(raced, raced, w.clock, func() []client.ObjectList { return nil })
	apply := func() target.Outcome {
		w.clock.SetTime(w.clock.Now().Add(time.Second))
		out, err := to.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{d.DeepCopy()}})
		w.must(err)
		return out
	}
	for range 4 {
		if out := apply(); !out.Children[0].HasRaced || out.Children[0].Problem != nil {
			t.Fatalf("it is %+v, want a race that was lost", out.Children[0])
		}
	}
	isRaced = false
	if out := apply(); len(out.Writes) != 1 || !hasAllOf(want, w.readObject(d).Object) {
		t.Errorf("%+v after %d writes, want it put back", out.Children[0], len(out.Writes))
	}
}

// ownContent is the part of an object that is ours to keep, as the server writes it.
func ownContent(t *testing.T, obj client.Object) map[string]any {
	t.Helper()
	raw, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	var u map[string]any
	if err := json.Unmarshal(raw, &u); err != nil {
		t.Fatal(err)
	}
	delete(u, "status")
	meta := u["metadata"].(map[string]any)
	for key := range meta {
		if key != "labels" && key != "annotations" {
			delete(meta, key)
		}
	}
	delete(u, "apiVersion")
	delete(u, "kind")
	return pruneNulls(u).(map[string]any)
}

// pruneNulls drops nulls, which stand for nothing.
func pruneNulls(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			if item == nil {
				delete(v, key)
				continue
			}
			pruneNulls(item)
		}
	case []any:
		for _, item := range v {
			pruneNulls(item)
		}
	}
	return value
}

// hasAllOf reports whether a live value has all of the wanted one. Lists hold when
// each wanted item is there, and lists of scalars when they are equal.
func hasAllOf(want, live any) bool {
	switch w := want.(type) {
	case map[string]any:
		l, ok := live.(map[string]any)
		for key, value := range w {
			if !ok || !hasAllOf(value, l[key]) {
				return false
			}
		}
		return ok
	case []any:
		l, ok := live.([]any)
		for _, item := range w {
			found := false
			for _, other := range l {
				found = found || hasAllOf(item, other)
			}
			if !found {
				return false
			}
		}
		_, object := firstItem(w).(map[string]any)
		return ok && (object || len(w) == len(l))
	default:
		return fmt.Sprint(want) == fmt.Sprint(live)
	}
}

func firstItem(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// field is one value of an object and where it is.
type field struct {
	path  []any
	value any
}

func (f field) String() string {
	var out []string
	for _, step := range f.path {
		out = append(out, fmt.Sprint(step))
	}
	return strings.Join(out, ".")
}

// listFields walks through all values: scalars, lists and maps.
func listFields(value any, path []any) []field {
	var out []field
	if len(path) > 1 {
		out = append(out, field{append([]any{}, path...), value})
	}
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			out = append(out, listFields(item, append(append([]any{}, path...), key))...)
		}
	case []any:
		for i, item := range v {
			out = append(out, listFields(item, append(append([]any{}, path...), i))...)
		}
	}
	return out
}

// listMeddlings returns the ways to change a field of a live object. Each reports whether
// it found the field.
func (f field) listMeddlings() map[string]func(map[string]any) bool {
	out := map[string]func(map[string]any) bool{
		"removing": func(live map[string]any) bool { return f.setValue(live, nil, true) },
	}
	switch v := f.value.(type) {
	case string:
		out["changing"] = func(live map[string]any) bool { return f.setValue(live, v+"0", false) }
	case bool:
		out["changing"] = func(live map[string]any) bool { return f.setValue(live, !v, false) }
	case float64:
		out["changing"] = func(live map[string]any) bool { return f.setValue(live, int64(v)+1, false) }
	case []any:
		out["adding to"] = func(live map[string]any) bool {
			return f.setValue(live, append(runtime.DeepCopyJSONValue(toIntegers(v)).([]any), otherItem(firstItem(v))), false)
		}
	case map[string]any:
		out["adding to"] = func(live map[string]any) bool {
			grown := toIntegers(v).(map[string]any)
			grown["intruder"] = "was-here"
			return f.setValue(live, grown, false)
		}
	}
	return out
}

// otherItem is a list item like the given one under another key.
func otherItem(item any) any {
	switch v := item.(type) {
	case string:
		return v + "0"
	case map[string]any:
		out := runtime.DeepCopyJSON(toIntegers(v).(map[string]any))
		for _, key := range []string{"name", "mountPath", "topologyKey", "uid", "key"} {
			if text, ok := out[key].(string); ok {
				out[key] = text + "0"
			}
		}
		for _, key := range []string{"containerPort", "port"} {
			if n, ok := out[key].(int64); ok {
				out[key] = n + 1
			}
		}
		return out
	}
	return item
}

// toIntegers is a value with whole numbers as unstructured objects hold them.
func toIntegers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			out[key] = toIntegers(item)
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, toIntegers(item))
		}
		return out
	case float64:
		return int64(v)
	}
	return value
}

// setValue writes or removes the field in a live object.
func (f field) setValue(live map[string]any, value any, remove bool) bool {
	var at any = live
	for _, step := range f.path[:len(f.path)-1] {
		if at = childOf(at, step); at == nil {
			return false
		}
	}
	switch last := f.path[len(f.path)-1].(type) {
	case string:
		m, ok := at.(map[string]any)
		if !ok {
			return false
		}
		if remove {
			delete(m, last)
		} else {
			m[last] = value
		}
		return true
	case int:
		return f.setItem(live, at, last, value, remove)
	}
	return false
}

// setItem writes or removes an item of a list, which the list's own parent holds.
func (f field) setItem(live map[string]any, list any, i int, value any, remove bool) bool {
	items, ok := list.([]any)
	if !ok || i >= len(items) {
		return false
	}
	if !remove {
		items[i] = value
		return true
	}
	parent := field{path: f.path[:len(f.path)-1]}
	return parent.setValue(live, append(append([]any{}, items[:i]...), items[i+1:]...), false)
}

func childOf(at, step any) any {
	switch s := step.(type) {
	case string:
		if m, ok := at.(map[string]any); ok {
			return m[s]
		}
	case int:
		if l, ok := at.([]any); ok && s < len(l) {
			return l[s]
		}
	}
	return nil
}
