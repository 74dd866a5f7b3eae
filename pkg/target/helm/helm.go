package helm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/helmchart"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/kubernetes"
)

// releaseKind is that of the release among the children of an owner.
const releaseKind = "Release.helm.sh"

// Target installs plans as releases.
type Target struct {
	objects *kubernetes.Target
	store   store
	clock   clock.PassiveClock
	memory  *memory
}

var _ target.Target = (*Target)(nil)

// New returns a target that applies objects by another one. The configuration reaches the
// API server that the releases are kept in.
func New(objects *kubernetes.Target, config *rest.Config, now clock.PassiveClock) (*Target, error) {
	clients, err := clientset.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for releases: %w", err)
	}
	return &Target{objects: objects, clock: now, memory: newMemory(), store: store{clients: clients, clock: now}}, nil
}

// Finalizer implements target.Target.
func (t *Target) Finalizer() string { return helmchart.Finalizer }

// Inspect implements target.Target.
func (t *Target) Inspect(ctx context.Context, owner client.Object, plan target.Plan) (target.Outcome, error) {
	if len(plan.Objects) == 0 {
		return t.objects.Inspect(ctx, owner, plan)
	}
	a, err := t.newApplication(ctx, owner, plan)
	if err != nil {
		return target.Outcome{}, err
	}
	if a.needsRelease() {
		a.out.Writes = append(a.out.Writes, target.Write{Action: target.Updated, Kind: releaseKind, Name: a.chart.Name})
	}
	a.reportFailure()
	return a.out, nil
}

// Apply implements target.Target. A release is written where the chart has changed or
// drift is put back; else the objects are only looked at.
func (t *Target) Apply(ctx context.Context, owner client.Object, plan target.Plan) (target.Outcome, error) {
	if len(plan.Objects) == 0 {
		return t.objects.Apply(ctx, owner, plan)
	}
	a, err := t.newApplication(ctx, owner, plan)
	if err != nil {
		return target.Outcome{}, err
	}
	a.out = target.Outcome{}
	if !a.needsRelease() {
		if err := a.applyObjects(ctx); err != nil {
			return a.out, err
		}
		if !a.hasRecovered() {
			a.reportFailure()
			return a.out, nil
		}
	}
	if err := plan.Fence.Check(ctx); err != nil {
		return a.out, err
	}
	a.writeRelease(ctx)
	if !a.isApplied {
		err = a.applyObjects(ctx)
	} else {
		err = a.err
	}
	a.reportFailure()
	return a.out, err
}

// Delete implements target.Target. The objects go first, also those that the release does
// not name, as after a crash; its history goes when they are gone.
func (t *Target) Delete(ctx context.Context, owner client.Object) (bool, error) {
	t.memory.forgetOwner(owner.GetUID())
	name, namespace := releaseName(owner), owner.GetNamespace()
	if err := t.store.beginUninstall(name, namespace); err != nil {
		return false, &target.FailedError{Kind: releaseKind, Name: name, Err: err}
	}
	if isGone, err := t.objects.Delete(ctx, owner); !isGone || err != nil {
		return false, err
	}
	if err := t.store.purgeHistory(name, namespace); err != nil {
		return false, &target.FailedError{Kind: releaseKind, Name: name, Err: err}
	}
	return true, nil
}

func releaseName(owner client.Object) string {
	if _, isModule := owner.(*v1.GatiModule); isModule {
		return naming.ModuleChild(owner.GetName())
	}
	return naming.HandlerChild(owner.GetName())
}

const (
	// retryRelease is how soon a release that could not be written is tried again.
	retryRelease = 30 * time.Second
	// retryPending is how soon a release is tried again that another operation works on.
	retryPending = 5 * time.Second
	// maxPending is how long an operation of Helm on a release may take. One that takes
	// longer was killed.
	maxPending = 30 * time.Second
)

// application is one call of Apply.
type application struct {
	*Target
	owner client.Object
	// plan has the objects as Helm marks them.
	plan  target.Plan
	chart helmchart.Chart
	hash  string
	// known is the last known state of the release.
	known     state
	isDrifted bool

	out target.Outcome
	// err is that of the objects.
	err       error
	isApplied bool
}

func (t *Target) newApplication(ctx context.Context, owner client.Object, plan target.Plan) (*application, error) {
	a := &application{Target: t, owner: owner, plan: plan}
	a.plan.Objects, a.plan.Stage = nil, nil // A release is one act.
	charted := map[client.Object]client.Object{}
	for _, obj := range plan.Objects {
		marked := helmchart.Installed(obj)
		a.plan.Objects = append(a.plan.Objects, marked)
		charted[marked] = obj
	}
	var err error
	if a.out, err = t.objects.InspectLive(ctx, owner, a.plan); err != nil {
		return nil, err
	}
	var inChart []client.Object
	for i, marked := range a.plan.Objects {
		if foreign := (*target.ForeignError)(nil); !errors.As(a.out.Children[i].Problem, &foreign) {
			inChart = append(inChart, charted[marked])
		}
	}
	if len(inChart) > 0 {
		if a.chart, err = helmchart.New(inChart); err != nil {
			return nil, err
		}
		a.hash = a.chart.Hash()
	}
	a.isDrifted = len(a.out.Writes) > 0
	a.known = t.memory.recallState(owner.GetUID())
	return a, nil
}

// needsRelease reports whether the release has to be written before anything is known of
// the objects. One that could not be written waits.
func (a *application) needsRelease() bool {
	if a.hash == "" || a.isWaiting() {
		return false
	}
	return a.known.hash != a.hash || a.known.failure != nil || a.isDrifted
}

func (a *application) isWaiting() bool { return a.clock.Now().Before(a.known.again) }

// reportFailure adds a release that could not be written to the children, until it can.
func (a *application) reportFailure() {
	if a.known.failure == nil {
		return
	}
	a.out.Children = append(a.out.Children, target.Child{Kind: releaseKind, Name: a.chart.Name, Problem: a.known.failure})
	again := max(a.known.again.Sub(a.clock.Now()), time.Second)
	a.out.Again = cmp.Or(min(a.out.Again, again), again)
}

// hasRecovered reports whether the release is recorded as failed although its objects are healthy.
func (a *application) hasRecovered() bool {
	if !a.known.isFailed || a.hash == "" || a.isWaiting() {
		return false
	}
	return firstProblem(a.out) == nil
}

// applyObjects applies the objects beside the release.
func (a *application) applyObjects(ctx context.Context) error {
	out, err := a.objects.Apply(ctx, a.owner, a.plan)
	out.Writes = append(a.out.Writes, out.Writes...)
	out.Notices = append(a.out.Notices, out.Notices...)
	a.out, a.err, a.isApplied = out, err, true
	return err
}

func firstProblem(out target.Outcome) error {
	for _, c := range out.Children {
		if c.Problem != nil {
			return c.Problem
		}
	}
	return nil
}
