// Package target writes plans: kubernetes applies them to the API server, helm installs
// them as releases, gitops commits them to a repository.
//
// Children are read from the cluster under every target, so Get, List and FindOwner are
// those of Children. A target must not know the reasons of a plan.
package target

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Target writes plans.
type Target interface {
	// Inspect returns what Apply would find and write, without a write: a decision is
	// persisted before the first write that follows from it.
	Inspect(ctx context.Context, owner client.Object, plan Plan) (Outcome, error)
	// Apply creates, updates and removes objects until those of the owner are the planned
	// ones. It is idempotent: a plan that is already applied causes no write. One failed
	// object does not stop the others: its child in the outcome has the problem. An error
	// means that the plan could not be compared, or was made from an outdated owner.
	Apply(ctx context.Context, owner client.Object, plan Plan) (Outcome, error)
	// Delete removes what was applied for an owner that is being deleted. It is called
	// again until it reports that nothing is left.
	Delete(ctx context.Context, owner client.Object) (done bool, err error)
	// Finalizer returns the finalizer of an owner, from before its first child until Delete
	// is done: FinalizerPrefix and a name. It is empty where the garbage collector removes
	// the children.
	Finalizer() string
}

// FinalizerPrefix begins the finalizers of all targets.
const FinalizerPrefix = "gati.dev/"

// Plan is the desired state of an owner's children.
type Plan struct {
	// Objects are the children, in the order in which they are applied.
	Objects []client.Object
	// Stage returns the stage of an object; nil puts all into one. An object that is
	// missing is created once nothing of the stages before it was missing. One that is
	// there never waits.
	Stage func(client.Object) int
	// Held are children that stay as they are for now: they are neither written nor
	// removed. Where they have a problem, it is the reason.
	Held []Child
	// Fence is checked before the first write; nil lets every write pass.
	Fence *Fence
	// Scaled are the Deployments whose pod counts were an input of the plan, by name.
	Scaled map[string]*appsv1.Deployment
}

// RestOn notes a Deployment as it was when the plan was made; nil is none.
func (p *Plan) RestOn(d *appsv1.Deployment) {
	if d == nil {
		return
	}
	if p.Scaled == nil {
		p.Scaled = map[string]*appsv1.Deployment{}
	}
	p.Scaled[d.Name] = d
}

// Hold takes the planned objects of a kind that match out of the plan. They stay as they
// are in the cluster.
func (p *Plan) Hold(kind string, problem error, matches func(client.Object) bool) {
	p.Objects = slices.DeleteFunc(slices.Clone(p.Objects), func(obj client.Object) bool {
		if !matches(obj) {
			return false
		}
		p.Held = append(p.Held, Child{Kind: kind, Name: obj.GetName(), Problem: problem})
		return true
	})
}

// Outcome is the result of applying a plan.
type Outcome struct {
	// Children are the planned objects, in the plan's order, then those that are held
	// and those that could not be removed.
	Children []Child
	// Again is how soon a write that failed may be tried again; zero when none failed.
	Again time.Duration
	// Writes are the changes that were made.
	Writes []Write
	// IsPartial reports that missing objects were left for the next call, which creates
	// those of the next stage.
	IsPartial bool
	// Notices become Events of the owner: "the release was rolled back".
	Notices []Notice
}

// Describe returns writes in the words of people.
func Describe(writes []Write) []string {
	out := make([]string, len(writes))
	for i, w := range writes {
		out[i] = w.String()
	}
	return out
}

// Notice is an observation of a target that is not about one child.
type Notice struct {
	Reason, Message string
	Warning         bool
}

// HasWritten reports whether an object was written.
func (o *Outcome) HasWritten(kind, name string) bool {
	return slices.ContainsFunc(o.Writes, func(w Write) bool { return w.Kind == kind && w.Name == name })
}

// Action is the kind of a write.
type Action string

// The actions. Committed is that of a whole plan, which has no kind; its name is that of the
// commit.
const (
	Created   Action = "created"
	Updated   Action = "updated"
	Deleted   Action = "deleted"
	Committed Action = "committed"
)

// Write is one change of an object.
type Write struct {
	Action     Action
	Kind, Name string
	// IsReplanned is true for an update to another plan. Other updates repair drift.
	IsReplanned bool
}

func (w Write) String() string {
	if w.Action == Committed {
		return fmt.Sprintf("%s %s with the plan", w.Action, w.Name)
	}
	return fmt.Sprintf("%s %s %s", w.Action, w.Kind, w.Name)
}

// Child is one planned object with its problem.
type Child struct {
	Kind, Name string
	// Generation is that of the live object after the last write.
	Generation int64
	// Problem is why the object is not as planned; nil when it is.
	Problem error
	// HasRaced is set when a write lost a race because of an outdated cache and is retried
	// soon, IsOutdated when that write was an update: the object has an earlier plan.
	HasRaced, IsOutdated bool
}

// Set has the targets of this process by their names.
type Set map[string]Target

// For returns the target of an owner's plan: the one that already applies its children,
// else the chosen one. A choice that changes later moves no running children.
func (s Set) For(owner client.Object, chosen string) (Target, error) {
	if held := s.Held(owner); held != nil {
		return held, nil
	}
	if t := s[chosen]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("target %q is not configured", chosen)
}

// Held returns the target whose finalizer the owner holds, nil where it holds none.
func (s Set) Held(owner client.Object) Target {
	for _, t := range s {
		if f := t.Finalizer(); f != "" && slices.Contains(owner.GetFinalizers(), f) {
			return t
		}
	}
	return nil
}
