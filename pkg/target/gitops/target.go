package gitops

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/gitops/repository"
	"gati.dev/gati/pkg/target/kubernetes"
)

// finalizer stays on an owner until its folder is removed and the cluster shows that.
const finalizer = "gati.dev/gitops"

// Target commits plans to a repository.
type Target struct {
	// cached reads children, live reads objects that the cache lacks from the API server.
	cached   target.Children
	live     client.Reader
	scheme   *runtime.Scheme
	repo     *repository.Repository
	path     string
	prunable func() []client.ObjectList
}

var _ target.Target = (*Target)(nil)

// New returns a target that writes below a path of a repository. prunable returns the
// kinds of children that may become superfluous.
func New(cached client.Client, live client.Reader, repo *repository.Repository, path string, prunable func() []client.ObjectList) *Target {
	return &Target{
		cached: target.Children{Reader: cached, Scheme: cached.Scheme()}, live: live, scheme: cached.Scheme(),
		repo: repo, path: path, prunable: prunable,
	}
}

// Finalizer implements target.Target.
func (t *Target) Finalizer() string { return finalizer }

// planned is a child with what its file holds, and the problem that keeps it out.
type planned struct {
	child   target.Child
	content *unstructured.Unstructured
	live    client.Object
}

// Inspect implements target.Target.
func (t *Target) Inspect(ctx context.Context, owner client.Object, plan target.Plan) (target.Outcome, error) {
	children, change, err := t.prepareChange(ctx, owner, plan)
	if err != nil {
		return target.Outcome{}, err
	}
	known, isHeld := t.repo.Recall(change)
	out, err := t.compareCluster(ctx, owner, plan, children, known)
	if !isHeld {
		out.Writes = []target.Write{{Action: target.Committed}}
		blameRepository(out.Children, t.repo.Failure())
	}
	return out, err
}

// Apply implements target.Target. It commits the plan, then compares the cluster with it.
func (t *Target) Apply(ctx context.Context, owner client.Object, plan target.Plan) (target.Outcome, error) {
	children, change, err := t.prepareChange(ctx, owner, plan)
	if err != nil {
		return target.Outcome{}, err
	}
	if _, isHeld := t.repo.Recall(change); !isHeld {
		if err := plan.Fence.Check(ctx); err != nil {
			return target.Outcome{}, err
		}
	}
	result, failed := t.repo.Write(ctx, change)
	if ctx.Err() != nil {
		return target.Outcome{}, ctx.Err()
	}
	out, err := t.compareCluster(ctx, owner, plan, children, result)
	if err != nil {
		return target.Outcome{}, err
	}
	out.Again = t.repo.RetryAfter()
	if result.Commit != "" {
		out.Writes = []target.Write{{Action: target.Committed, Name: result.Commit[:12]}}
	}
	blameRepository(out.Children, failed)
	return out, nil
}

func (t *Target) prepareChange(ctx context.Context, owner client.Object, plan target.Plan) ([]planned, repository.Change, error) {
	children, err := t.preparePlan(ctx, owner, plan)
	if err != nil {
		return nil, repository.Change{}, err
	}
	change, err := newChange(t.path, owner, objectsOf(children), heldFiles(plan.Held))
	return children, change, err
}

// compareCluster returns the children with their differences in the cluster.
func (t *Target) compareCluster(ctx context.Context, owner client.Object, plan target.Plan, children []planned, result repository.Result) (target.Outcome, error) {
	out := target.Outcome{}
	for i := range children {
		c := &children[i]
		if c.child.Problem == nil {
			c.child.Problem = compareLive(c, result)
		}
		out.Children = append(out.Children, c.child)
	}
	leftovers, err := t.findLeftovers(ctx, owner, plan)
	out.Children = append(append(out.Children, plan.Held...), leftovers...)
	return out, err
}

// preparePlan returns the children with their live objects. A foreign object under a
// child's name stays out of the commit: the tool would take it over.
func (t *Target) preparePlan(ctx context.Context, owner client.Object, plan target.Plan) ([]planned, error) {
	var out []planned
	for _, obj := range plan.Objects {
		obj := target.Disown(obj, v1.TargetGitOps)
		content, _, err := kubernetes.Desired(obj)
		if err != nil {
			return nil, err
		}
		p := planned{child: target.Child{Kind: target.KindOf(obj, t.scheme), Name: obj.GetName()}, content: content}
		if p.live, err = t.readLive(ctx, obj); err != nil {
			return nil, err
		}
		if p.live != nil {
			p.child.Generation = p.live.GetGeneration()
			if !ownership.IsChild(p.live, owner) {
				p.child.Problem, p.content = target.NotOwnedError(p.child.Kind, p.live, owner), nil
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// readLive returns the live object of the same kind and name, nil where there is none. The
// cache has objects with our labels only.
func (t *Target) readLive(ctx context.Context, obj client.Object) (client.Object, error) {
	for _, from := range []client.Reader{t.cached.Reader, t.live} {
		empty, err := t.scheme.New(obj.GetObjectKind().GroupVersionKind())
		if err != nil {
			return nil, err
		}
		found := empty.(client.Object)
		err = from.Get(ctx, client.ObjectKeyFromObject(obj), found)
		if err == nil {
			return found, nil
		}
		if !apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("read %s: %w", obj.GetName(), err)
		}
	}
	return nil, nil
}

func objectsOf(children []planned) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, c := range children {
		if c.content != nil {
			out = append(out, c.content)
		}
	}
	return out
}

func heldFiles(held []target.Child) []string {
	var out []string
	for _, c := range held {
		out = append(out, fileFor(c.Kind, c.Name))
	}
	return out
}

// compareLive returns why a child of the cluster is not as the repository has it.
func compareLive(c *planned, result repository.Result) error {
	unsynced := &target.UnsyncedError{Kind: c.child.Kind, Name: c.child.Name}
	if result.IsEdited(fileFor(c.child.Kind, c.child.Name)) {
		unsynced.Why = "its file in the repository was edited; revert that, or change the spec"
		return unsynced
	}
	if c.live == nil {
		unsynced.Why = "the cluster does not have it yet"
		return unsynced
	}
	if held := diagnose.FindFinalizer(c.child.Kind, c.live); held != nil {
		return held
	}
	if have, want := c.live.GetAnnotations()[v1.AnnotationApplied], c.content.GetAnnotations()[v1.AnnotationApplied]; have != want {
		unsynced.Why = "the cluster has an earlier state of it"
		return unsynced
	}
	if difference := kubernetes.DescribeDifference(c.content, c.live); difference != "" {
		unsynced.Why = difference + " in the cluster; what applies the repository puts it back"
		return unsynced
	}
	return nil
}

// findLeftovers returns the children in the cluster that are no longer planned.
func (t *Target) findLeftovers(ctx context.Context, owner client.Object, plan target.Plan) ([]target.Child, error) {
	stays := map[string]bool{}
	for _, obj := range plan.Objects {
		stays[target.KindOf(obj, t.scheme)+"/"+obj.GetName()] = true
	}
	for _, c := range plan.Held {
		stays[c.Kind+"/"+c.Name] = true
	}
	var out []target.Child
	for _, kind := range t.prunable() {
		found, err := t.cached.List(ctx, owner, kind)
		if err != nil {
			return nil, fmt.Errorf("list children: %w", err)
		}
		for _, obj := range found {
			c := target.Child{Kind: target.KindOf(obj, t.scheme), Name: obj.GetName()}
			if !stays[c.Kind+"/"+c.Name] {
				c.Problem = &target.UnsyncedError{Kind: c.Kind, Name: c.Name, Why: "the cluster still has it"}
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// blameRepository gives the children that are not as planned the reason of a repository that did
// not take the plan. What the cluster shows already needs none.
func blameRepository(children []target.Child, failed error) {
	refused := (*repository.Error)(nil)
	if !errors.As(failed, &refused) {
		return
	}
	for i, c := range children {
		if unsynced := (*target.UnsyncedError)(nil); errors.As(c.Problem, &unsynced) {
			children[i].Problem = &target.UndeliveredError{Reason: refused.Reason, Err: refused}
		}
	}
}

// Delete implements target.Target: the folder is removed, and the tool prunes its objects.
func (t *Target) Delete(ctx context.Context, owner client.Object) (bool, error) {
	if _, err := t.repo.Write(ctx, newRemoval(t.path, owner)); err != nil {
		return false, err
	}
	for _, kind := range t.prunable() {
		found, err := t.cached.List(ctx, owner, kind)
		if err != nil || len(found) > 0 {
			return false, err
		}
	}
	return true, nil
}
