package diff

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/target/kubernetes"
)

func (o *options) printReport(r *Report) error {
	switch {
	case o.format.Name() == "name":
		return output.Print(o.printer, o.env.Streams.Out, childNames(r)...)
	case o.printer != nil:
		document, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r)
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return output.Print(o.printer, o.env.Streams.Out, &unstructured.Unstructured{Object: document})
	}
	for i := range r.Items {
		if err := o.printItem(&r.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// childNames are the children that differ, as kubectl names them.
func childNames(r *Report) []runtime.Object {
	var out []runtime.Object
	for _, item := range r.Items {
		for _, c := range item.Changes {
			kind, group, _ := strings.Cut(c.Kind, ".")
			o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: item.Namespace, Name: c.Name}}
			o.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Kind: kind})
			out = append(out, o)
		}
	}
	return out
}

// printItem writes the differences like "diff -u", and the rollout beside them.
func (o *options) printItem(item *Item) error {
	title := map[string]string{"GatiHandler": "gh/", "GatiModule": "gm/"}[item.Kind] + item.Name
	verdict := "nothing changes"
	if n := len(item.Changes); n == 1 {
		verdict = "1 child changes"
	} else if n > 1 {
		verdict = fmt.Sprintf("%d children change", n)
	}
	if item.Note != "" {
		verdict += "; " + item.Note
	}
	fmt.Fprintf(o.env.Streams.ErrOut, "%s: %s\n", title, output.Line(verdict))
	for _, c := range item.Changes {
		if err := o.printChange(item, c); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) printChange(item *Item, c Change) error {
	name := strings.ToLower(c.Kind) + "/" + c.Name
	before, after := "live/"+name, "applied/"+name
	if c.Action == kubernetes.Create {
		before = "/dev/null"
	}
	if c.Action == kubernetes.Delete {
		after = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", o.painter.Paint(output.Bold, fmt.Sprintf("%s %s -n %s", strings.ToLower(string(c.Action)), name, item.Namespace)))
	if c.Problem != "" {
		fmt.Fprintf(&b, "! %s\n", output.Line(c.Problem))
	}
	was, err := encodeYAML(c.Before)
	if err != nil {
		return err
	}
	is, err := encodeYAML(c.After)
	if err != nil {
		return err
	}
	o.writeUnified(&b, udiff.Unified(before, after, was, is))
	_, err = fmt.Fprint(o.env.Streams.Out, b.String())
	return err
}

// writeUnified writes a unified diff in the colours of git: its first two lines
// name the files and have none.
func (o *options) writeUnified(b *strings.Builder, text string) {
	number := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if number++; number > 2 {
			line = o.paintLine(line)
		}
		b.WriteString(line + "\n")
	}
}

func (o *options) paintLine(line string) string {
	switch line[0] {
	case '@':
		return o.painter.Paint(output.Faint, line)
	case '+':
		return o.painter.Paint(output.Good, line)
	case '-':
		return o.painter.Paint(output.Bad, line)
	default:
		return line
	}
}
