package version

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
)

// printAs prints a document in one of kubectl's formats; -o name prints the records.
func printAs(e *env.Env, format *output.Format, printer printers.ResourcePrinter, document any, names ...runtime.Object) error {
	if format.Name() == "name" {
		return output.Print(printer, e.Streams.Out, names...)
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(document)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return output.Print(printer, e.Streams.Out, &unstructured.Unstructured{Object: object})
}

// recordObjects returns the GatiVersions of a snapshot for -o name.
func recordObjects(s model.Snapshot) []runtime.Object {
	var out []runtime.Object
	for _, h := range s.Handlers {
		for _, v := range h.Versions {
			if v.Record != nil {
				out = append(out, namedObject(v.Record.Namespace, v.Record.Name))
			}
		}
	}
	return out
}

func namedObject(namespace, name string) runtime.Object {
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	o.SetGroupVersionKind(v1.GroupVersion.WithKind("GatiVersion"))
	return o
}
