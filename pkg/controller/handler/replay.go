package handler

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/rollout/replay"
	"gati.dev/gati/pkg/target"
)

// maxReplays bounds the records of all rollouts in memory, in bytes.
const maxReplays = 8 << 20

// replays has the decisions of the rollouts under way. They are written when a rollout ends:
// a write for each decision would cost as much as the rollout. A record that is lost with the
// process goes on with the next decision.
type replays struct {
	mu sync.Mutex
	of map[types.NamespacedName]*recording
}

// recording has the decisions of one handler. isDue reports whether they are to be written.
type recording struct {
	replay.Recorder
	uid   types.UID
	isDue bool
}

// noteDecision takes in a decision that is persisted.
func (r *Reconciler) noteDecision(s *story) {
	if s.isRecorded || !s.IsDecided() {
		return
	}
	s.isRecorded = true
	one, limit := r.replays.find(s.Handler)
	if one.isDue {
		return // It would go on at rest, and lose what is to be written.
	}
	isOver, err := one.Note(r.Release, s.Input, s.Decision, limit)
	if err != nil {
		r.reportUnrecorded(s.Handler, err)
	}
	one.isDue = isOver
	r.replays.keep(s.Handler, one)
}

// find returns the recording of a handler, and how large it may become.
func (r *replays) find(h *v1.GatiHandler) (*recording, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := min(replay.MaxSize, maxReplays/(len(r.of)+1))
	if known := r.of[client.ObjectKeyFromObject(h)]; known != nil && known.uid == h.UID {
		return known, limit
	}
	return &recording{uid: h.UID}, limit
}

// keep keeps a recording until there is nothing in it.
func (r *replays) keep(h *v1.GatiHandler, one *recording) {
	name := client.ObjectKeyFromObject(h)
	if one.IsEmpty() {
		r.forgetHandler(name)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[types.NamespacedName]*recording{}
	}
	r.of[name] = one
}

// takeDue returns the record of a handler that is to be written; nil where none is.
func (r *replays) takeDue(h *v1.GatiHandler) ([]byte, error) {
	one, _ := r.find(h)
	if !one.isDue {
		return nil, nil
	}
	one.isDue = false
	return one.Record()
}

// forgetHandler drops the decisions of a deleted handler.
func (r *replays) forgetHandler(name types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, name)
}

// keepReplay writes the record of a rollout that has ended. It is for support alone: where it
// cannot be written, an Event says so, and nothing is tried again.
func (r *Reconciler) keepReplay(ctx context.Context, h *v1.GatiHandler) {
	record, err := r.replays.takeDue(h)
	if err == nil && record != nil {
		err = r.writeReplay(ctx, h, record)
	}
	if err != nil {
		r.reportUnrecorded(h, err)
	}
}

func (r *Reconciler) reportUnrecorded(h *v1.GatiHandler, err error) {
	r.Events.Eventf(h, nil, corev1.EventTypeWarning, "NotRecorded", "Reconcile", "The decisions of the rollout are not kept for a replay: %s", err)
}

// writeReplay puts a record into the ConfigMap of a handler. It has no labels: it is no child
// of a plan, and no cache should hold it.
func (r *Reconciler) writeReplay(ctx context.Context, h *v1.GatiHandler, record []byte) error {
	var live corev1.ConfigMap
	live.Namespace, live.Name = h.Namespace, naming.ReplayName(h.Name)
	err := r.Live.Get(ctx, client.ObjectKeyFromObject(&live), &live)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	before := live.DeepCopy()
	live.BinaryData = map[string][]byte{replay.Key: record}
	if err != nil {
		live.OwnerReferences = []metav1.OwnerReference{records.OwnerOf(h)}
		return r.Client.Create(ctx, &live, client.FieldOwner(v1.FieldManager))
	}
	if !metav1.IsControlledBy(&live, h) {
		return target.NotOwnedError(configMapKind, &live, h)
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	return r.Client.Patch(ctx, &live, patch, client.FieldOwner(v1.FieldManager))
}
