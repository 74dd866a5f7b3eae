package rollout_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/internal/testing/respell"
	"gati.dev/gati/internal/testing/soak"
)

// respelled is an object that is written again and again in other words.
type respelled struct {
	*respell.Speller
	kind, name string
	spec       map[string]any
	isReplaced bool
	// version is that of the API in which it is written next.
	version string
	sent    []byte
}

// TestRespelledSpecsChangeNothing writes random specs in other words: units, durations,
// defaults, empty lists, the order of keys, both versions of the API, by apply and by
// replace. Nothing that Gati has made of them changes, nor the plan at admission.
func TestRespelledSpecsChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.nameImage(respell.NamespaceImage)
	count, rounds := soak.Pick("respelledSpecsChangeNothing", 40, 10), soak.Pick("respelledSpecsChangeNothing", 8, 3)
	var objects []*respelled
	for _, kind := range []string{"GatiHandler", "GatiModule"} {
		for i := range count {
			objects = append(objects, w.newRespelled(kind, i))
		}
	}
	for _, o := range objects {
		o.write(w, o.spec)
	}
	before := w.awaitRest(objects)
	for round := range rounds {
		for i, o := range objects {
			o.version = []string{"v1", "v1alpha1"}[(round+i/2)%2]
			o.write(w, o.Respell(o.spec))
		}
		after := w.awaitDecision(objects)
		for _, o := range objects {
			if was, is := before[o.name], after[o.name]; !maps.Equal(was, is) {
				first, _ := json.Marshal(o.spec)
				t.Errorf("%s %s, round %d:\n%s\nspec\n%s\nwritten as\n%s", o.kind, o.name, round, describeChange(was, is), first, o.sent)
			}
		}
		if t.Failed() {
			return
		}
	}
	w.assertOtherMeaningsShow(objects, before)
}

// assertOtherMeaningsShow holds that what is compared shows an amount, a time or a default
// that a speller gets wrong.
func (w *world) assertOtherMeaningsShow(objects []*respelled, before map[string]map[string]string) {
	w.t.Helper()
	var changed []*respelled
	for kind, faults := range map[string][]string{
		"GatiHandler": {`{"port":3001}`, `{"resources":{"limits":{"memory":"1G"}}}`, `{"healthCheck":{"interval":"61s"}}`, `{"env":[{"name":"HOST","value":"127.0.0.1"}]}`},
		"GatiModule":  {`{"resources":{"limits":{"memory":"1000Mi"}}}`, `{"pod":{"terminationGracePeriodSeconds":31}}`},
	} {
		of := slices.DeleteFunc(slices.Clone(objects), func(o *respelled) bool { return o.kind != kind })
		for i, fault := range faults {
			other := map[string]any{}
			if err := json.Unmarshal([]byte(fault), &other); err != nil {
				w.t.Fatal(err)
			}
			spec := maps.Clone(of[i].spec)
			maps.Copy(spec, other)
			of[i].write(w, spec)
			changed = append(changed, of[i])
		}
	}
	after := w.readWritten()
	for _, o := range changed {
		w.eventually("another plan of "+o.name, func() error {
			after = w.readWritten()
			if was, is := before[o.name], after[o.name]; was["plan"] == is["plan"] || maps.Equal(was, is) {
				return fmt.Errorf("written as %s", o.sent)
			}
			return nil
		})
	}
}

func (w *world) nameImage(image string) {
	w.t.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1.AnnotationImage, image)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.ns}}
	if err := admin.Patch(w.t.Context(), ns, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		w.t.Fatal(err)
	}
}

// newRespelled returns a random object with a route of its own, if it has one.
func (w *world) newRespelled(kind string, i int) *respelled {
	w.t.Helper()
	o := &respelled{
		Speller: respell.New(w.t, kind, int64(i)), kind: kind, isReplaced: i%2 == 1, version: "v1",
		name: fmt.Sprintf("%s-%d", strings.ToLower(strings.TrimPrefix(kind, "Gati")), i),
	}
	o.NoEmptyObjects, o.spec = !o.isReplaced, o.Spec()
	if kind == "GatiHandler" {
		o.spec["path"] = "/" + o.name
		if route, has := o.spec["route"].(map[string]any); has {
			route["parentRefs"] = []any{map[string]any{"name": w.gateway}}
		}
	}
	return o
}

// write stores a spec as kubectl apply or kubectl replace would.
func (o *respelled) write(w *world, spec map[string]any) {
	w.t.Helper()
	content := map[string]any{
		"apiVersion": v1.GroupVersion.String(), "kind": o.kind, "spec": spec,
		"metadata": map[string]any{"name": o.name, "namespace": w.ns},
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(o.Encode(content)); err != nil {
		w.t.Fatal(err)
	}
	if o.version == v1alpha1.GroupVersion.Version {
		converted, err := v1alpha1.FromV1(obj.Object)
		if err != nil {
			w.t.Fatal(err)
		}
		obj.Object = converted
	}
	o.sent = o.Encode(obj.Object)
	w.reachesWebhook(func() error {
		if !o.isReplaced {
			return admin.Patch(w.t.Context(), obj.DeepCopy(), client.RawPatch(types.ApplyPatchType, o.sent), client.FieldOwner("kubectl"), client.ForceOwnership)
		}
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(obj.GroupVersionKind())
		if err := admin.Get(w.t.Context(), client.ObjectKeyFromObject(obj), live); err != nil {
			return admin.Create(w.t.Context(), obj.DeepCopy(), client.FieldOwner("kubectl-replace"))
		}
		obj.SetResourceVersion(live.GetResourceVersion())
		return admin.Update(w.t.Context(), obj.DeepCopy(), client.FieldOwner("kubectl-replace"))
	})
}

// awaitRest waits until each object is ready and nothing changes any more, and returns what
// was written for each.
func (w *world) awaitRest(objects []*respelled) (written map[string]map[string]string) {
	w.t.Helper()
	w.awaitConditions(objects, "True")
	w.eventually("rest of all objects", func() error {
		before := w.readWritten()
		time.Sleep(time.Second) // What is about to be written has time to come.
		written = w.readWritten()
		for name, was := range before {
			if !maps.Equal(was, written[name]) {
				return errors.New(name + " changes: " + describeChange(was, written[name]))
			}
		}
		return nil
	})
	return written
}

// awaitDecision waits until the controllers have acted on each spec, and returns what is
// written for each then.
func (w *world) awaitDecision(objects []*respelled) map[string]map[string]string {
	w.t.Helper()
	w.awaitConditions(objects, "")
	time.Sleep(time.Second) // What is about to be written has time to come.
	return w.readWritten()
}

// awaitConditions waits until the condition Ready of each object is about its spec, and has
// the status, if there is one.
func (w *world) awaitConditions(objects []*respelled, status string) {
	w.t.Helper()
	for _, o := range objects {
		w.eventually(o.name+" with Ready="+status, func() error {
			obj := &unstructured.Unstructured{}
			obj.SetGroupVersionKind(v1.GroupVersion.WithKind(o.kind))
			if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: o.name}, obj); err != nil {
				return err
			}
			conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
			for _, c := range conditions {
				c := c.(map[string]any)
				if c["type"] == v1.ConditionReady && c["observedGeneration"] == obj.GetGeneration() && (status == "" || c["status"] == status) {
					return nil
				}
			}
			return fmt.Errorf("%v", conditions)
		})
	}
}

// readWritten returns the version of each object that Gati has made, by owner and name, and
// the plan of each owner.
func (w *world) readWritten() map[string]map[string]string {
	w.t.Helper()
	out := map[string]map[string]string{}
	note := func(owner, key, value string) {
		if out[owner] == nil {
			out[owner] = map[string]string{}
		}
		out[owner][key] = value
	}
	for _, list := range []client.ObjectList{
		&appsv1.DeploymentList{}, &appsv1.ReplicaSetList{}, &appsv1.ControllerRevisionList{}, &corev1.ServiceList{}, &corev1.ConfigMapList{},
		&autoscalingv2.HorizontalPodAutoscalerList{}, &policyv1.PodDisruptionBudgetList{}, &networkingv1.NetworkPolicyList{},
		&batchv1.JobList{}, &gatewayv1.HTTPRouteList{}, &v1.GatiVersionList{}, &v1.GatiHandlerList{}, &v1.GatiModuleList{},
	} {
		if err := admin.List(w.t.Context(), list, client.InNamespace(w.ns)); err != nil {
			w.t.Fatal(err)
		}
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			switch o := item.(type) {
			case *v1.GatiHandler:
				notePlan(o, note)
				if o.Status.Plan != nil {
					note(o.Name, "status.plan", fmt.Sprint(*o.Status.Plan))
				}
				for _, v := range o.Status.Versions {
					note(o.Name, "version "+unitTitle(v), fmt.Sprintf("%s %d", v.Phase, v.Weight))
				}
			case *v1.GatiModule:
				notePlan(o, note)
			case *autoscalingv2.HorizontalPodAutoscaler:
				spec, _ := json.Marshal(o.Spec)
				o.ResourceVersion = fmt.Sprintf("%s %s", o.Annotations, spec) // Kubernetes writes its status.
			}
			if o, isChild := item.(client.Object); isChild && o.GetLabels()[v1.LabelManagedBy] == v1.ManagedBy {
				owner := o.GetLabels()[v1.LabelHandler] + o.GetLabels()[v1.LabelModule]
				note(owner, fmt.Sprintf("%T %s", o, o.GetName()), o.GetResourceVersion())
			}
			return nil
		})
	}
	return out
}

func notePlan(o client.Object, note func(owner, key, value string)) {
	note(o.GetName(), "plan", o.GetAnnotations()[v1.AnnotationPlan])
	note(o.GetName(), "children", o.GetAnnotations()[v1.AnnotationChildren])
}

// describeChange has the entries of two maps that differ.
func describeChange(was, is map[string]string) string {
	var out []string
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if was[key] != is[key] {
			out = append(out, fmt.Sprintf("%s: %q, was %q", key, is[key], was[key]))
		}
	}
	return strings.Join(out, "\n")
}
