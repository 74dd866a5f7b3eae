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

// read runs one read beside the others.
func (r *reader) read(resource string, read func() error) {
	r.wait.Go(func() {
		if err := read(); err != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.unread = append(r.unread, status.Unread{Resource: resource, Reason: brief(err)})
			r.errs[resource] = err
		}
	})
}

// children reads the workloads, pods and autoscalers that the options select.
func (r *reader) children(objs *status.Objects, opts ...client.ListOption) {
	r.read(status.ResourceDeployments, func() (err error) {
		objs.Deployments, err = list(r.ctx, r.c, deployments, opts...)
		return err
	})
	r.read(status.ResourcePods, func() (err error) {
		objs.Pods, err = list(r.ctx, r.c, pods, opts...)
		return err
	})
	r.read(status.ResourceAutoscalers, func() (err error) {
		objs.Autoscalers, err = list(r.ctx, r.c, autoscalers, opts...)
		return err
	})
}

// versions reads the records that the options select.
func (r *reader) versions(objs *status.Objects, opts ...client.ListOption) {
	r.read(status.ResourceVersions, func() (err error) {
		objs.Versions, err = list(r.ctx, r.c, versions, opts...)
		return err
	})
}

// done waits for all reads and notes what is missing.
func (r *reader) done(objs *status.Objects) {
	r.wait.Wait()
	objs.Unread = r.unread
}
