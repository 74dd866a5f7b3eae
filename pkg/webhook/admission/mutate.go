package admission

import (
	"context"
	"maps"
	"slices"
	"strings"

	"gomodules.xyz/jsonpatch/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
)

// Mutator stamps the plan on a handler or module whose spec a request changes, and
// keeps the stamp where the spec stays. The stamp is advisory, so a fault lets the request
// pass without one: the validator reports it. What the API server would take long to refuse
// by its own schema is refused here, as by the validator, because this hook comes before.
type Mutator struct {
	Facts FactSource
	// Live asks the API server for the revisions that are kept.
	Live client.Reader
	// Pipeline checks an object; its zero value reads each schema anew.
	Pipeline admit.Pipeline
}

var _ admission.Handler = (*Mutator)(nil)

// Handle implements admission.Handler.
func (m *Mutator) Handle(ctx context.Context, req admission.Request) admission.Response {
	if errs := admit.FindCostly(v1.GroupVersion.WithKind(req.Kind.Kind), req.Object.Raw, req.OldObject.Raw); len(errs) > 0 {
		named := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
		return refuseObject(req, named, errs)
	}
	obj, old, err := decodeRequest(req)
	if err != nil || obj.GetDeletionTimestamp() != nil {
		return admission.Allowed("")
	}
	if _, isRecord := obj.(*v1.GatiVersion); isRecord {
		return admission.Allowed("")
	}
	// A file that was read from the cluster carries the stamp of its day, and one that
	// replaces the object none: while the spec stays, the stored one holds.
	var want decide.Stamp
	if sameSpec(obj, old) {
		want = decide.StampOf(old)
	} else {
		want = m.computeStamp(ctx, obj, old)
	}
	if want == decide.StampOf(obj) {
		return admission.Allowed("")
	}
	return admission.Patched("", patchStamp(obj, want)...)
}

// computeStamp returns the stamp of a changed spec, empty where it leads to no plan or
// the plan cannot be known in time.
func (m *Mutator) computeStamp(ctx context.Context, obj, old client.Object) decide.Stamp {
	f, err := m.Facts.For(ctx, obj.GetNamespace())
	if err != nil || ctx.Err() != nil || obj.GetName() == "" {
		return decide.Stamp{}
	}
	var out decide.Stamp
	switch o := obj.(type) {
	case *v1.GatiHandler:
		out, err = m.stampHandler(ctx, o, old, f)
	case *v1.GatiModule:
		out, err = m.stampModule(ctx, o, old, f)
	}
	if err != nil {
		return decide.Stamp{}
	}
	return out
}

func (m *Mutator) stampHandler(ctx context.Context, h *v1.GatiHandler, old client.Object, f facts.Facts) (decide.Stamp, error) {
	stored, _ := old.(*v1.GatiHandler)
	s := decide.Story{Handler: h}
	s.Result, s.Resolved = m.Pipeline.Handler(h, stored, f)
	if err := ctx.Err(); err != nil || s.Result.Hash == "" {
		return decide.Stamp{}, err
	}
	if stored != nil {
		var err error
		if s.Revisions, err = observe.Revisions(ctx, m.Live, stored, v1.LabelHandler); err != nil {
			return decide.Stamp{}, err
		}
	}
	return decide.StampHandler(&s)
}

func (m *Mutator) stampModule(ctx context.Context, module *v1.GatiModule, old client.Object, f facts.Facts) (decide.Stamp, error) {
	stored, _ := old.(*v1.GatiModule)
	s := decide.ModuleStory{Module: module}
	s.Result, s.Resolved = admit.Module(module, stored, f)
	if err := ctx.Err(); err != nil || s.Result.Hash == "" {
		return decide.Stamp{}, err
	}
	if stored != nil {
		var err error
		if s.Revisions, err = observe.Revisions(ctx, m.Live, stored, v1.LabelModule); err != nil {
			return decide.Stamp{}, err
		}
	}
	return decide.StampModule(&s)
}

// patchStamp returns the patch that writes only the stamp: the user's fields are never
// encoded again.
func patchStamp(obj client.Object, want decide.Stamp) []jsonpatch.Operation {
	values := map[string]string{v1.AnnotationPlan: want.Plan, v1.AnnotationChildren: want.Children}
	have := obj.GetAnnotations()
	if have == nil {
		return []jsonpatch.Operation{{Operation: "add", Path: "/metadata/annotations", Value: values}}
	}
	var out []jsonpatch.Operation
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := "/metadata/annotations/" + strings.ReplaceAll(key, "/", "~1")
		now, has := have[key]
		switch value := values[key]; {
		case value == "" && has:
			out = append(out, jsonpatch.Operation{Operation: "remove", Path: path})
		case value != "" && value != now:
			out = append(out, jsonpatch.Operation{Operation: "add", Path: path, Value: value})
		}
	}
	return out
}
