package expand

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/expand"
)

// printObjects writes the objects: one after another as YAML and as names, as one List
// in all other formats, because these are one document.
func (o *options) printObjects(plan []client.Object) error {
	objects := make([]runtime.Object, len(plan))
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List"}}
	for i, child := range plan {
		u, err := expand.Encode(child)
		if err != nil {
			return fmt.Errorf("print %s: %w", child.GetName(), err)
		}
		objects[i] = u
		list.Items = append(list.Items, *u)
	}
	switch o.format.Name() {
	case "", "yaml", "kyaml", "name":
		return output.Print(o.printer, o.env.Streams.Out, objects...)
	default:
		return output.Print(o.printer, o.env.Streams.Out, list)
	}
}
