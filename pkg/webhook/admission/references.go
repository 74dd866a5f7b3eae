package admission

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
)

// References looks for the objects that another one names. What is missing is a
// warning, never a refusal: GitOps applies in any order, and a condition tells
// the truth later.
type References struct {
	// Reader asks the API server: the cache may not show yet what was applied a
	// moment ago, in the same file.
	Reader client.Reader
}

// Missing returns a sentence for each object that is named and not there. An
// object that cannot be read counts as there.
func (r References) Missing(ctx context.Context, obj client.Object) []string {
	var out []string
	look := func(kind, name, field string, into client.Object) {
		key := client.ObjectKey{Namespace: obj.GetNamespace(), Name: name}
		if err := r.Reader.Get(ctx, key, into); client.IgnoreNotFound(err) == nil && err != nil {
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
			look("GatiHandler", name, "spec.handler", &v1.GatiHandler{})
		}
	}
	return out
}
