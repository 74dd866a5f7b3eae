package install

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/manifests/bundle"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
)

func newUninstall(e *env.Env) *cobra.Command {
	o := &options{env: e}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove Gati; leave workloads running",
		Long: `Removes gati-webhook, gati-controller, their hooks, policies and rights. The CRDs stay, and so does every
handler, module and version with its pods: they run on, and nothing looks after them
until Gati is installed again. What stays is printed.

--all removes these too: all objects of Gati in all namespaces, with their pods, and
the CRDs. It needs no gati-webhook.

--export writes the handlers, modules and versions of all namespaces as manifests, to
be applied again one day, and does nothing.`,
		Example: `  kubectl gati uninstall --dry-run
  kubectl gati uninstall --export > gati.yaml && kubectl gati uninstall --all`,
	}
	o.addCommonFlags(cmd, func(ctx context.Context) error { return o.runUninstall(ctx) })
	cmd.Flags().BoolVar(&o.all, "all", false, "Also remove the CRDs, and all handlers, modules and versions with their pods.")
	return cmd
}

func (o *options) runUninstall(ctx context.Context) (err error) {
	if o.raw, err = cluster.ConnectRaw(o.env, true); err != nil {
		return err
	}
	used, err := o.listUsed(ctx)
	if err != nil {
		return err
	}
	if o.export {
		return writeManifests(o.env.Streams.Out, manifestsOf(used))
	}
	p, err := o.planRemoval(ctx)
	if err != nil {
		return err
	}
	if !o.all {
		if err := checkNothingLost(used); err != nil {
			return err
		}
	}
	if err := p.printSteps(o.env.Streams.Out); err != nil {
		return err
	}
	o.printRemoval(p, used)
	if o.dryRun || p.countActions(remove) == 0 {
		return nil
	}
	question := fmt.Sprintf("%d objects will be deleted.", p.countActions(remove))
	if o.all && len(used) > 0 {
		question = fmt.Sprintf("%d objects will be deleted, and %d handlers, modules and versions with their pods.", p.countActions(remove), len(used))
	}
	if err := o.confirm.Ask(o.env, question); err != nil {
		return err
	}
	return o.removeSteps(ctx, p)
}

// listUsed reads all objects of Gati's kinds.
func (o *options) listUsed(ctx context.Context) ([]*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	var all []*unstructured.Unstructured
	for _, kind := range []string{"GatiHandler", "GatiModule", "GatiVersion"} {
		gvk := v1.GroupVersion.WithKind(kind)
		list := &unstructured.UnstructuredList{}
		err := o.raw.Get(ctx, collectionPath(gvk, ""), list)
		if apierrors.IsNotFound(err) {
			continue // the CRD is gone already
		}
		if err != nil {
			return nil, cluster.Explain(err)
		}
		for i := range list.Items {
			list.Items[i].SetGroupVersionKind(gvk)
			all = append(all, &list.Items[i])
		}
	}
	return all, nil
}

// planRemoval returns the plan, in the reverse order of an apply.
func (o *options) planRemoval(ctx context.Context) (plan, error) {
	objects, err := bundle.Objects("")
	if err != nil {
		return nil, err
	}
	slices.Reverse(objects)
	var p plan
	for _, object := range objects {
		stored, err := o.readStored(ctx, object)
		if err != nil {
			return nil, err
		}
		switch {
		case stored == nil:
		case object.GetKind() == kindCRD && !o.all:
			p = append(p, step{action: keep, object: object})
		default:
			p = append(p, step{action: remove, object: object})
		}
	}
	return p, nil
}

// checkNothingLost refuses to delete the namespace of gati-webhook with a user's objects in it.
func checkNothingLost(used []*unstructured.Unstructured) error {
	for _, u := range used {
		if u.GetNamespace() == systemNamespace {
			return fmt.Errorf("%s would be lost with the namespace; move it elsewhere, or use --all", objectTitle(u))
		}
	}
	return nil
}

const systemNamespace = "gati-system"

// printRemoval prints the objects that stay, and those that are removed besides.
func (o *options) printRemoval(p plan, used []*unstructured.Unstructured) {
	w := o.env.Streams.ErrOut
	switch {
	case len(p) == 0:
		fmt.Fprintln(w, "Gati is not installed")
	case o.all:
		fmt.Fprintf(w, "%d to delete, and %d handlers, modules and versions with their pods\n", p.countActions(remove), len(used))
	default:
		fmt.Fprintf(w, "%d to delete; these stay:\n", p.countActions(remove))
		for _, s := range p {
			if s.action == keep {
				fmt.Fprintln(w, "  "+objectTitle(s.object))
			}
		}
		for _, u := range used {
			fmt.Fprintln(w, "  "+objectTitle(u))
		}
		if len(used) > 0 {
			fmt.Fprintln(w, "  and their pods; without gati-webhook nothing changes them, and v1alpha1 cannot be served")
		}
	}
}

// removeSteps deletes the objects of the plan. gati-webhook is removed first, so that it
// does not recreate others; then, with --all, the objects of Gati's kinds, while the
// garbage collector still knows whose children are whose; then the CRDs, and the namespace.
func (o *options) removeSteps(ctx context.Context, p plan) error {
	late := func(s step) bool { return s.object.GetKind() == kindCRD || s.object.GetKind() == kindNamespace }
	var first, last plan
	for _, s := range p {
		switch {
		case s.action != remove:
		case late(s):
			last = append(last, s)
		default:
			first = append(first, s)
		}
	}
	if err := o.deleteAll(ctx, first); err != nil {
		return err
	}
	if o.all {
		if err := o.deleteUsed(ctx); err != nil {
			return err
		}
	}
	if err := o.deleteAll(ctx, last); err != nil || !o.wait {
		return err
	}
	return o.pollUntil(ctx, func(ctx context.Context) (string, error) {
		for _, s := range p {
			if s.action != remove {
				continue
			}
			if stored, err := o.readStored(ctx, s.object); err != nil || stored != nil {
				return objectTitle(s.object) + " is still there", err
			}
		}
		return "", nil
	})
}

func (o *options) deleteAll(ctx context.Context, p plan) error {
	for _, s := range p {
		if err := o.raw.Delete(ctx, pathOf(s.object), &metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("%s: %w", objectTitle(s.object), cluster.Explain(err))
		}
	}
	return nil
}

// deleteUsed deletes all objects of Gati's kinds in the foreground: one is gone when its
// children are.
func (o *options) deleteUsed(ctx context.Context) error {
	foreground := metav1.DeletePropagationForeground
	return o.pollUntil(ctx, func(ctx context.Context) (string, error) {
		left, err := o.listUsed(ctx)
		if err != nil || len(left) == 0 {
			return "", err
		}
		var errs []error
		for _, u := range left {
			if u.GetDeletionTimestamp() == nil {
				errs = append(errs, o.raw.Delete(ctx, pathOf(u), &metav1.DeleteOptions{PropagationPolicy: &foreground}))
			}
		}
		return fmt.Sprintf("%d handlers, modules and versions, and their pods", len(left)), errors.Join(errs...)
	})
}
