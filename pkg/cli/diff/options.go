package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/manifest"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/cli/planned"
)

// options are the command's flags and what follows from them.
type options struct {
	env        *env.Env
	format     *output.Format
	color      output.ColorFlag
	files      manifest.Files
	serverSide bool
	force      bool
	manager    string

	printer   printers.ResourcePrinter
	painter   output.Painter
	namespace string
	client    client.Client
}

// differ is the exit code for differences; errors have greater ones.
const differ = 1

// asUsageError gives an error without an exit code of its own one that no difference has.
func asUsageError(err error) error {
	if err == nil || exit.IsSilent(err) || exit.Code(context.Background(), err) != exit.Error {
		return err
	}
	return exit.With(exit.Usage, err)
}

func (o *options) completeOptions() (err error) {
	if err := o.files.Check(); err != nil {
		return err
	}
	if o.force && !o.serverSide {
		return exit.Usagef("--force-conflicts requires --server-side")
	}
	if o.printer, err = o.format.Printer(); err != nil {
		return err
	}
	if o.painter, err = o.color.Painter(o.env.Streams.Out); err != nil {
		return err
	}
	if o.namespace, err = o.env.Namespace(); err != nil {
		return err
	}
	o.client, err = cluster.ConnectChildren(o.env)
	return err
}

func (o *options) runDiff(ctx context.Context) error {
	if err := o.completeOptions(); err != nil {
		return err
	}
	set, err := o.files.Read(o.env.Streams.In)
	if err != nil {
		return err
	}
	docs, err := set.Ours(&o.files)
	if err == nil {
		err = errors.Join(set.Broken...)
	}
	if err != nil {
		return err
	}
	ctx, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	applied, err := o.applyAll(ctx, set, docs)
	if err != nil {
		return err
	}
	image := func(namespace string) string { image, _ := set.NamespaceImage(namespace); return image }
	w := &world{client: o.client, applied: applied, planner: planned.Cluster{Reader: o.client, Image: image, Now: o.env.Now()}}
	found := newReport()
	for _, owner := range applied.listOwners() {
		item, err := w.diffOwner(ctx, owner)
		if err != nil {
			return fmt.Errorf("%s: %w", owner.title(), err)
		}
		found.Items = append(found.Items, item)
	}
	if err := o.printReport(found); err != nil {
		return err
	}
	if found.hasChanges() {
		return exit.Silent(differ)
	}
	return nil
}

// applyAll asks what an apply makes of each document.
func (o *options) applyAll(ctx context.Context, set *manifest.Set, docs []admit.Document) (*applied, error) {
	out := &applied{}
	var refused []error
	for i := range docs {
		after, err := o.tryApply(ctx, set, &docs[i])
		if err == nil {
			out.addObject(after)
			continue
		}
		if !isRefusal(err) {
			return nil, cluster.Explain(err)
		}
		refused = append(refused, fmt.Errorf("%s: %w", manifest.Place(&docs[i]), err))
	}
	return out, exit.With(exit.Unhealthy, errors.Join(refused...))
}

// managerOr is the name that the apply goes by.
func (o *options) managerOr(other string) string { return cmp.Or(o.manager, other) }
