package version

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
)

// Reasons that a record's conditions carry.
const (
	reasonInvalid    = "Invalid"
	reasonValid      = "Valid"
	reasonUnbound    = "Unbound"
	reasonRefused    = "Refused"
	reasonAccepted   = "Accepted"
	reasonUndeclared = "NotDeclared"
	reasonServing    = "Serving"
	reasonIdle       = "Idle"
)

// view is what there is to say of a record.
type view struct {
	faults   field.ErrorList
	binding  records.Binding
	problem  string
	election records.Election
	handler  *v1.GatiHandler
}

// report writes the view into the record's status.
func (r *Reconciler) report(ctx context.Context, record *v1.GatiVersion, v view) error {
	before := record.DeepCopy()
	st := &record.Status
	st.ObservedGeneration = record.Generation
	st.Handler, st.Version = v.binding.Handler, v.binding.Version
	st.Phase, st.Weight = "", nil
	if live := v.live(); live != nil {
		weight := live.Weight
		st.Phase, st.Weight = live.Phase, &weight
	}
	now := metav1.NewTime(r.Clock.Now())
	set := func(kind string, status bool, reason, message string) {
		value := metav1.ConditionFalse
		if status {
			value = metav1.ConditionTrue
		}
		meta.SetStatusCondition(&st.Conditions, metav1.Condition{
			Type: kind, Status: value, Reason: reason, Message: message,
			ObservedGeneration: record.Generation, LastTransitionTime: now,
		})
	}
	valid, reason, message := v.valid()
	set(v1.ConditionValid, valid, reason, message)
	accepted, reason, message := v.accepted(record)
	set(v1.ConditionAccepted, accepted, reason, message)
	ready, reason, message := v.ready(accepted, reason, message)
	set(v1.ConditionReady, ready, reason, message)
	// A record that waits for its handler is on its way: in whatever order things
	// are applied, nobody has to act.
	waits := v.problem != ""
	set(v1.ConditionStalled, !accepted && !waits, reason, message)
	set(v1.ConditionReconciling, waits, reason, message)
	if equality.Semantic.DeepEqual(before.Status, record.Status) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	return r.Client.Status().Patch(ctx, record, patch, client.FieldOwner(v1.FieldManager))
}

// live returns what the handler's controller has decided about the version.
func (v view) live() *v1.VersionStatus {
	if v.handler == nil {
		return nil
	}
	at := slices.IndexFunc(v.handler.Status.Versions, func(s v1.VersionStatus) bool { return s.Version == v.binding.Version })
	if at < 0 {
		return nil
	}
	return &v.handler.Status.Versions[at]
}

// valid tells whether the record says what a record can say.
func (v view) valid() (bool, string, string) {
	if len(v.faults) > 0 {
		return false, reasonInvalid, v.faults.ToAggregate().Error()
	}
	return true, reasonValid, ""
}

// accepted tells whether the record counts.
func (v view) accepted(record *v1.GatiVersion) (bool, string, string) {
	if valid, reason, message := v.valid(); !valid {
		return false, reason, message
	}
	if v.problem != "" {
		return false, reasonUnbound, v.problem + "."
	}
	if why, refused := v.election.Refused[record.Name]; refused {
		return false, reasonRefused, why + "."
	}
	return true, reasonAccepted, fmt.Sprintf("It is the record of version %s of handler %s.", v.binding.Version, v.binding.Handler)
}

// ready tells whether what the record stands for is as it should be. A version
// that no handler declares any more, or not yet, runs nothing, and rightly so.
func (v view) ready(accepted bool, reason, message string) (bool, string, string) {
	live := v.live()
	switch {
	case !accepted:
		return false, reason, message
	case v.handler == nil:
		return false, reasonUndeclared, fmt.Sprintf("Handler %s is gone; the record stays until it is deleted.", v.binding.Handler)
	case live == nil:
		return false, reasonUndeclared, fmt.Sprintf("Handler %s has not declared version %s, so nothing runs it.", v.binding.Handler, v.binding.Version)
	case live.Phase == v1.VersionDecommissioned:
		return true, reasonIdle, fmt.Sprintf("Version %s is decommissioned; its record stays.", v.binding.Version)
	default:
		return true, reasonServing, fmt.Sprintf("Version %s has %d %% of the traffic of handler %s.", v.binding.Version, live.Weight, v.binding.Handler)
	}
}
