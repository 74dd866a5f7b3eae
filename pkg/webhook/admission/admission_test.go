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
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/schema"
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
	stamped := func(h *builders.Handler, s decide.Stamp) *builders.Handler {
		return h.Annotation(v1.AnnotationPlan, s.Plan).Annotation(v1.AnnotationChildren, s.Children)
	}
	right, madeUp, none := stampOf(t, handler().Obj()), decide.Stamp{Plan: "made-up", Children: "Pod/mine"}, decide.Stamp{}
	module := builders.MakeModule("m").Obj()
	moduleStory := decide.ModuleStory{Module: module}
	moduleStory.Result, moduleStory.Resolved = admit.Module(module, nil, shop)
	ofModule, err := decide.StampModule(&moduleStory)
	if err != nil {
		t.Fatal(err)
	}
	unnamed := handler().Obj()
	unnamed.Name, unnamed.GenerateName = "", "users-"
	tests := map[string]struct {
		facts    source
		obj, old client.Object
		want     decide.Stamp
	}{
		"a create, no annotations":          {knows, handler().Obj(), nil, right},
		"a create, with annotations":        {knows, handler().Annotation("x", "y").Obj(), nil, right},
		"a create, a made-up stamp":         {knows, stamped(handler(), madeUp).Obj(), nil, right},
		"a create, half a stamp":            {knows, handler().Annotation(v1.AnnotationPlan, right.Plan).Obj(), nil, right},
		"a create, the right stamp":         {knows, stamped(handler(), right).Obj(), nil, right},
		"a create, not named yet":           {knows, unnamed, nil, none},
		"a module":                          {knows, module, nil, ofModule},
		"an update of the spec":             {knows, handler().Annotation("x", "y").Obj(), handler().Port(1).Annotation("x", "y").Obj(), right},
		"an update of something else":       {knows, handler().Label("x", "y").Obj(), handler().Obj(), none},
		"the spec stays, a stamp made up":   {knows, stamped(handler(), madeUp).Obj(), handler().Obj(), none},
		"the spec stays, an older stamp":    {knows, stamped(handler(), madeUp).Obj(), stamped(handler(), right).Obj(), right},
		"the spec stays, no stamp any more": {knows, handler().Obj(), stamped(handler(), right).Obj(), right},
		"a record, whatever it carries":     {knows, annotated(builders.MakeVersion("r").Handler("a").Version("v1").Obj()), nil, decide.Stamp{Plan: "made-up"}},
		"being deleted":                     {knows, deleted(handler().Port(1).Obj()), deleted(handler().Obj()), none},
		"faulty: the validator reports it":  {knows, builders.MakeHandler("a").Path("a").Obj(), nil, none},
		"faulty, with the stamp of before":  {knows, stamped(builders.MakeHandler("a").Path("a"), right).Obj(), stamped(handler(), right).Obj(), none},
		"no facts: the validator says so":   {down, handler().Obj(), nil, none},
	}
	live := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).Build()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			hook := &hooks.Mutator{Facts: tc.facts, Live: live}
			req := request(t, tc.obj, tc.old)
			got := hook.Handle(t.Context(), req)
			if !got.Allowed {
				t.Fatalf("refused: %v", got.Result)
			}
			if len(got.Patches) > 0 {
				req.Object.Raw = patched(t, req.Object.Raw, got.Patches)
			}
			var after metav1.PartialObjectMetadata
			if err := json.Unmarshal(req.Object.Raw, &after); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, decide.StampOf(&after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again := hook.Handle(t.Context(), req); len(again.Patches) > 0 {
				t.Errorf("a second pass patches %v", again.Patches)
			}
		})
	}
}

func stampOf(t *testing.T, h *v1.GatiHandler) decide.Stamp {
	t.Helper()
	s := decide.Story{Handler: h}
	s.Result, s.Resolved = admit.Handler(h, nil, shop)
	out, err := decide.StampHandler(&s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The template of a kept revision stands in the stamp, and where it cannot be read there is
// no stamp: an older one would speak of another spec.
func TestMutateReadsTheKeptRevisions(t *testing.T) {
	old := builders.MakeHandler("a").Path("/a").UID("u").Annotation(v1.AnnotationPlan, "older").Obj()
	h := builders.MakeHandler("a").Path("/a").Replicas(3).UID("u").Annotation(v1.AnnotationPlan, "older").Obj()
	resolved, _ := defaulting.ResolveHandler(&h.Spec, shop)
	revision := expand.NewHandlerRevision(h, resolved, expand.HandlerInputs(&h.Spec, shop), 1, nil)
	*revision.Template.Spec.TerminationGracePeriodSeconds = 17
	kept, err := expand.HandlerRevisionObject(h, revision)
	if err != nil {
		t.Fatal(err)
	}
	live := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(kept).Build()
	req := request(t, h, old)
	got := (&hooks.Mutator{Facts: knows, Live: live}).Handle(t.Context(), req)
	none := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).Build()
	fresh := (&hooks.Mutator{Facts: knows, Live: none}).Handle(t.Context(), req)
	if len(got.Patches) != 2 || cmp.Equal(got.Patches, fresh.Patches) {
		t.Errorf("patches %s, want another plan than that of a new template: %s", got.Patches, fresh.Patches)
	}
	broken := interceptor.NewClient(live, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("no")
		},
	})
	got = (&hooks.Mutator{Facts: knows, Live: broken}).Handle(t.Context(), req)
	if !got.Allowed || len(got.Patches) != 1 || got.Patches[0].Operation != "remove" {
		t.Errorf("allowed %v, patches %v; want the older stamp removed", got.Allowed, got.Patches)
	}
}

// patched applies a patch as the API server does, and holds that it touches nothing
// but the stamp.
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
			delete(annotations, v1.AnnotationChildren)
			if len(annotations) == 0 {
				delete(meta, "annotations")
			}
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the patch changes more than the stamp:\n%s", diff)
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
		"no facts":                  {facts: down, obj: handler().Obj(), wantCode: 429, wantMessage: "could not be read from the API server; try again: the API server is down", wantVerdict: "busy"},
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
	if r.Result.Details == nil || r.Result.Reason == metav1.StatusReasonTooManyRequests && r.Result.Details.RetryAfterSeconds > 0 {
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
	if len(got.Warnings) != 5 || got.Warnings[4] != "and 8 more; to see all: kubectl gati expand -f FILE" {
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

// TestMutateHeedsItsContext holds that nothing is computed for a caller who has left.
func TestMutateHeedsItsContext(t *testing.T) {
	h := builders.MakeHandler("a").Path("/a").Image("i:v1").Obj()
	h.Spec.Schema = &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(`{}`)}}
	read := 0
	pipeline := admit.Pipeline{Read: func(raw []byte) (*schema.Schema, error) {
		read++
		return schema.Parse(raw)
	}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, want := range []struct{ patches, read int }{{1, 1}, {0, 1}} {
		got := (&hooks.Mutator{Facts: knows, Pipeline: pipeline}).Handle(ctx, request(t, h, nil))
		if !got.Allowed || len(got.Patches) != want.patches || read != want.read {
			t.Errorf("allowed %v, %d patches, %d schemas read; want %+v", got.Allowed, len(got.Patches), read, want)
		}
		cancel()
	}
}
