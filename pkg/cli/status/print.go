package status

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
)

// printSnapshot writes the snapshot in the requested format.
func (o *options) printSnapshot(s model.Snapshot) error {
	switch {
	case o.format.Name() == "name":
		return output.Print(o.printer, o.env.Streams.Out, objectNames(s)...)
	case o.printer != nil:
		document, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&s)
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return output.Print(o.printer, o.env.Streams.Out, &unstructured.Unstructured{Object: document})
	case len(o.scope.Refs) == 1:
		return o.printNamed(s)
	default:
		return o.printTable(s)
	}
}

// objectNames returns the handlers and modules for -o name.
func objectNames(s model.Snapshot) []runtime.Object {
	var out []runtime.Object
	for _, item := range s.Items() {
		o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: item.Namespace, Name: item.Name}}
		o.SetGroupVersionKind(v1.GroupVersion.WithKind(item.Kind))
		out = append(out, o)
	}
	return out
}

// warnUnread names the lists that could not be read.
func (o *options) warnUnread(s model.Snapshot) {
	for _, u := range s.Unread {
		fmt.Fprintf(o.env.Streams.ErrOut, "warning: %s could not be read: %s\n", u.Resource, output.Line(u.Reason))
	}
}

// colorOf is the colour of a health.
func colorOf(h model.Health) output.Color {
	switch h {
	case model.Healthy:
		return output.Good
	case model.Progressing, model.Deleting, model.Paused:
		return output.Busy
	default:
		return output.Bad
	}
}
