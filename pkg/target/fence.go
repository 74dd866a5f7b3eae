package target

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Writer makes the changes of children. It has no other writes than those that a Fence
// guards.
type Writer interface {
	Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error
	Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error
	Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error
	Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error
}

// Fence stops the writes of a decision that was made from an outdated owner. The cache may
// be older than our own last write, or than that of the previous leader.
//
// It asks the API server once, before the first write. Nothing is asked where nothing
// is written, or where the owner was just written under its resourceVersion.
type Fence struct {
	live  client.Reader
	owner client.Object
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

// Guard returns a writer that checks the fence before its first write.
func (f *Fence) Guard(w Writer) Writer {
	if f == nil {
		return w
	}
	return guarded{writer: w, fence: f}
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
	writer Writer
	fence  *Fence
}

func (g guarded) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	if err := g.fence.Check(ctx); err != nil {
		return err
	}
	return g.writer.Create(ctx, obj, opts...)
}

func (g guarded) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	if err := g.fence.Check(ctx); err != nil {
		return err
	}
	return g.writer.Delete(ctx, obj, opts...)
}

func (g guarded) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if err := g.fence.Check(ctx); err != nil {
		return err
	}
	return g.writer.Patch(ctx, obj, patch, opts...)
}

func (g guarded) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	if err := g.fence.Check(ctx); err != nil {
		return err
	}
	return g.writer.Apply(ctx, obj, opts...)
}
