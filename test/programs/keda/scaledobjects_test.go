package keda

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/crdtest"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	own "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/rollout"
)

// readDocumented returns the handlers and modules of docs/autoscaling.md that KEDA scales.
func readDocumented(t *testing.T) map[string]client.Object {
	t.Helper()
	text, err := os.ReadFile("../../../docs/autoscaling.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]client.Object{}
	for _, part := range strings.Split(string(text), "```yaml\n")[1:] {
		example, _, _ := strings.Cut(part, "```")
		if !strings.Contains(example, "keda:") {
			continue
		}
		var obj client.Object = &v1.GatiHandler{}
		if strings.Contains(example, "kind: GatiModule") {
			obj = &v1.GatiModule{}
		}
		if err := yaml.UnmarshalStrict([]byte(example), obj); err != nil {
			t.Fatalf("%v\n%s", err, example)
		}
		out[obj.GetName()] = obj
	}
	if len(out) < 4 {
		t.Fatalf("%d examples with KEDA, want 4 or more", len(out))
	}
	return out
}

// planChildren returns the plan of an object on a cluster with a Prometheus. live is what is
// there of its workload.
func planChildren(t *testing.T, obj client.Object, live builders.Scaled, idle bool) []client.Object {
	t.Helper()
	obj.SetUID("1")
	f := facts.Facts{RequestRate: facts.RequestRate{
		Server: "http://prometheus:9090", Query: `sum(rate(r{namespace="{{namespace}}",pod=~"{{pods}}"}[1m]))`,
		Authentication: "prometheus", AuthModes: "bearer",
	}}
	switch o := obj.(type) {
	case *v1.GatiHandler:
		r, errs := defaulting.ResolveHandler(&o.Spec, f)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		serving := expand.Workload{
			WorkloadPlan: rollout.WorkloadPlan{Workload: "main", Replicas: r.Scale.Min, Weight: 100, MayIdle: idle},
			Revision:     expand.NewHandlerRevision(o, r, "inputs", 1, nil), Initial: 4, Observed: live.Observed(),
		}
		return expand.Handler(o, r, []expand.Workload{serving}, "main", nil, []int32{3000}).Objects
	case *v1.GatiModule:
		r, errs := defaulting.ResolveModule(o.Name, &o.Spec, f)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		return expand.Module(o, r, expand.NewModuleRevision(o, r, "inputs", nil), nil, []int32{50051}, live.Observed()).Objects
	}
	t.Fatalf("%T", obj)
	return nil
}

// convertScaledObject turns what Gati writes into KEDA's type, and fails on a field that KEDA lacks.
func convertScaledObject(t *testing.T, from *own.ScaledObject) *kedav1alpha1.ScaledObject {
	t.Helper()
	raw, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	out := &kedav1alpha1.ScaledObject{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(out); err != nil {
		t.Fatal(err)
	}
	return out
}

// crdOfKeda reads the CRD in KEDA's module.
func crdOfKeda(t *testing.T) *crdtest.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kedacore/keda/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "config/crd/bases/keda.sh_scaledobjects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := crdtest.Read(raw, "v1alpha1")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// checkAdmission returns what KEDA's CRD and KEDA's admission find wrong with a ScaledObject beside
// other objects.
func checkAdmission(t *testing.T, schema *crdtest.Schema, s *own.ScaledObject, beside ...client.Object) []string {
	t.Helper()
	var out []string
	for _, fault := range schema.Validate(crdtest.Object(t, s), nil) {
		out = append(out, fault.Error())
	}
	no := false
	prepareAdmission(t, beside)
	if _, err := convertScaledObject(t, s).ValidateCreate(&no); err != nil {
		out = append(out, err.Error())
	}
	return out
}

// TestScaledObjects holds the ScaledObjects of each example against KEDA: new ones, beside
// an autoscaler of Gati's that KEDA is to take over, and of a version that may idle.
func TestScaledObjects(t *testing.T) {
	schema := crdOfKeda(t)
	five := int32(5)
	for name, obj := range readDocumented(t) {
		for state, live := range map[string]builders.Scaled{
			"new":        {},
			"taken over": {Replicas: &five, HeldByOther: true, HasAutoscaler: true, HasOwnAutoscaler: true},
			"idle":       {Replicas: &five, HasAutoscaler: true},
		} {
			idle := state == "idle" && name == "by-hours"
			t.Run(name+", "+state, func(t *testing.T) {
				var s *own.ScaledObject
				var beside []client.Object
				for _, child := range planChildren(t, obj.DeepCopyObject().(client.Object), live, idle) {
					switch o := child.(type) {
					case *own.ScaledObject:
						s = o
					case *appsv1.Deployment, *autoscalingv2.HorizontalPodAutoscaler:
						beside = append(beside, o)
					}
				}
				if s == nil {
					t.Fatal("no ScaledObject")
				}
				for _, fault := range checkAdmission(t, schema, s, beside...) {
					t.Error(fault)
				}
			})
		}
	}
}

// TestChecksFindFaults holds that the CRD and the admission of KEDA refuse what they are
// known to refuse.
func TestChecksFindFaults(t *testing.T) {
	schema := crdOfKeda(t)
	tests := map[string]struct {
		spoil func(*own.ScaledObject)
		want  string
	}{
		"crossed bounds": {func(s *own.ScaledObject) { *s.Spec.MinReplicaCount = 99 }, "minReplicaCount must be less than"},
		"no trigger":     {func(s *own.ScaledObject) { s.Spec.Triggers = nil }, "no triggers defined"},
		"no transfer":    {func(s *own.ScaledObject) { s.Annotations = nil }, "is already managed by the hpa"},
		"another name":   {func(s *own.ScaledObject) { s.Spec.Advanced.HorizontalPodAutoscalerConfig.Name = "other" }, "must be specified by name"},
		"idle by CPU": {func(s *own.ScaledObject) {
			s.Spec.Triggers, s.Spec.MinReplicaCount = []own.Trigger{{Type: "cpu", MetricType: "Utilization", Metadata: map[string]string{"value": "70"}}}, new(int32)
		}, "scale to zero doesn't work"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			five := int32(5)
			var s *own.ScaledObject
			var beside []client.Object
			for _, child := range planChildren(t, readDocumented(t)["by-orders"], builders.Scaled{Replicas: &five, HasAutoscaler: true, HasOwnAutoscaler: true}, false) {
				switch o := child.(type) {
				case *own.ScaledObject:
					s = o
				case *appsv1.Deployment, *autoscalingv2.HorizontalPodAutoscaler:
					beside = append(beside, o)
				}
			}
			tc.spoil(s)
			if got := strings.Join(checkAdmission(t, schema, s, beside...), "\n"); !strings.Contains(got, tc.want) {
				t.Errorf("%q, want %q in it", got, tc.want)
			}
		})
	}
}

// TestTakenMeansKeda holds the constants that Gati shares with KEDA.
func TestTakenMeansKeda(t *testing.T) {
	if own.AnnotationTransfer != kedav1alpha1.ScaledObjectTransferHpaOwnershipAnnotation {
		t.Errorf("the annotation is %s", own.AnnotationTransfer)
	}
	yes := true
	a := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "a", OwnerReferences: []metav1.OwnerReference{{
		APIVersion: kedav1alpha1.SchemeGroupVersion.String(), Kind: "ScaledObject", Name: "a", Controller: &yes,
	}}}}
	if !own.IsTaken(a) {
		t.Error("an autoscaler of KEDA is not known as such")
	}
}
