package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// EvidenceState classifies a version's traffic.
//
// +kubebuilder:validation:Enum=Zero;Busy;Unknown
type EvidenceState string

// The states of evidence.
const (
	// EvidenceZero means that the traffic was measured and was zero.
	EvidenceZero EvidenceState = "Zero"
	// EvidenceBusy means that the last measurement saw requests.
	EvidenceBusy EvidenceState = "Busy"
	// EvidenceUnknown means that the source has no data. Missing data is not zero.
	EvidenceUnknown EvidenceState = "Unknown"
)

// TrafficSourceNone is the trafficSource of a version whose ready pods were asked and have
// never answered with metrics: drain.deadline decides when it is removed.
const TrafficSourceNone = "none"

// EvidenceStatus is the measured traffic of a version. Times are those of the API
// server's clock.
type EvidenceStatus struct {
	// The source of the measurements: prometheus, pods.
	// +optional
	Source string `json:"source,omitempty"`
	// The result of the last measurement.
	State EvidenceState `json:"state"`
	// The time since which there was no request, without a gap in the measurements.
	// Absent while there are requests, and while the traffic is unknown.
	// +optional
	ZeroSince *metav1.Time `json:"zeroSince,omitempty"`
	// The time up to which the traffic was measured.
	// +optional
	MeasuredAt *metav1.Time `json:"measuredAt,omitempty"`
	// The latest time at which the last request can have arrived.
	// +optional
	LastRequest *metav1.Time `json:"lastRequest,omitempty"`
	// The pods' request count at measuredAt: another reader of the same counters
	// continues from here.
	// +optional
	Counted int64 `json:"counted,omitempty"`
	// The pods that were counted.
	// +optional
	CountedBy string `json:"countedBy,omitempty"`
	// Why the traffic is unknown.
	// +optional
	Message string `json:"message,omitempty"`
}

// AnalysisVerdict is the result of an analysis of the new version.
//
// +kubebuilder:validation:Enum=Running;Pass;Inconclusive;Fail;NoData
type AnalysisVerdict string

// The verdicts.
const (
	// AnalysisRunning means that nothing was measured yet.
	AnalysisRunning AnalysisVerdict = "Running"
	// AnalysisPass means that a fault would have shown and has not. For a query, the
	// last measurement held.
	AnalysisPass AnalysisVerdict = "Pass"
	// AnalysisInconclusive means that no fault has shown so far, and too few requests
	// were counted to detect one.
	AnalysisInconclusive AnalysisVerdict = "Inconclusive"
	// AnalysisFail means that the version is rejected. For a query, the last
	// measurement did not hold.
	AnalysisFail AnalysisVerdict = "Fail"
	// AnalysisNoData means that the source has no data. For a query, there are too few
	// requests.
	AnalysisNoData AnalysisVerdict = "NoData"
)

// AnalysisOutlook is what the evidence says before there is a verdict.
//
// +kubebuilder:validation:Enum=HealthySoFar;Undecided;Failing
type AnalysisOutlook string

// The outlooks.
const (
	// OutlookHealthy means that no more requests are bad than allowed, and the odds are not
	// against the version.
	OutlookHealthy AnalysisOutlook = "HealthySoFar"
	// OutlookUndecided means that the counts and the odds say different things.
	OutlookUndecided AnalysisOutlook = "Undecided"
	// OutlookFailing means that more requests are bad than allowed, and the odds are against
	// the version: it is rejected if this goes on.
	OutlookFailing AnalysisOutlook = "Failing"
)

// Words returns the outlook as sentences have it. Status of an earlier release has none.
func (o AnalysisOutlook) Words() string {
	switch o {
	case OutlookHealthy:
		return "healthy so far"
	case OutlookFailing:
		return "failing"
	default:
		return "undecided"
	}
}

// MetricStatus is the result of one metric of the new version.
type MetricStatus struct {
	// The metric: "success rate", "p99 latency", or the name of a query.
	Name string `json:"name"`
	// The verdict so far.
	Verdict AnalysisVerdict `json:"verdict"`
	// The value for display: over all requests so far, or the last value of a query.
	// +optional
	Value string `json:"value,omitempty"`
	// The bound that the value was compared with.
	// +optional
	Threshold string `json:"threshold,omitempty"`
	// How many requests the value is based on.
	// +optional
	Samples int64 `json:"samples,omitempty"`
	// Queries only: how many measurements in a row have failed.
	// +optional
	Failures int32 `json:"failures,omitempty"`
	// The end of the last interval, or when a query was measured.
	// +optional
	MeasuredAt *metav1.Time `json:"measuredAt,omitempty"`
	// Why there are no data, or a remark on the verdict.
	// +optional
	Message string `json:"message,omitempty"`
	// The counted requests; absent for queries.
	// +optional
	Counted *CountedStatus `json:"counted,omitempty"`
}

// CountedStatus is the evidence of a metric that counts requests, with the state of its
// tests. Another reader of the same counters continues from here.
type CountedStatus struct {
	// All requests of the new version so far, and how many of them were bad.
	Target RequestCounts `json:"target"`
	// How many more had no answer for a whole interval.
	// +optional
	Hung int64 `json:"hung,omitempty"`
	// The stable version's requests in the intervals that can be compared.
	// +optional
	Stable *RequestCounts `json:"stable,omitempty"`
	// The odds against a healthy version (to one), as text.
	// +optional
	Odds string `json:"odds,omitempty"`
	// The odds at which the version is rejected.
	// +optional
	RejectAt string `json:"rejectAt,omitempty"`
	// What the evidence says until there is a verdict.
	// +optional
	Outlook AnalysisOutlook `json:"outlook,omitempty"`
	// How many more requests without a fault the version needs in order to pass.
	// +optional
	Missing int64 `json:"missing,omitempty"`
	// When it will pass at the rate of the last interval.
	// +optional
	PassesAt *metav1.Time `json:"passesAt,omitempty"`
	// The smallest share of bad requests that would have shown by now, for display.
	// +optional
	WouldShow string `json:"wouldShow,omitempty"`
	// The time since which the version is rejected.
	// +optional
	RejectedAt *metav1.Time `json:"rejectedAt,omitempty"`
	// The limit of a latency in seconds, raised to a bound of the histogram, as text.
	// +optional
	Limit string `json:"limit,omitempty"`
	// The quantile of the stable version that the limit was made of, in seconds, as text.
	// +optional
	StableQuantile string `json:"stableQuantile,omitempty"`
	// The parameters of the tests; the tests start again when they change.
	// +optional
	Asks string `json:"asks,omitempty"`
	// The logarithm of the wealth of the absolute test, and its six shares.
	// +optional
	Absolute string `json:"absolute,omitempty"`
	// The state of the comparison with the stable version.
	// +optional
	Comparison string `json:"comparison,omitempty"`
	// The tests that have rejected the version.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	Rejected []string `json:"rejected,omitempty"`
	// How many requests are required for the verdict Pass.
	// +optional
	Credited int64 `json:"credited,omitempty"`
	// As credited, of the intervals in which the version was compared with the stable one.
	// +optional
	Compared int64 `json:"compared,omitempty"`
	// The interval in which both versions are compared next. It is open while it is short
	// beside the time between the readings of both.
	// +optional
	Open *OpenInterval `json:"open,omitempty"`
	// How many intervals were not compared.
	// +optional
	Uncompared int64 `json:"uncompared,omitempty"`
	// Why the last of them was not.
	// +optional
	UncomparedReason string `json:"uncomparedReason,omitempty"`
	// The counters of the new version at measuredAt.
	// +optional
	TargetCounters *CountersStatus `json:"targetCounters,omitempty"`
	// The counters of the stable version at measuredAt.
	// +optional
	StableCounters *CountersStatus `json:"stableCounters,omitempty"`
}

// OpenInterval is an interval of the comparison that has not ended.
type OpenInterval struct {
	// When the counters of the new version were read at its beginning.
	Since metav1.Time `json:"since"`
	// When those of the stable version were.
	StableSince metav1.Time `json:"stableSince"`
	// How many intervals of the analysis it has.
	// +optional
	Intervals int64 `json:"intervals,omitempty"`
	// The requests of the new version in them.
	Target RequestCounts `json:"target"`
	// The requests of the stable version in them.
	Stable RequestCounts `json:"stable"`
}

// RequestCounts counts requests and the bad ones among them.
type RequestCounts struct {
	// All requests.
	Requests int64 `json:"requests"`
	// Requests that failed, or took longer than the limit.
	Bad int64 `json:"bad"`
}

// CountersStatus holds the counters at one moment.
type CountersStatus struct {
	// The counters of each pod, by a hash of the pod and its container; of many pods, those
	// of groups.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Instances map[string]InstanceCounts `json:"instances,omitempty"`
}

// InstanceCounts holds the counters of a pod, or of a group of pods.
type InstanceCounts struct {
	RequestCounts `json:",inline"`
	// How many requests were in flight.
	// +optional
	InFlight int64 `json:"inFlight,omitempty"`
	// How many of those were in flight for a whole interval, and were counted as hung.
	// +optional
	Hung int64 `json:"hung,omitempty"`
	// The pod could not be read: the counters are those of an earlier moment.
	// +optional
	Unread bool `json:"unread,omitempty"`
}
