package ask

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/status"
)

// answerList is the JSON form of several answers: kind RequestList, cli.gati.dev/v1.
type answerList struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Items      []Answer `json:"items"`
}

// printAnswers writes the answers. Refusals and missing answers are errors only.
func (o *Options) printAnswers(all []*asked) error {
	answers := receivedAnswers(all)
	switch {
	case o.format.Name() == "name":
		for _, a := range answers {
			h := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: a.Namespace, Name: a.Handler}}
			h.SetGroupVersionKind(v1.GroupVersion.WithKind(status.KindHandler))
			if err := output.Print(o.printer, o.env.Streams.Out, h); err != nil {
				return err
			}
		}
		return nil
	case o.printer == nil:
		return o.printTable(answers)
	case len(answers) == 0:
		return nil
	}
	var document any = &answerList{status.APIVersion, "RequestList", answers}
	if len(answers) == 1 {
		document = &answers[0]
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(document)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return output.Print(o.printer, o.env.Streams.Out, &unstructured.Unstructured{Object: content})
}

// receivedAnswers returns the answers that came.
func receivedAnswers(all []*asked) []Answer {
	var out []Answer
	for _, a := range all {
		if a.err == nil {
			out = append(out, a.Answer)
		}
	}
	return out
}

func (o *Options) printTable(answers []Answer) error {
	table := output.Table{}
	for _, a := range answers {
		if a.Refused {
			continue
		}
		name := "gh/" + a.Handler
		change := a.Change
		if change == a.Outcome {
			change = ""
		}
		for _, row := range [][2]string{{name, answerHeadline(a)}, {"", change}, {"reason", a.Reason}, {"undo", a.Undo}} {
			if row[1] != "" {
				table.Row(output.Cell{Text: row[0]}, output.Plain(row[1]))
			}
		}
	}
	return table.Write(o.env.Streams.Out, output.Painter{})
}

func answerHeadline(a Answer) string {
	if a.DryRun {
		return a.Request + " requested by " + a.By + " (dry run)"
	}
	return a.Request + ": " + a.Outcome
}
