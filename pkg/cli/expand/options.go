package expand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/manifest"
	"gati.dev/gati/pkg/cli/output"
)

// options are the command's flags and what follows from them.
type options struct {
	env      *env.Env
	pipeline pipeline
	format   *output.Format
	files    manifest.Files
	image    string
	target   string

	printer printers.ResourcePrinter
}

func newOptions(e *env.Env, p pipeline) *options {
	return &options{env: e, pipeline: p, format: output.NewFormat()}
}

func (o *options) completeOptions(names []string) (err error) {
	switch {
	case len(names) > 0 && o.files.Any():
		return exit.Usagef("a name and -f cannot be combined")
	case len(names) == 0 && !o.files.Any():
		return exit.Usagef("specify a file, a directory or - with -f, or the name of an object in the cluster")
	}
	switch {
	case o.target == v1.TargetHelm && o.format.Name() == "":
		return exit.Usagef("--target helm writes charts; specify their directory with -o DIR")
	case o.target == v1.TargetHelm:
		return nil
	case o.target != v1.TargetKubernetes:
		return exit.Usagef("unknown target %q; the targets are kubernetes, helm", o.target)
	}
	if o.printer, err = o.format.Printer(); err != nil {
		return err
	}
	if o.printer == nil {
		o.printer = &printers.YAMLPrinter{}
	}
	return nil
}

func (o *options) runExpand(ctx context.Context, names []string) error {
	expand := o.expandFiles
	if len(names) > 0 {
		expand = func(ctx context.Context) ([]client.Object, error) { return o.expandStored(ctx, names) }
	}
	plan, err := expand(ctx)
	if err != nil {
		return err
	}
	if o.target == v1.TargetHelm {
		return o.writeCharts(plan)
	}
	return o.printObjects(plan)
}

// expandFiles returns the children of the files' documents.
func (o *options) expandFiles(ctx context.Context) ([]client.Object, error) {
	var docs []document
	var faults []error
	err := o.files.Each(o.env.Streams.In, func(source string, r io.Reader) error {
		read, err := o.pipeline.decode(r, source)
		if err != nil {
			faults = append(faults, err)
		}
		docs = append(docs, read...)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	var plan []client.Object
	ours := 0
	for _, doc := range docs {
		if doc.foreign {
			continue
		}
		ours++
		children, wrong := o.expandDocument(doc)
		plan, faults = append(plan, children...), append(faults, wrong...)
	}
	switch {
	case len(faults) > 0:
		return nil, exit.With(exit.Unhealthy, errors.Join(faults...))
	case ours == 0:
		return nil, fmt.Errorf("no GatiHandler, GatiModule or GatiVersion found in %s", &o.files)
	}
	return plan, nil
}

// expandDocument runs one document through the pipeline. A fault names the file, the
// document in it, the object and the field.
func (o *options) expandDocument(doc document) ([]client.Object, []error) {
	if namespace := o.env.GivenNamespace(); doc.object.GetNamespace() == "" {
		doc.object.SetNamespace(namespace)
	}
	r := o.pipeline.run(doc.object, o.image)
	for _, w := range r.warnings {
		fmt.Fprintf(o.env.Streams.ErrOut, "warning: %s: %s\n", doc.position(), w)
	}
	var faults []error
	for _, e := range r.errors {
		faults = append(faults, fmt.Errorf("%s: %w", doc.position(), e))
	}
	return r.plan, faults
}

// position returns the place of an object, with its kind and name.
func (d document) position() string {
	kind := d.object.GetObjectKind().GroupVersionKind().Kind
	title := strings.TrimSpace(kind + " " + cmp.Or(d.object.GetName(), "without a name"))
	return fmt.Sprintf("%s:%d: %s", d.source, d.line, title)
}
