package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// Version is one version of a handler: the controller's report, joined with its
// record and its workload.
type Version struct {
	Version string `json:"version"`
	// Declared reports whether the handler's spec names this version.
	Declared bool `json:"declared,omitempty"`
	// Sequence is its place in the order of first admission, from 1; 0 before
	// admission.
	Sequence int64 `json:"sequence,omitempty"`
	// RevisionNumber counts the templates that ran under this version, from 1.
	RevisionNumber int64           `json:"revisionNumber,omitempty"`
	Phase          v1.VersionPhase `json:"phase,omitempty"`
	// Weight is its wanted share of the traffic, in percent.
	Weight int32 `json:"weight"`
	// AcceptedWeight is the share that the gateway has accepted, or without a gateway
	// the share of the ready pods; absent where neither is known.
	AcceptedWeight *int32 `json:"acceptedWeight,omitempty"`
	Workload       string `json:"workload,omitempty"`
	Ready          int32  `json:"ready"`
	Desired        int32  `json:"desired"`
	// Role is its role in the handler's rollout, if any.
	Role Role `json:"role,omitempty"`
	// Pinned reports whether a rollback went to it and stays.
	Pinned bool `json:"pinned,omitempty"`
	// Rejected is the reason why it is not rolled out again.
	Rejected string `json:"rejected,omitempty"`
	// DrainingSince is when it began to drain. Stays is why it is not removed yet, as
	// the controller decided it; GoesAt and Leaving are its time and words.
	DrainingSince *metav1.Time    `json:"drainingSince,omitempty"`
	Stays         *v1.StaysStatus `json:"stays,omitempty"`
	GoesAt        *metav1.Time    `json:"goesAt,omitempty"`
	Leaving       string          `json:"leaving,omitempty"`
	// Held is the reason why it gets no weighted traffic: it breaks the callers of
	// another version.
	Held string `json:"held,omitempty"`
	// Contract reports whether callers without a version speak it. Serves are the
	// versions of other runs whose callers it serves.
	Contract bool     `json:"contract,omitempty"`
	Serves   []string `json:"serves,omitempty"`
	// TrafficSource is the source of its measurements: pods, prometheus, both joined by +,
	// or none where its ready pods have never answered with metrics.
	TrafficSource string `json:"trafficSource,omitempty"`
	// Evidence is the measured traffic of a version without weight.
	Evidence *Evidence `json:"evidence,omitempty"`
	// DecommissionedBy is the user who took it out of service, OverriddenBy the one who
	// allowed it traffic although it breaks its callers.
	DecommissionedBy string `json:"decommissionedBy,omitempty"`
	OverriddenBy     string `json:"overriddenBy,omitempty"`
	// Record is the GatiVersion, where one exists.
	Record *Record `json:"record,omitempty"`
}

// IsDown reports whether nothing answers the traffic of a version.
func (v *Version) IsDown() bool { return v.Weight > 0 && v.Desired > 0 && v.Ready == 0 }

// Evidence is the measured traffic of a version.
type Evidence struct {
	// Source is the source of the measurements: prometheus, pods.
	Source string           `json:"source"`
	State  v1.EvidenceState `json:"state"`
	// ZeroSince is the start of the time without any request; LastRequest the latest
	// time of a request; MeasuredAt the end of the measured time.
	ZeroSince   *metav1.Time `json:"zeroSince,omitempty"`
	LastRequest *metav1.Time `json:"lastRequest,omitempty"`
	MeasuredAt  *metav1.Time `json:"measuredAt,omitempty"`
	// Message is the reason why it is not known.
	Message string `json:"message,omitempty"`
}

// Role is the role of a version in a rollout.
type Role string

// The roles.
const (
	// RoleStable serves, and is the target of a rollback.
	RoleStable Role = "Stable"
	// RoleTarget is being rolled out.
	RoleTarget Role = "Target"
)

// Record is a GatiVersion.
type Record struct {
	Namespace string          `json:"namespace"`
	Name      string          `json:"name"`
	CreatedAt metav1.Time     `json:"createdAt"`
	Handler   string          `json:"handler,omitempty"`
	Version   string          `json:"version,omitempty"`
	Phase     v1.VersionPhase `json:"phase,omitempty"`
	// Automatic reports whether the controller wrote it.
	Automatic bool `json:"automatic,omitempty"`
	// Traffic is the share that it requests under the strategy Manual.
	Traffic *int32 `json:"traffic,omitempty"`
	// Inactive reports whether it takes the version out of service.
	Inactive bool     `json:"inactive,omitempty"`
	Tags     []v1.Tag `json:"tags,omitempty"`
	Keep     bool     `json:"keep,omitempty"`
	// Reason is the reason why it is ignored, if it is.
	Reason string `json:"reason,omitempty"`
	// Why is the reason given when one of its fields was last set.
	Why string `json:"why,omitempty"`
}

// Workload is one Deployment.
type Workload struct {
	// Name is the value of the label gati.dev/workload.
	Name       string      `json:"name"`
	Deployment string      `json:"deployment"`
	Ready      int32       `json:"ready"`
	Desired    int32       `json:"desired"`
	Updated    int32       `json:"updated"`
	Autoscaler *Autoscaler `json:"autoscaler,omitempty"`
}

// Autoscaler is the HorizontalPodAutoscaler of a workload.
type Autoscaler struct {
	Name    string `json:"name"`
	Min     int32  `json:"min"`
	Max     int32  `json:"max"`
	Current int32  `json:"current"`
	Desired int32  `json:"desired"`
	// Keda reports whether KEDA has it.
	Keda bool `json:"keda,omitempty"`
	// Limit is the bound that keeps it from the number that its metrics ask for.
	Limit AutoscalerLimit `json:"limit,omitempty"`
	// Message is the reason why it cannot scale, if it cannot.
	Message string `json:"message,omitempty"`
}

// AutoscalerLimit is a bound that an autoscaler is at.
type AutoscalerLimit string

// The bounds.
const (
	// LimitMinimum: its metrics ask for fewer pods than the fewest.
	LimitMinimum AutoscalerLimit = "Minimum"
	// LimitMaximum: its metrics ask for more pods than the most.
	LimitMaximum AutoscalerLimit = "Maximum"
	// LimitRate: its behavior lets it change by no more pods at a time.
	LimitRate AutoscalerLimit = "Rate"
)

// Describe returns the bound in words, empty where there is none.
func (l AutoscalerLimit) Describe() string {
	switch l {
	case LimitMinimum:
		return "limited by the minimum"
	case LimitMaximum:
		return "limited by the maximum"
	case LimitRate:
		return "limited by its behavior"
	default:
		return ""
	}
}

// Condition is a condition without the fields that only controllers need.
type Condition struct {
	Type    string                 `json:"type"`
	Status  metav1.ConditionStatus `json:"status"`
	Reason  string                 `json:"reason,omitempty"`
	Message string                 `json:"message,omitempty"`
	Since   metav1.Time            `json:"since"`
	// Stale reports whether it is about an earlier spec.
	Stale bool `json:"stale,omitempty"`
}
