package adopt

import (
	"bytes"
	"errors"
	"fmt"

	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/admit/crd"
	"gati.dev/gati/pkg/admit/offline"
	"gati.dev/gati/pkg/adopt"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/facts"
)

// print writes the handler as data, and beside it what it does not take over.
func (o *options) print(a adopt.Adoption) error {
	text, err := writeHandler(a)
	if err != nil {
		return err
	}
	if _, err := output.Data(o.env.Streams.Out).Write(text); err != nil {
		return err
	}
	o.printItems(a.Items, "Not carried over:", false)
	o.printItems(a.Items, "In addition, its pods have:", true)
	return checkHandler(text, a.Handler.Namespace)
}

// writeHandler returns the handler as YAML, without the status that only the controller
// writes.
func writeHandler(a adopt.Adoption) ([]byte, error) {
	return output.YAML(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   any    `json:"metadata"`
		Spec       any    `json:"spec"`
	}{a.Handler.APIVersion, a.Handler.Kind, a.Handler.ObjectMeta, a.Handler.Spec})
}

func (o *options) printItems(items []adopt.Item, title string, added bool) {
	for _, i := range items {
		if i.IsAdded() != added {
			continue
		}
		if title != "" {
			fmt.Fprintf(o.env.Streams.ErrOut, "\n%s\n", title)
			title = ""
		}
		value := i.Theirs
		switch {
		case added:
			value = i.Ours
		case i.Ours != "":
			value += ", becomes " + i.Ours
		}
		fmt.Fprintln(o.env.Streams.ErrOut, output.Line(fmt.Sprintf("  %s %s: %s", i.Object, i.Field, value)))
		fmt.Fprintln(o.env.Streams.ErrOut, output.Line("    why: "+i.Why))
		fmt.Fprintln(o.env.Streams.ErrOut, output.Line("    do:  "+i.Do))
	}
}

// checkHandler returns what an apply of the handler would be refused for.
func checkHandler(text []byte, namespace string) error {
	schemas, err := crd.Shipped()
	if err != nil {
		return err
	}
	docs, err := admit.Split(bytes.NewReader(text), "the handler")
	if err != nil {
		return err
	}
	var faults []error
	f := facts.Facts{Namespace: namespace, HTTPRouteServed: true}
	for _, found := range offline.Check(&docs[0], nil, schemas, admit.Surroundings{Facts: f}) {
		if found.Severity == offline.Error {
			faults = append(faults, fmt.Errorf("the handler would be refused: %s: %s", found.Field, found.Message))
		}
	}
	if len(faults) > 0 {
		return exit.With(exit.Unhealthy, errors.Join(faults...))
	}
	return nil
}
