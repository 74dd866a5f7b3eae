package admission_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	hooks "gati.dev/gati/pkg/webhook/admission"
)

var shop = facts.Facts{Namespace: "default", NamespaceImage: "shop:v1", HTTPRouteServed: true}

// source answers with facts, or an error.
type source struct {
	facts facts.Facts
	err   error
}

func (s source) For(context.Context, string) (facts.Facts, error) { return s.facts, s.err }

func (s source) Ending(_ context.Context, namespace string) (bool, error) {
	return namespace == "ending", s.err
}

var (
	knows = source{facts: shop}
	down  = source{err: errors.New("the API server is down")}
)

// request is an admission request: a create without old, else an update.
func request(t testing.TB, obj, old client.Object) admission.Request {
	t.Helper()
	out := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Kind:      metav1.GroupVersionKind{Group: v1.Group, Version: "v1", Kind: obj.GetObjectKind().GroupVersionKind().Kind},
		Namespace: "default", Name: obj.GetName(), Operation: admissionv1.Create, Object: raw(t, obj),
	}}
	if old != nil {
		out.Operation, out.OldObject = admissionv1.Update, raw(t, old)
	}
	return out
}

func raw(t testing.TB, obj client.Object) runtime.RawExtension {
	t.Helper()
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return runtime.RawExtension{Raw: text}
}

func deleted(h *v1.GatiHandler) *v1.GatiHandler {
	now := metav1.Now()
	h.DeletionTimestamp, h.Finalizers = &now, []string{"x"}
	return h
}

func annotated(v *v1.GatiVersion) *v1.GatiVersion {
	v.Annotations = map[string]string{v1.AnnotationPlan: "made-up"}
	return v
}

func TestMutate(t *testing.T) {
	handler := func() *builders.Handler { return builders.MakeHandler("a").Path("/a") }
	hash := expand.HandlerInputs(&handler().Obj().Spec, shop)
	const whole, one = "/metadata/annotations", "/metadata/annotations/gati.dev~1plan"
	tests := map[string]struct {
		facts    source
		obj, old client.Object

		wantPath  string
		wantValue any
	}{
		"a create, no annotations":         {knows, handler().Obj(), nil, whole, map[string]any{v1.AnnotationPlan: hash}},
		"a create, with annotations":       {knows, handler().Annotation("x", "y").Obj(), nil, one, hash},
		"a create, somebody else's hash":   {knows, handler().Annotation(v1.AnnotationPlan, "made-up").Obj(), nil, one, hash},
		"a create, the right hash":         {knows, handler().Annotation(v1.AnnotationPlan, hash).Obj(), nil, "", nil},
		"a module":                         {knows, builders.MakeModule("m").Obj(), nil, whole, map[string]any{v1.AnnotationPlan: expand.ModuleInputs(&builders.MakeModule("m").Obj().Spec, shop)}},
		"a record has no plan":             {knows, builders.MakeVersion("r").Handler("a").Version("v1").Obj(), nil, "", nil},
		"an update of the spec":            {knows, handler().Annotation("x", "y").Obj(), handler().Port(1).Annotation("x", "y").Obj(), one, hash},
		"an update of something else":      {knows, handler().Label("x", "y").Obj(), handler().Obj(), "", nil},
		"the spec stays, the hash was off": {knows, handler().Annotation(v1.AnnotationPlan, "made-up").Obj(), handler().Obj(), "", nil},
		"the spec stays, an older hash":    {knows, handler().Annotation(v1.AnnotationPlan, "older").Obj(), handler().Annotation(v1.AnnotationPlan, hash).Obj(), one, hash},
		"the spec stays, no hash any more": {knows, handler().Obj(), handler().Annotation(v1.AnnotationPlan, hash).Obj(), whole, map[string]any{v1.AnnotationPlan: hash}},
		"a record, whatever it carries":    {knows, builders.MakeVersion("r").Handler("a").Version("v1").Obj(), annotated(builders.MakeVersion("r").Handler("a").Version("v1").Obj()), "", nil},
		"being deleted":                    {knows, deleted(handler().Port(1).Obj()), deleted(handler().Obj()), "", nil},
		"faulty: the validator says it":    {knows, builders.MakeHandler("a").Path("a").Obj(), nil, "", nil},
		"no facts: the validator says it":  {down, handler().Obj(), nil, "", nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			req := request(t, tc.obj, tc.old)
			got := (&hooks.Mutator{Facts: tc.facts}).Handle(t.Context(), req)
			if !got.Allowed {
				t.Fatalf("refused: %v", got.Result)
			}
			if tc.wantPath == "" {
				if len(got.Patches) > 0 {
					t.Errorf("patches %v", got.Patches)
				}
				return
			}
			if len(got.Patches) != 1 || got.Patches[0].Operation != "add" || got.Patches[0].Path != tc.wantPath {
				t.Fatalf("patches %v, want one at %s", got.Patches, tc.wantPath)
			}
			if diff := cmp.Diff(tc.wantValue, got.Patches[0].Value); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			req.Object.Raw = patched(t, req.Object.Raw, got.Patches)
			if again := (&hooks.Mutator{Facts: tc.facts}).Handle(t.Context(), req); len(again.Patches) > 0 {
				t.Errorf("a second pass patches %v", again.Patches)
			}
		})
	}
}

// patched applies a patch as the API server does, and holds that it adds the
// annotation and touches nothing else.
func patched(t *testing.T, object []byte, patches any) []byte {
	t.Helper()
	text, err := json.Marshal(patches)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	out, err := patch.Apply(object)
	if err != nil {
		t.Fatal(err)
	}
	var before, after map[string]any
	for into, from := range map[*map[string]any][]byte{&before: object, &after: out} {
		if err := json.Unmarshal(from, into); err != nil {
			t.Fatal(err)
		}
		meta := (*into)["metadata"].(map[string]any)
		if annotations, ok := meta["annotations"].(map[string]any); ok {
			delete(annotations, v1.AnnotationPlan)
			if len(annotations) == 0 {
				delete(meta, "annotations")
			}
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the patch changes more than the annotation:\n%s", diff)
	}
	return out
}

func TestValidate(t *testing.T) {
	handler := func() *builders.Handler { return builders.MakeHandler("a").Path("/a").Image("i:v1") }
	faulty := func() *builders.Handler { return handler().Path("a").Port(0) }
	unnamed := faulty().Obj()
	unnamed.Name, unnamed.GenerateName = "", "users-"
	tests := map[string]struct {
		facts    source
		obj, old client.Object
		change   func(*admission.Request)

		wantCode     int32
		wantCauses   []string
		wantMessage  string
		wantWarnings []string
		wantVerdict  string
	}{
		"good":                   {facts: knows, obj: handler().Obj(), wantCode: 200, wantVerdict: "admitted"},
		"faulty":                 {facts: knows, obj: faulty().Obj(), wantCode: 422, wantCauses: []string{"spec.path", "spec.port"}, wantMessage: `GatiHandler.gati.dev "a" is invalid: `, wantVerdict: "refused"},
		"faulty, not named yet":  {facts: knows, obj: unnamed, wantCode: 422, wantCauses: []string{"spec.path", "spec.port"}, wantMessage: `GatiHandler.gati.dev "users-" is invalid: `, wantVerdict: "refused"},
		"no image":               {facts: source{facts: facts.Facts{Namespace: "default"}}, obj: handler().Image("").Obj(), wantCode: 422, wantCauses: []string{"spec.image"}, wantMessage: "kubectl annotate namespace default gati.dev/image=<image>", wantVerdict: "refused"},
		"a missing module":       {facts: knows, obj: handler().Modules("there", "gone").Obj(), wantCode: 200, wantWarnings: []string{"spec.modules[1]: there is no GatiModule gone in this namespace yet"}, wantVerdict: "admitted"},
		"a missing handler":      {facts: knows, obj: builders.MakeVersion("r").Handler("gone").Version("v1").Obj(), wantCode: 200, wantWarnings: []string{"spec.handler: there is no GatiHandler gone in this namespace yet"}, wantVerdict: "admitted"},
		"a fault that was there": {facts: knows, obj: handler().Port(0).Replicas(2).Obj(), old: handler().Port(0).Obj(), wantCode: 200, wantWarnings: []string{"spec.port: "}, wantVerdict: "admitted"},
		"a fault that is new":    {facts: knows, obj: handler().Port(0).Path("a").Obj(), old: handler().Port(0).Obj(), wantCode: 422, wantCauses: []string{"spec.path"}, wantWarnings: []string{"spec.port: "}, wantVerdict: "refused"},
		"the spec stays":         {facts: down, obj: faulty().Label("x", "y").Obj(), old: faulty().Obj(), wantCode: 200},
		"being deleted":          {facts: down, obj: deleted(faulty().Obj()), old: deleted(handler().Obj()), wantCode: 200},
		"a deletion": {facts: down, obj: faulty().Obj(), change: func(r *admission.Request) {
			r.Operation, r.OldObject, r.Object = admissionv1.Delete, r.Object, runtime.RawExtension{}
		}, wantCode: 200},
		"the status":                {facts: down, obj: faulty().Obj(), old: handler().Obj(), change: func(r *admission.Request) { r.SubResource = "status" }, wantCode: 200},
		"no facts":                  {facts: down, obj: handler().Obj(), wantCode: 503, wantMessage: "the API server is down"},
		"no JSON":                   {facts: knows, obj: handler().Obj(), change: func(r *admission.Request) { r.Object.Raw = []byte("{") }, wantCode: 400},
		"another kind":              {facts: knows, obj: handler().Obj(), change: func(r *admission.Request) { r.Kind.Kind = "Pod" }, wantCode: 400, wantMessage: `kind "Pod" is none of gati.dev`},
		"an update, no JSON before": {facts: knows, obj: handler().Obj(), old: handler().Obj(), change: func(r *admission.Request) { r.OldObject.Raw = []byte("{") }, wantCode: 400},
	}
	reader := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(builders.MakeModule("there").Obj()).Build()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			req := request(t, tc.obj, tc.old)
			if tc.change != nil {
				tc.change(&req)
			}
			got := (&hooks.Validator{Facts: tc.facts, Live: reader}).Handle(t.Context(), req)
			if got.Result.Code != tc.wantCode || got.Allowed != (tc.wantCode == http.StatusOK) {
				t.Fatalf("code %d, want %d: %s", got.Result.Code, tc.wantCode, got.Result.Message)
			}
			if !strings.Contains(got.Result.Message, tc.wantMessage) || got.AuditAnnotations["verdict"] != tc.wantVerdict {
				t.Errorf("message %q, audit annotations %v", got.Result.Message, got.AuditAnnotations)
			}
			if diff := cmp.Diff(tc.wantCauses, causes(got), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("causes (-want +got):\n%s", diff)
			}
			if len(got.Warnings) != len(tc.wantWarnings) {
				t.Fatalf("warnings %q, want %q", got.Warnings, tc.wantWarnings)
			}
			for i, want := range tc.wantWarnings {
				if !strings.HasPrefix(got.Warnings[i], want) {
					t.Errorf("warning %q, want %q", got.Warnings[i], want)
				}
			}
		})
	}
}

func causes(r admission.Response) []string {
	if r.Result.Details == nil {
		return nil
	}
	if r.Result.Reason != metav1.StatusReasonInvalid || r.Result.Details.Kind != "GatiHandler" || r.Result.Details.Group != v1.Group {
		return []string{fmt.Sprintf("%+v", r.Result)}
	}
	var out []string
	for _, c := range r.Result.Details.Causes {
		out = append(out, c.Field)
	}
	return out
}

// The API server passes on only so much.
func TestWarningsAreFewAndShort(t *testing.T) {
	h := builders.MakeHandler("a").Path("/a").Image("i:v1")
	for i := range 12 {
		h.Spec(func(s *v1.GatiHandlerSpec) {
			s.Modules = append(s.Modules, v1.ObjectName(fmt.Sprintf("%s%02d", strings.Repeat("m", 38), i)))
		})
	}
	reader := fake.NewClientBuilder().WithScheme(scheme(t)).Build()
	got := (&hooks.Validator{Facts: knows, Live: reader}).Handle(t.Context(), request(t, h.Obj(), nil))
	if len(got.Warnings) != 5 || got.Warnings[4] != "and 8 more; kubectl gati expand shows all" {
		t.Errorf("warnings %q", got.Warnings)
	}
	for _, w := range got.Warnings {
		if len([]rune(w)) > 120 {
			t.Errorf("%d characters: %s", len([]rune(w)), w)
		}
	}
}

// What cannot be read counts as there: a warning must be true.
func TestUnreadableReferencesAreNoWarnings(t *testing.T) {
	reader := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme(t)).Build(), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("no")
		},
	})
	h := builders.MakeHandler("a").Image("app:v1").Modules("m").Obj()
	got := (&hooks.Validator{Facts: knows, Live: reader}).Handle(t.Context(), request(t, h, nil))
	if !got.Allowed || len(got.Warnings) > 0 {
		t.Errorf("allowed %v with %q", got.Allowed, got.Warnings)
	}
}

func scheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	if err := v1.AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	return s
}
