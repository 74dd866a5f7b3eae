package admission

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/validation"
)

// absentees returns a sentence for each object that is named and not there: a
// warning, never a refusal, for GitOps applies in any order, and a condition tells
// the truth later. An object that cannot be read counts as there. What the watches
// have seen is not asked for; what they have not may have come a moment ago.
func absentees(ctx context.Context, seen, live client.Reader, obj client.Object) []string {
	var out []string
	look := func(kind, name, field string, into client.Object) {
		key := client.ObjectKey{Namespace: obj.GetNamespace(), Name: name}
		if seen != nil && seen.Get(ctx, key, into) == nil {
			return
		}
		if err := live.Get(ctx, key, into); client.IgnoreNotFound(err) == nil && err != nil {
			out = append(out, fmt.Sprintf("%s: there is no %s %s in this namespace yet", field, kind, name))
		}
	}
	switch o := obj.(type) {
	case *v1.GatiHandler:
		for i, name := range o.Spec.Modules {
			look("GatiModule", string(name), fmt.Sprintf("spec.modules[%d]", i), &v1.GatiModule{})
		}
	case *v1.GatiVersion:
		if name := records.NamedHandler(o); name != "" {
			h := &v1.GatiHandler{}
			look("GatiHandler", name, "spec.handler", h)
			if h.Spec.Rollout != nil {
				out = append(out, validation.WarnVersion(o, h.Spec.Rollout.Strategy)...)
			}
		}
	}
	return out
}
