package version

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
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

// view is the reported state of a record.
type view struct {
	faults  field.ErrorList
	binding records.Binding
	problem string
	// automatic reports whether the record is the controller's own.
	automatic bool
	election  records.Election
	handler   *v1.GatiHandler
	// others are the other records of the handler, by version.
	others map[string]*v1.GatiVersion
}

// report writes the view into the record's status.
func (r *Reconciler) report(ctx context.Context, record *v1.GatiVersion, v view) error {
	before := record.DeepCopy()
	st := &record.Status
	st.ObservedGeneration = record.Generation
	st.Automatic = &v.automatic
	if len(v.faults) == 0 {
		st.Handler, st.Version = v.binding.Handler, v.binding.Version
	}
	st.Phase = v.phaseAfter(st.Phase)
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
	valid, reason, message := v.isValid()
	set(v1.ConditionValid, valid, reason, message)
	accepted, reason, message := v.isAccepted(record)
	set(v1.ConditionAccepted, accepted, reason, message)
	ready, reason, message := v.isReady(accepted, st.Phase, reason, message)
	set(v1.ConditionReady, ready, reason, message)
	// A record that waits for its handler is on its way: in whatever order things
	// are applied, no action is needed. One that is invalid waits for its author.
	waits := v.problem != "" && len(v.faults) == 0
	set(v1.ConditionStalled, !accepted && !waits, reason, message)
	set(v1.ConditionReconciling, waits, reason, message)
	report.Compatible(&st.Conditions, v.describeCompatibility(record), record.Generation, r.Clock.Now())
	report.CleanTexts(st)
	if equality.Semantic.DeepEqual(before.Status, record.Status) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	return r.Client.Status().Patch(ctx, record, patch, client.FieldOwner(v1.FieldManager))
}

// liveStatus returns the decision of the handler's controller about the version: of several
// templates, that of the liveliest.
func (v view) liveStatus() *v1.VersionStatus {
	if v.handler == nil {
		return nil
	}
	var out *v1.VersionStatus
	for i := range v.handler.Status.Versions {
		s := &v.handler.Status.Versions[i]
		switch {
		case s.Version != v.binding.Version:
		case out == nil:
			out = s.DeepCopy()
		case slices.Index(lively, s.Phase) < slices.Index(lively, out.Phase):
			out = s.DeepCopy()
		}
	}
	return out
}

// phaseAfter returns that of the version. The handler's status forgets old versions; a record
// that shows one as decommissioned keeps doing so.
func (v view) phaseAfter(before v1.VersionPhase) v1.VersionPhase {
	switch live := v.liveStatus(); {
	case live != nil:
		return live.Phase
	case v.handler != nil && before == v1.VersionDecommissioned:
		return before
	default:
		return ""
	}
}

var lively = []v1.VersionPhase{v1.VersionActive, v1.VersionDraining, v1.VersionDecommissioned}

// isValid reports whether the record is valid.
func (v view) isValid() (bool, string, string) {
	if len(v.faults) > 0 {
		return false, reasonInvalid, v.faults.ToAggregate().Error()
	}
	return true, reasonValid, ""
}

// isAccepted reports whether the record counts.
func (v view) isAccepted(record *v1.GatiVersion) (bool, string, string) {
	if valid, reason, message := v.isValid(); !valid {
		return false, reason, message
	}
	if v.problem != "" {
		return false, reasonUnbound, v.problem + "."
	}
	if why, refused := v.election.Refused[record.Name]; refused {
		return false, reasonRefused, why + "."
	}
	for _, tag := range record.Spec.Tags {
		if why := records.TagTaken(record, tag, v.olderRecords(record)); why != "" {
			return false, reasonRefused, fmt.Sprintf("The tag %s %s.", tag, why)
		}
	}
	return true, reasonAccepted, fmt.Sprintf("It is the record of version %s of handler %s.", v.binding.Version, v.binding.Handler)
}

// olderRecords are the handler's records that count and were there before this one: among
// those that have a tag, the oldest keeps it.
func (v view) olderRecords(record *v1.GatiVersion) []v1.GatiVersion {
	var out []v1.GatiVersion
	for _, version := range slices.Sorted(maps.Keys(v.others)) {
		if other := v.others[version]; other != nil {
			out = append(out, *other)
		}
	}
	return records.Older(record, out)
}

// isReady reports whether the version of the record is as decided. A version that no
// handler declares any more, or not yet, is ready without a workload.
func (v view) isReady(accepted bool, phase v1.VersionPhase, reason, message string) (bool, string, string) {
	switch {
	case !accepted:
		return false, reason, message
	case v.handler == nil:
		return false, reasonUndeclared, fmt.Sprintf("Handler %s is gone; the record stays until it is deleted.", v.binding.Handler)
	case phase == "":
		return false, reasonUndeclared, fmt.Sprintf("Handler %s has not declared version %s, so nothing runs it.", v.binding.Handler, v.binding.Version)
	case phase == v1.VersionDecommissioned:
		return true, reasonIdle, fmt.Sprintf("Version %s is decommissioned; its record stays.", v.binding.Version)
	default:
		return true, reasonServing, fmt.Sprintf("Version %s is live; the status of handler %s has its share of the traffic.", v.binding.Version, v.binding.Handler)
	}
}
