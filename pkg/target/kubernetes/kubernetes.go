package kubernetes

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
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
	// budget, contests and failures bound what is written again.
	budget   *budget
	contests *contests
	failures *failures
	// recent has what was written and the cache may not show yet.
	recent *recent
	// compared has what need not be compared again.
	compared *compared
	// prunable returns empty lists of the kinds that Apply removes what is no
	// longer planned of.
	prunable func() []client.ObjectList
	// scaled are those of the plan that is applied or inspected.
	scaled map[string]*appsv1.Deployment
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
	a := application{Target: *t, owner: owner}
	a.writer, a.scaled = plan.Fence.Guard(t.writer), plan.Scaled
	for _, obj := range plan.Objects {
		child := target.Child{Name: obj.GetName(), Kind: t.kindOf(obj)}
		apply := func() (string, error) { return a.applyOne(ctx, owner, obj) }
		if err := a.attempt(ctx, &child, hashOf(obj), apply); err != nil {
			return a.out, err
		}
		child.Generation = obj.GetGeneration()
		a.out.Children = append(a.out.Children, child)
	}
	a.out.Children = append(a.out.Children, plan.Held...)
	return a.out, a.pruneUnplanned(ctx, plan)
}

// Finalizer implements target.Target: the garbage collector removes what an
// ownerReference belongs to.
func (t *Target) Finalizer() string { return "" }

// Delete implements target.Target, for children without an ownerReference. It asks the
// API server what is left: the cache may lack what was just created.
func (t *Target) Delete(ctx context.Context, owner client.Object) (bool, error) {
	done, left := true, target.Children{Reader: t.live, Scheme: t.scheme}
	for _, kind := range t.prunable() {
		found, err := left.List(ctx, owner, kind)
		if err != nil {
			return false, err
		}
		for _, obj := range found {
			done = false
			if err := t.deleteObject(ctx, obj); err != nil {
				return false, target.NewFailedError(t.kindOf(obj), obj.GetName(), err)
			}
		}
	}
	return done, nil
}

// replanned is what applyOne did where it updated an object to another plan.
const replanned = "replanned"

// applyOne makes one object real and returns what it did: created, updated, replanned or
// nothing. The planned object gets the generation of the live one.
func (t *Target) applyOne(ctx context.Context, owner, obj client.Object) (string, error) {
	want, hash, err := Desired(obj)
	if err != nil {
		return "", err
	}
	live, created, err := t.getOrCreate(ctx, obj, want)
	if err != nil {
		return "", err
	}
	defer func() { obj.SetGeneration(want.GetGeneration()) }()
	if created {
		return "created", nil
	}
	live = t.recent.newest(live, t.scheme)
	if isTaken(live) {
		return "", nil // KEDA has it, or its ScaledObject is about to leave it behind.
	}
	if !ownership.IsChild(live, owner) && !isOrphaned(live) {
		return "", target.NotOwnedError(t.kindOf(obj), live, owner)
	}
	if live.GetDeletionTimestamp() != nil {
		return "", nil // Its going is an event that brings us back.
	}
	if isLeft(live) {
		return "updated", t.adoptLeft(ctx, want, live, obj)
	}
	if err := t.checkNumber(ctx, want, live); err != nil {
		return "", err
	}
	began := t.budget.clock.Now()
	write, problem := t.needsWrite(ctx, live, obj, want, hash)
	if !write {
		want.SetGeneration(live.GetGeneration())
		return "", problem
	}
	what := "updated"
	if isReplanned(live, hash) {
		what = replanned
	}
	if err := t.updateObject(ctx, want, live, obj); err != nil {
		// What was not written undid nothing: another manager wrote in between, such as the
		// status of a Deployment that an edit has begun to roll.
		t.budget.giveBack(live.GetUID(), began)
		t.contests.giveBack(live.GetUID(), began)
		return "updated", err
	}
	return what, problem
}

// needsWrite reports whether the live object is to be written, and what there is to report
// of it whether or not.
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
		return t.repairDrift(live, obj, wanted)
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
func (t *Target) getOrCreate(ctx context.Context, obj client.Object, want *unstructured.Unstructured) (client.Object, bool, error) {
	live, err := t.getLive(ctx, t.reader, obj)
	if live != nil || err != nil {
		return live, false, err
	}
	taken := t.createObject(ctx, obj, want)
	if !apierrors.IsAlreadyExists(taken) {
		return nil, taken == nil, taken
	}
	// The cache does not show it: it is too new, or it lacks our labels. If it has
	// gone since, the error has us try again: no event would.
	if live, err = t.getLive(ctx, t.live, obj); live == nil && err == nil {
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

// createObject creates what is wanted of a planned object.
func (t *Target) createObject(ctx context.Context, obj client.Object, want *unstructured.Unstructured) error {
	created := toCreate(obj, want)
	err := t.writer.Create(ctx, created, client.FieldOwner(v1.FieldManager))
	want.SetGeneration(created.GetGeneration())
	return err
}

func (t *Target) kindOf(obj client.Object) string { return target.KindOf(obj, t.scheme) }
