package rollout

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// Input is all that a decision rests on.
type Input struct {
	// Version is the version that the spec declares, and Revision the template
	// that it runs.
	Version        string
	Revision       string
	RevisionNumber int64
	// State is what was decided before, oldest version first.
	State []v1.VersionStatus
	// Seen tells how far the workload has come.
	Seen Observation
}

// Observation is what the cluster says of the one workload of RollingUpdate.
type Observation struct {
	// Updated, Ready and Wanted count the workload's pods: those of the newest
	// template, those that are ready, those that are asked for.
	Updated, Ready, Wanted int32
	// Complete tells that every pod runs the template asked for and no other pod
	// is left.
	Complete bool
}

// Decision is what should be, and why.
type Decision struct {
	// Versions is the next state.
	Versions []v1.VersionStatus
	// Reason is one sentence for people.
	Reason string
}

// Next decides for the strategy RollingUpdate: the declared version has all of
// the traffic, and a version before it is over once no pod of its is left.
func Next(in Input) Decision {
	versions := slices.Clone(in.State)
	at := slices.IndexFunc(versions, func(v v1.VersionStatus) bool { return v.Version == in.Version })
	if at < 0 {
		versions = append(versions, v1.VersionStatus{Version: in.Version, Sequence: NextSequence(in.State)})
		at = len(versions) - 1
	}
	for i := range versions {
		if i == at {
			versions[i] = activated(versions[i], in)
		} else {
			versions[i] = superseded(versions[i], in.Seen.Complete)
		}
	}
	return Decision{Versions: forgetful(versions), Reason: Sentence("Version "+in.Version, in.Seen)}
}

// maxVersions is how many versions the status holds: the CRD takes 512, and a
// status that is refused would stop every later decision.
const maxVersions = 500

// forgetful drops the oldest versions that are over, where there are too many.
// The newest stay, so no place in the order is given twice.
func forgetful(versions []v1.VersionStatus) []v1.VersionStatus {
	surplus := len(versions) - maxVersions
	if surplus <= 0 {
		return versions
	}
	last := NextSequence(versions) - 1
	return slices.DeleteFunc(versions, func(v v1.VersionStatus) bool {
		over := v.Phase == v1.VersionDecommissioned && v.Sequence != last && surplus > 0
		if over {
			surplus--
		}
		return over
	})
}

// NextSequence returns the place that a version gets which was never admitted
// before.
func NextSequence(state []v1.VersionStatus) int64 {
	var last int64
	for _, v := range state {
		last = max(last, v.Sequence)
	}
	return last + 1
}

func activated(v v1.VersionStatus, in Input) v1.VersionStatus {
	v.Phase, v.Weight, v.Workload = v1.VersionActive, 100, v1.WorkloadMain
	v.Revision, v.RevisionNumber = in.Revision, in.RevisionNumber
	return v
}

func superseded(v v1.VersionStatus, over bool) v1.VersionStatus {
	v.Weight = 0
	if over || v.Phase == v1.VersionDecommissioned {
		v.Phase, v.Workload, v.AcceptedWeight = v1.VersionDecommissioned, "", nil
		return v
	}
	v.Phase = v1.VersionDraining
	return v
}

// Sentence says how far a workload has come. what names it: "Version v2".
func Sentence(what string, s Observation) string {
	switch {
	case s.Wanted == 0 && s.Complete:
		return what + " is scaled to 0 pods."
	case s.Complete && s.Ready >= s.Wanted:
		return fmt.Sprintf("%s serves with %d of %d pods ready.", what, s.Ready, s.Wanted)
	case s.Complete:
		return fmt.Sprintf("%s has %d of %d pods ready.", what, s.Ready, s.Wanted)
	default:
		return fmt.Sprintf("%s is rolling out: %d of %d pods updated, %d ready.", what, s.Updated, s.Wanted, s.Ready)
	}
}
