package logs

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/status"
)

// again is how long after the end of a watch the next one begins, and how often the
// pods are read where they may not be watched.
const again = time.Second

// follower reads the containers of one handler or module as they come.
type follower struct {
	*tail
	ref     cluster.Ref
	streams sync.WaitGroup
}

// followPods writes the new log lines of the pods, until the context ends, or the server
// has been unreachable for the timeout of one request.
func (t *tail) followPods(ctx context.Context, ref cluster.Ref) error {
	f := &follower{tail: t, ref: ref}
	defer f.streams.Wait()
	for last := time.Now(); ; {
		err := cluster.Pods(ctx, t.client, t.namespace, ref, func(pod *corev1.Pod) error { return f.handlePod(ctx, pod) })
		if apierrors.IsForbidden(err) {
			err = f.refreshPods(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			last = time.Now()
		case time.Since(last) >= cluster.Patience(t.env):
			return cluster.Explain(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(again):
		}
	}
}

// refreshPods reads the pods once, in place of a watch.
func (f *follower) refreshPods(ctx context.Context) error {
	objs, err := f.readObjects(ctx, f.ref)
	if err != nil {
		return err
	}
	if err := f.updateVersions(objs); err != nil {
		return err
	}
	for i := range objs.Pods {
		f.startStream(ctx, &objs.Pods[i])
	}
	return nil
}

// updateVersions takes over which versions there are now, unless one was named.
func (f *follower) updateVersions(objs status.Objects) (err error) {
	if f.version == "" {
		f.versions, err = f.selectVersions(objs)
	}
	return err
}

// handlePod takes a pod. One of a version that is not known yet is that of a new version.
func (f *follower) handlePod(ctx context.Context, pod *corev1.Pod) error {
	if f.version == "" && !f.isSelected(pod) {
		objs, err := f.readObjects(ctx, f.ref)
		if err != nil {
			return err
		}
		if err := f.updateVersions(objs); err != nil {
			return err
		}
	}
	f.startStream(ctx, pod)
	return nil
}

// startStream reads the containers of a pod that run and were not read yet.
func (f *follower) startStream(ctx context.Context, pod *corev1.Pod) {
	if !f.isSelected(pod) {
		return
	}
	for _, c := range containersOf(pod) {
		if !f.isShown(c) || !f.isUnread(pod, &c) {
			continue
		}
		name, prefix := c.status.Name, f.linePrefix(pod, c.status.Name) // the versions change meanwhile
		f.streams.Go(func() {
			if err := f.streamLog(ctx, pod, name, prefix); err != nil && ctx.Err() == nil {
				fmt.Fprintf(f.env.Streams.ErrOut, "warning: %s: %s\n", pod.Name, output.Line(err.Error()))
			}
		})
	}
}
