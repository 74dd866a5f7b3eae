package kubernetes

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/target"
)

// Target applies plans to one API server.
type Target struct {
	// reader answers from the cache, live asks the server.
	reader client.Reader
	live   client.Reader
	writer client.Client
	scheme *runtime.Scheme
	// budget, contests and failures limit repeated writes.
	budget   *budget
	contests *contests
	failures *failures
	// recent has written objects that the cache may not show yet.
	recent *recent
	// compared has what need not be compared again.
	compared *compared
	// prunable returns empty lists of the kinds whose unplanned objects Apply removes.
	prunable func() []client.ObjectList
}

var _ target.Target = (*Target)(nil)

// New returns a target. cached reads from the manager's cache, live from the API
// server. prunable returns the kinds of children that may become superfluous, among
// those that the server knows at the time.
func New(cached client.Client, live client.Reader, c clock.PassiveClock, prunable func() []client.ObjectList) *Target {
	return &Target{
		reader: cached, live: live, writer: cached, scheme: cached.Scheme(),
		budget: newBudget(c), contests: newContests(c), failures: newFailures(c), recent: newRecent(c), compared: newCompared(), prunable: prunable,
	}
}

// Apply implements target.Target.
func (t *Target) Apply(ctx context.Context, owner client.Object, plan target.Plan) (target.Outcome, error) {
	a := t.beginApplication(owner, plan)
	for _, obj := range plan.Objects {
		child := target.Child{Name: obj.GetName(), Kind: t.kindOf(obj)}
		waits, err := a.waitsForStage(ctx, obj)
		if err != nil {
			return a.out, err
		}
		if waits {
			a.out.IsPartial = true
			a.out.Children = append(a.out.Children, child)
			continue
		}
		apply := func() (target.Write, error) { return a.applyOne(ctx, owner, obj) }
		if err := a.attemptChange(ctx, &child, hashOf(obj), apply); err != nil {
			return a.out, err
		}
		child.Generation = obj.GetGeneration()
		a.out.Children = append(a.out.Children, child)
		a.noteStage(obj, child)
	}
	a.out.Children = append(a.out.Children, plan.Held...)
	if a.out.IsPartial {
		return a.out, nil
	}
	return a.out, a.pruneUnplanned(ctx, plan)
}

// Finalizer implements target.Target: the garbage collector removes what an
// ownerReference belongs to.
func (t *Target) Finalizer() string { return "" }

// Delete implements target.Target, for children without an ownerReference. It lists the
// remaining objects at the API server: the cache may lack new ones.
func (t *Target) Delete(ctx context.Context, owner client.Object) (bool, error) {
	a, done, left := t.beginApplication(owner, target.Plan{}), true, target.Children{Reader: t.live, Scheme: t.scheme}
	for _, kind := range t.prunable() {
		found, err := left.List(ctx, owner, kind)
		if err != nil {
			return false, err
		}
		for _, obj := range found {
			done = false
			if err := a.deleteObject(ctx, obj); err != nil {
				return false, target.NewFailedError(t.kindOf(obj), obj.GetName(), err)
			}
		}
	}
	return done, nil
}

// applyOne applies one object and returns the write, without an action where none was
// needed. The planned object gets the generation of the live one.
func (a *application) applyOne(ctx context.Context, owner, obj client.Object) (done target.Write, err error) {
	want, hash, err := Desired(obj)
	if err != nil {
		return done, err
	}
	live, created, err := a.getOrCreate(ctx, obj, want)
	if err != nil {
		return done, err
	}
	defer func() { obj.SetGeneration(want.GetGeneration()) }()
	if created {
		return target.Write{Action: target.Created}, nil
	}
	live = a.recent.newestState(live, a.scheme)
	if isTaken(live) {
		return done, nil // KEDA has it, or its ScaledObject is about to leave it behind.
	}
	if !ownership.IsChild(live, owner) && !isOrphaned(live) {
		return done, target.NotOwnedError(a.kindOf(obj), live, owner)
	}
	if live.GetDeletionTimestamp() != nil {
		return done, a.findHolder(live) // Its going is an event that brings us back.
	}
	if isLeft(live) {
		return target.Write{Action: target.Updated}, a.adoptLeft(ctx, want, live, obj)
	}
	if err := a.checkNumber(ctx, want, live); err != nil {
		return done, err
	}
	began := a.budget.clock.Now()
	write, problem := a.needsWrite(ctx, live, obj, want, hash)
	if !write {
		want.SetGeneration(live.GetGeneration())
		return done, problem
	}
	done = target.Write{Action: target.Updated, IsReplanned: isReplanned(live, hash)}
	if err := a.updateObject(ctx, want, live, obj); err != nil {
		// What was not written undid nothing: another manager wrote in between, such as the
		// status of a Deployment that an edit has begun to roll.
		a.budget.giveBack(live.GetUID(), began)
		a.contests.giveBack(live.GetUID(), began)
		return target.Write{Action: target.Updated}, err
	}
	return done, problem
}

// needsWrite reports whether the live object has to be written, and returns its problem in
// either case.
func (t *Target) needsWrite(ctx context.Context, live, obj client.Object, want *unstructured.Unstructured, hash string) (write bool, problem error) {
	if t.compared.isAsPlanned(live, hash) {
		return false, t.contests.endContest(live.GetUID())
	}
	wanted, content := ownableFields(want), encodeOnce(live)
	same := live.GetAnnotations()[v1.AnnotationApplied] == hash
	if same && isCurrent(live, wanted, content) && !isWidened(live, obj) {
		change := findAlteration(wanted, content())
		if change == nil {
			t.compared.noteAsPlanned(live, hash)
			return false, t.contests.endContest(live.GetUID())
		}
		return t.repairAlteration(ctx, live, obj, change)
	}
	if !isReplanned(live, hash) {
		return t.repairDrift(ctx, live, obj, wanted)
	}
	return true, nil
}

// isReplanned reports whether the live object follows another plan of ours. While the
// annotation is ours, another hash means another plan. Else another manager has written over
// it, and that is drift as any other.
func isReplanned(live client.Object, hash string) bool {
	return live.GetAnnotations()[v1.AnnotationApplied] != hash && ownsHash(live)
}

// getOrCreate returns the live object, or creates it where there is none.
func (a *application) getOrCreate(ctx context.Context, obj client.Object, want *unstructured.Unstructured) (client.Object, bool, error) {
	live, err := a.getLive(ctx, a.reader, obj)
	if live != nil || err != nil {
		return live, false, err
	}
	taken := a.createObject(ctx, obj, want)
	if !apierrors.IsAlreadyExists(taken) {
		return nil, taken == nil, taken
	}
	// The cache does not show it: it is too new, or it lacks our labels. If it has
	// gone since, the error has us try again: no event would.
	if live, err = a.getLive(ctx, a.live, obj); live == nil && err == nil {
		err = taken
	}
	return live, false, err
}

// getLive returns the object of the same kind and name, or nil.
func (t *Target) getLive(ctx context.Context, from client.Reader, obj client.Object) (client.Object, error) {
	live, err := t.scheme.New(obj.GetObjectKind().GroupVersionKind())
	if err != nil {
		return nil, err
	}
	out := live.(client.Object)
	err = from.Get(ctx, client.ObjectKeyFromObject(obj), out)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return out, err
}

// createObject creates a planned object.
func (a *application) createObject(ctx context.Context, obj client.Object, want *unstructured.Unstructured) error {
	created := toCreate(obj, want)
	err := a.writer.Create(ctx, created, client.FieldOwner(v1.FieldManager))
	want.SetGeneration(created.GetGeneration())
	return err
}

// findHolder returns the finalizer that holds an object that is being deleted.
func (t *Target) findHolder(live client.Object) error {
	if held := diagnose.FindFinalizer(t.kindOf(live), live); held != nil {
		return held
	}
	return nil
}

func (t *Target) kindOf(obj client.Object) string { return target.KindOf(obj, t.scheme) }
