package lint

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/admit/crd"
	"gati.dev/gati/pkg/admit/offline"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/manifest"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/facts"
)

// options are the command's flags and what follows from them.
type options struct {
	env    *env.Env
	format *output.Format
	color  output.ColorFlag
	files  manifest.Files
	before []string
	image  string
	strict bool

	printer printers.ResourcePrinter
	painter output.Painter
}

func newOptions(e *env.Env) *options {
	return &options{env: e, format: output.NewFormat()}
}

func (o *options) completeOptions() (err error) {
	if err := o.files.Check(); err != nil {
		return err
	}
	if o.files.ReadsStdin() && slices.Contains(o.before, "-") {
		return exit.Usagef("standard input can be read once: -f or --before may be -, not both")
	}
	if o.printer, err = o.format.Printer(); err != nil {
		return err
	}
	o.painter, err = o.color.Painter(o.env.Streams.Out)
	return err
}

func (o *options) runLint(ctx context.Context) error {
	set, err := o.files.Read(o.env.Streams.In)
	if err != nil {
		return err
	}
	docs, err := set.Ours(&o.files)
	if err != nil {
		return err
	}
	stored, err := o.readBefore()
	if err != nil {
		return err
	}
	all := o.recordsOf(docs, stored.objects)
	schemas, err := crd.Shipped()
	if err != nil {
		return err
	}
	found := newReport(len(docs))
	for _, err := range set.Broken {
		found.addUnread(err)
	}
	for i := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		found.addFindings(&docs[i], o.checkDocument(set, &docs[i], stored, all, schemas))
	}
	if err := o.printReport(found); err != nil {
		return err
	}
	if found.isFailed(o.strict) {
		return exit.Silent(exit.Unhealthy)
	}
	return nil
}

// checkDocument checks one document in the namespace that an apply would put it into.
func (o *options) checkDocument(set *manifest.Set, doc *admit.Document, stored *earlier, all []v1.GatiVersion, schemas *crd.Schemas) []offline.Finding {
	var before client.Object
	var around admit.Surroundings
	namespace := ""
	if doc.Object != nil {
		if namespace = doc.Object.GetNamespace(); namespace == "" {
			namespace = o.env.GivenNamespace()
			doc.Object.SetNamespace(namespace)
		}
		before = stored.objects[keyOf(doc)]
		if _, ok := doc.Object.(*v1.GatiHandler); ok {
			around.Judge = &compat.Judge{}
			around.Records = slices.DeleteFunc(slices.Clone(all), func(r v1.GatiVersion) bool { return r.Namespace != namespace })
		}
	}
	around.Facts, around.FactsBefore = set.Facts(namespace, o.image), stored.facts(namespace, o.image)
	return offline.Check(doc, before, schemas, around)
}

// recordsOf returns the records as they would be after an apply: those of the documents,
// and the others of before.
func (o *options) recordsOf(docs []admit.Document, stored map[key]client.Object) []v1.GatiVersion {
	after := maps.Clone(stored)
	if after == nil {
		after = map[key]client.Object{}
	}
	for i := range docs {
		if doc := &docs[i]; doc.Object != nil {
			if doc.Object.GetNamespace() == "" {
				doc.Object.SetNamespace(o.env.GivenNamespace())
			}
			after[keyOf(doc)] = doc.Object
		}
	}
	var out []v1.GatiVersion
	for _, obj := range after {
		if record, ok := obj.(*v1.GatiVersion); ok {
			out = append(out, *record)
		}
	}
	slices.SortFunc(out, func(a, b v1.GatiVersion) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// key names an object across files. Whatever namespace they are applied to, it is
// the same one.
type key struct{ kind, namespace, name string }

func keyOf(doc *admit.Document) key {
	return key{doc.Kind.Kind, doc.Object.GetNamespace(), doc.Object.GetName()}
}

// earlier are the manifests of --before; the zero value has none.
type earlier struct {
	set     *manifest.Set
	objects map[key]client.Object
}

// facts returns those that the objects of a namespace were applied under; nil where no manifest
// of before has the namespace.
func (e *earlier) facts(namespace, image string) *facts.Facts {
	if e.set == nil {
		return nil
	}
	if _, known := e.set.NamespaceImage(namespace); !known {
		return nil
	}
	out := e.set.Facts(namespace, image)
	return &out
}

// readBefore reads the manifests as they were.
func (o *options) readBefore() (*earlier, error) {
	if len(o.before) == 0 {
		return &earlier{}, nil
	}
	set, err := manifest.Of(o.before...).Read(o.env.Streams.In)
	if err != nil {
		return nil, fmt.Errorf("--before: %w", err)
	}
	out := &earlier{set: set, objects: map[key]client.Object{}}
	for i := range set.Documents {
		doc := &set.Documents[i]
		if doc.Object == nil {
			continue // what could not be applied is not there
		}
		if doc.Object.GetNamespace() == "" {
			doc.Object.SetNamespace(o.env.GivenNamespace())
		}
		out.objects[keyOf(doc)] = doc.Object
	}
	return out, nil
}
