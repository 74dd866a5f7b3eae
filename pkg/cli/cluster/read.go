package cluster

import (
	"context"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/status"
)

// reader reads several lists side by side and keeps what could not be read
// apart: one forbidden list must not hide the others.
type reader struct {
	ctx  context.Context
	c    client.Reader
	wait sync.WaitGroup

	mu     sync.Mutex
	unread []status.Unread
	errs   map[string]error
}

func newReader(ctx context.Context, c client.Reader) *reader {
	return &reader{ctx: ctx, c: c, errs: map[string]error{}}
}

// startRead runs one read beside the others.
func (r *reader) startRead(resource string, read func() error) {
	r.wait.Go(func() {
		if err := read(); err != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.unread = append(r.unread, status.Unread{Resource: resource, Reason: reasonFor(err)})
			r.errs[resource] = err
		}
	})
}

// readChildren reads the workloads, pods and autoscalers that the options select, to
// those that are there already.
func (r *reader) readChildren(objs *status.Objects, opts ...client.ListOption) {
	readInto(r, status.ResourceDeployments, &objs.Deployments, deployments, opts)
	readInto(r, status.ResourcePods, &objs.Pods, pods, opts)
	readInto(r, status.ResourceAutoscalers, &objs.Autoscalers, autoscalers, opts)
}

// readVersions reads the records that the options select.
func (r *reader) readVersions(objs *status.Objects, opts ...client.ListOption) {
	readInto(r, status.ResourceVersions, &objs.Versions, versions, opts)
}

// readInto reads a list beside the others and adds it to what is there.
func readInto[T, L any, P page[L]](r *reader, resource string, all *[]T, items func(P) []T, opts []client.ListOption) {
	r.startRead(resource, func() error {
		found, err := listAll(r.ctx, r.c, items, opts...)
		r.mu.Lock()
		defer r.mu.Unlock()
		*all = append(*all, found...)
		return err
	})
}

// awaitReads waits for all reads and notes what is missing.
func (r *reader) awaitReads(objs *status.Objects) {
	r.wait.Wait()
	objs.Unread = r.unread
}
