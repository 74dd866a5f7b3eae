package expand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
)

// options are the command's flags and what follows from them.
type options struct {
	env       *env.Env
	pipeline  pipeline
	format    *output.Format
	files     []string
	recursive bool
	image     string

	printer printers.ResourcePrinter
}

func newOptions(e *env.Env, p pipeline) *options {
	return &options{env: e, pipeline: p, format: output.NewFormat()}
}

func (o *options) complete() (err error) {
	if len(o.files) == 0 {
		return exit.Usagef("name a file, a directory or - with -f")
	}
	if o.printer, err = o.format.Printer(); err != nil {
		return err
	}
	if o.printer == nil {
		o.printer = &printers.YAMLPrinter{}
	}
	return nil
}

func (o *options) run(ctx context.Context) error {
	inputs, err := o.inputs()
	if err != nil {
		return err
	}
	var (
		plan   []client.Object
		faults []error
		ours   int
	)
	for _, in := range inputs {
		if err := ctx.Err(); err != nil {
			return err
		}
		docs, err := o.read(in)
		if err != nil {
			faults = append(faults, err)
		}
		for _, doc := range docs {
			if doc.foreign {
				continue
			}
			ours++
			children, wrong := o.expand(doc)
			plan, faults = append(plan, children...), append(faults, wrong...)
		}
	}
	switch {
	case len(faults) > 0:
		return exit.With(exit.Unhealthy, errors.Join(faults...))
	case ours == 0:
		return fmt.Errorf("there is no GatiHandler, GatiModule or GatiVersion in %s", strings.Join(o.files, ", "))
	}
	return o.print(plan)
}

// expand runs one document through the pipeline. A fault names the file, the
// document in it, the object and the field.
func (o *options) expand(doc document) ([]client.Object, []error) {
	if namespace := o.env.GivenNamespace(); doc.object.GetNamespace() == "" {
		doc.object.SetNamespace(namespace)
	}
	r := o.pipeline.run(doc.object, o.image)
	for _, w := range r.warnings {
		fmt.Fprintf(o.env.Streams.ErrOut, "warning: %s: %s\n", doc.place(), w)
	}
	var faults []error
	for _, e := range r.errors {
		faults = append(faults, fmt.Errorf("%s: %w", doc.place(), e))
	}
	return r.plan, faults
}

// place says where an object stands and which it is.
func (d document) place() string {
	kind := d.object.GetObjectKind().GroupVersionKind().Kind
	return fmt.Sprintf("%s:%d: %s", d.source, d.index, strings.TrimSpace(kind+" "+cmp.Or(d.object.GetName(), "without a name")))
}
