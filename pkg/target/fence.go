package target

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Fence keeps a decision from being acted on that rests on an outdated owner. The cache
// may be older than our own last write, or than that of the leader before.
//
// It asks the API server once, before the first write. Nothing is asked where nothing
// is written, or where the owner was just written under its resourceVersion.
type Fence struct {
	live  client.Reader
	owner client.Object
	// persist writes the owner before the first write; nil where that is not wanted.
	persist func(context.Context) (bool, error)
	// createsFirst is set where creates need not wait for the check.
	createsFirst bool
	// isOwn is set where the owner as read is that of our own last write.
	isOwn bool
	// isChecked is set once it is known whether the owner is current; failed is why not.
	isChecked bool
	failed    error
}

// NewFence returns the fence of one reconciliation of an owner as it was read.
func NewFence(live client.Reader, owner client.Object) *Fence {
	return &Fence{live: live, owner: owner}
}

// MarkCurrent notes that the API server has accepted a write of the owner under the
// resourceVersion that was read.
func (f *Fence) MarkCurrent() { f.isChecked, f.failed = true, nil }

// TrustOwn notes that the owner as read is that of our own last write of it: the API server
// need not be asked whether it is older than that.
func (f *Fence) TrustOwn() { f.isOwn = true }

// CreateFirst notes that objects may be created before the check: nothing was there, and what
// is there after all refuses a create. Routes are checked for all the same: a request that
// one of them takes from another handler is lost before anybody sees it.
func (f *Fence) CreateFirst() { f.createsFirst = true }

// PersistFirst has a decision written into the owner before the first write that follows
// from it. persist writes under the resourceVersion that was read, and reports whether there
// was something to write. Where it fails, nothing is written.
func (f *Fence) PersistFirst(persist func(context.Context) (bool, error)) { f.persist = persist }

// Guard returns a client that checks the fence before its first write.
func (f *Fence) Guard(c client.Client) client.Client {
	if f == nil {
		return c
	}
	return guarded{Client: c, fence: f}
}

// Check returns a StaleError where the owner has changed since it was read. Targets that
// write elsewhere than to the API server call it before their first write.
func (f *Fence) Check(ctx context.Context) error {
	if f == nil {
		return nil
	}
	if !f.isChecked {
		f.isChecked, f.failed = true, f.check(ctx)
	}
	return f.failed
}

func (f *Fence) check(ctx context.Context) error {
	if f.persist != nil {
		written, err := f.persist(ctx)
		if err != nil {
			return &StaleError{Err: fmt.Errorf("persist the decision about %s before it is acted on: %w", f.owner.GetName(), err)}
		}
		if written {
			return nil
		}
	}
	if f.isOwn {
		return nil
	}
	now := f.owner.DeepCopyObject().(client.Object)
	err := f.live.Get(ctx, client.ObjectKeyFromObject(f.owner), now)
	if client.IgnoreNotFound(err) != nil {
		return &StaleError{Err: fmt.Errorf("read %s again before a write: %w", f.owner.GetName(), err)}
	}
	if err != nil || now.GetUID() != f.owner.GetUID() || now.GetResourceVersion() != f.owner.GetResourceVersion() {
		return &StaleError{Err: fmt.Errorf("%s has changed since it was read", f.owner.GetName())}
	}
	return nil
}

// guarded checks a fence before each write.
type guarded struct {
	client.Client
	fence *Fence
}

func (g guarded) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	if !g.fence.createsFirst || isRoute(obj) {
		if err := g.fence.Check(ctx); err != nil {
			return err
		}
	}
	return g.Client.Create(ctx, obj, opts...)
}

func (g guarded) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	if err := g.fence.Check(ctx); err != nil {
		return err
	}
	return g.Client.Delete(ctx, obj, opts...)
}

func (g guarded) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if err := g.fence.Check(ctx); err != nil {
		return err
	}
	return g.Client.Patch(ctx, obj, patch, opts...)
}

func (g guarded) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	if err := g.fence.Check(ctx); err != nil {
		return err
	}
	return g.Client.Apply(ctx, obj, opts...)
}

func isRoute(obj client.Object) bool {
	return obj.GetObjectKind().GroupVersionKind().Kind == "HTTPRoute"
}
