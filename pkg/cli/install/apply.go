package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/doctor"
	"gati.dev/gati/pkg/cli/doctor/checkup"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
)

func (o *options) runInstall(ctx context.Context) error {
	objects, err := o.bundledObjects()
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	if o.export {
		return writeManifests(o.env.Streams.Out, objects)
	}
	if err := o.checkBefore(ctx); err != nil {
		return err
	}
	if o.raw, err = cluster.ConnectRaw(o.env, true); err != nil {
		return err
	}
	if err := o.checkOutside(ctx, objects); err != nil {
		return err
	}
	p, err := o.planApply(ctx, objects)
	if err != nil {
		return err
	}
	if err := p.checkFits(o.upgrade, o.placeFlags()); err != nil {
		return err
	}
	if err := p.printSteps(o.env.Streams.Out); err != nil {
		return err
	}
	fmt.Fprintln(o.env.Streams.ErrOut, p.summary())
	if o.dryRun {
		return nil
	}
	if err := o.applyPlan(ctx, p); err != nil {
		return err
	}
	if !o.wait {
		return nil
	}
	return o.awaitHealthy(ctx)
}

// checkBefore is the doctor's word on the cluster, before anything is written.
func (o *options) checkBefore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	found, err := doctor.Examine(ctx, o.env, true)
	if err != nil {
		return err
	}
	var faults []error
	for _, f := range found {
		if f.Level == checkup.Problem {
			faults = append(faults, fmt.Errorf("%s; %s [%s]", f.Message, f.Hint, f.Check))
		}
	}
	return exit.With(exit.Unhealthy, errors.Join(faults...))
}

// planApply asks the server what an apply would do.
func (o *options) planApply(ctx context.Context, objects []*unstructured.Unstructured) (plan, error) {
	var p plan
	var conflicts []error
	for _, wanted := range objects {
		stored, err := o.readStored(ctx, wanted)
		if err != nil {
			return nil, err
		}
		if patch := redirectPatch(stored, wanted); patch != nil {
			p = append(p, step{action: change, object: wanted, redirect: patch})
			continue
		}
		applied, force := &unstructured.Unstructured{}, o.force
		if stored != nil {
			err = o.raw.Apply(ctx, pathOf(wanted), manager, force, true, wanted, applied)
		}
		if force = isWithKubectl(err); force {
			err = o.raw.Apply(ctx, pathOf(wanted), manager, force, true, wanted, applied)
		}
		if apierrors.IsConflict(err) {
			conflicts = append(conflicts, fmt.Errorf("%s: %w; use --force-conflicts to take these fields over", objectTitle(wanted), err))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", objectTitle(wanted), cluster.Explain(err))
		}
		step := stepFor(wanted, stored, applied)
		step.isKubectls = force
		p = append(p, step)
	}
	return p, exit.With(exit.Error, errors.Join(conflicts...))
}

// readStored returns an object as it is stored, nil when there is none.
func (o *options) readStored(ctx context.Context, wanted *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	stored := &unstructured.Unstructured{}
	switch err := o.raw.Get(ctx, pathOf(wanted), stored); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", objectTitle(wanted), cluster.Explain(err))
	default:
		return stored, nil
	}
}

// applyPlan runs the steps of the plan in order.
func (o *options) applyPlan(ctx context.Context, p plan) error {
	todo := p.countActions(create) + p.countActions(change)
	if todo == 0 {
		return nil
	}
	if o.confirm.CanAsk(o.env) { // Nothing is removed and no traffic moves: a job may install.
		if err := o.confirm.Ask(o.env, fmt.Sprintf("%d objects will be written.", todo)); err != nil {
			return err
		}
	}
	for _, s := range p {
		if s.action == keep {
			continue
		}
		if err := o.applyStep(ctx, s); err != nil {
			return fmt.Errorf("%s: %w; earlier objects stay written, and the command can be repeated", objectTitle(s.object), cluster.Explain(err))
		}
	}
	return nil
}

// applyStep writes one object. What kubectl has written without server-side apply is taken over
// first, as "kubectl apply --server-side" does: it is the same installation by the same user.
func (o *options) applyStep(ctx context.Context, s step) error {
	if s.redirect != nil {
		if err := o.raw.Patch(ctx, pathOf(s.object), manager, s.redirect); err != nil {
			return err
		}
	}
	if s.isKubectls {
		stored, err := o.readStored(ctx, s.object)
		if err != nil {
			return err
		}
		patch, err := csaupgrade.UpgradeManagedFieldsPatch(stored, kubectls, manager)
		if err == nil && patch != nil {
			err = o.raw.Patch(ctx, pathOf(s.object), manager, patch)
		}
		if err != nil {
			return err
		}
	}
	return o.raw.Apply(ctx, pathOf(s.object), manager, o.force, false, s.object, nil)
}

// kubectls are the managers by which kubectl apply and kubectl create write.
var kubectls = sets.New("kubectl-client-side-apply", "kubectl-create", "before-first-apply")

// isWithKubectl reports whether an apply conflicts with nothing but what kubectl has written
// without server-side apply.
func isWithKubectl(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsConflict(err) || status.Status().Details == nil {
		return false
	}
	isOther := func(c metav1.StatusCause) bool {
		isNamed := func(manager string) bool { return strings.Contains(c.Message, strconv.Quote(manager)) }
		return c.Type != metav1.CauseTypeFieldManagerConflict || !slices.ContainsFunc(sets.List(kubectls), isNamed)
	}
	causes := status.Status().Details.Causes
	return len(causes) > 0 && !slices.ContainsFunc(causes, isOther)
}

// writeManifests writes objects as one stream of YAML.
func writeManifests(w io.Writer, objects []*unstructured.Unstructured) error {
	w = output.Data(w)
	for i, o := range objects {
		doc, err := output.YAML(o.Object)
		if err != nil {
			return err
		}
		if i > 0 {
			doc = append([]byte("---\n"), doc...)
		}
		if _, err := w.Write(doc); err != nil {
			return err
		}
	}
	return nil
}
