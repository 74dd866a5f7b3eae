package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// EvidenceState classifies a version's traffic.
//
// +kubebuilder:validation:Enum=Zero;Busy;Unknown
type EvidenceState string

// The states of evidence.
const (
	// EvidenceZero means that the traffic was measured, and there was none.
	EvidenceZero EvidenceState = "Zero"
	// EvidenceBusy means that the last measurement saw requests.
	EvidenceBusy EvidenceState = "Busy"
	// EvidenceUnknown means that the source is silent. Missing data is not zero.
	EvidenceUnknown EvidenceState = "Unknown"
)

// EvidenceStatus is the measured traffic of a version. Times are of the API
// server's clock.
type EvidenceStatus struct {
	// What measures: prometheus, pods.
	// +optional
	Source string `json:"source,omitempty"`
	// What the last measurement said.
	State EvidenceState `json:"state"`
	// Since when there was no request, without a gap in the measurements. Absent
	// while there are requests, and while it is unknown.
	// +optional
	ZeroSince *metav1.Time `json:"zeroSince,omitempty"`
	// Up to when the traffic was measured.
	// +optional
	MeasuredAt *metav1.Time `json:"measuredAt,omitempty"`
	// When a request was last seen, at the latest.
	// +optional
	LastRequest *metav1.Time `json:"lastRequest,omitempty"`
	// How many requests the pods had counted at measuredAt: another reader of the
	// same counters carries on from here.
	// +optional
	Counted int64 `json:"counted,omitempty"`
	// The pods that had counted them.
	// +optional
	CountedBy string `json:"countedBy,omitempty"`
	// Why it is not known.
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
	// AnalysisPass means that a fault would have shown and has not, or for a query that
	// the last measurement held.
	AnalysisPass AnalysisVerdict = "Pass"
	// AnalysisInconclusive means that nothing is wrong so far, with too few requests for
	// a fault to have shown.
	AnalysisInconclusive AnalysisVerdict = "Inconclusive"
	// AnalysisFail means that the version is rejected, or for a query that the last
	// measurement did not hold.
	AnalysisFail AnalysisVerdict = "Fail"
	// AnalysisNoData means that the source is silent, or for a query that there are too
	// few requests.
	AnalysisNoData AnalysisVerdict = "NoData"
)

// MetricStatus is what one metric of the new version has shown.
type MetricStatus struct {
	// What is measured: "success rate", "p99 latency", or the name of a query.
	Name string `json:"name"`
	// What came of it.
	Verdict AnalysisVerdict `json:"verdict"`
	// The value, as people read it: of all requests so far, of a query the last one.
	// +optional
	Value string `json:"value,omitempty"`
	// The bound that the value was compared with.
	// +optional
	Threshold string `json:"threshold,omitempty"`
	// How many requests the value rests on.
	// +optional
	Samples int64 `json:"samples,omitempty"`
	// Queries only: how many measurements in a row have failed.
	// +optional
	Failures int32 `json:"failures,omitempty"`
	// The end of the last interval, or when a query was measured.
	// +optional
	MeasuredAt *metav1.Time `json:"measuredAt,omitempty"`
	// Why there are no data, or what else to know of the verdict.
	// +optional
	Message string `json:"message,omitempty"`
	// What was counted of requests; absent for queries.
	// +optional
	Counted *CountedStatus `json:"counted,omitempty"`
}

// CountedStatus is the evidence of a metric that counts requests, with the state of its
// tests: whoever reads the same counters carries on from here.
type CountedStatus struct {
	// All requests of the new version so far, and how many of them were bad.
	Target RequestCounts `json:"target"`
	// Those of the stable version in the intervals that can be compared.
	// +optional
	Stable *RequestCounts `json:"stable,omitempty"`
	// The odds against a healthy version, to one, as text.
	// +optional
	Odds string `json:"odds,omitempty"`
	// The odds at which the version is rejected.
	// +optional
	RejectAt string `json:"rejectAt,omitempty"`
	// How many more requests without a fault the version needs to pass.
	// +optional
	Missing int64 `json:"missing,omitempty"`
	// When that will be at the rate of the last interval.
	// +optional
	PassesAt *metav1.Time `json:"passesAt,omitempty"`
	// The share of bad requests that would have shown by now, as people read it.
	// +optional
	WouldShow string `json:"wouldShow,omitempty"`
	// Since when the version is rejected.
	// +optional
	RejectedAt *metav1.Time `json:"rejectedAt,omitempty"`
	// The limit of a latency in seconds: a bound of the histogram, as text.
	// +optional
	Limit string `json:"limit,omitempty"`
	// What the tests ask; they start again when it changes.
	// +optional
	Asks string `json:"asks,omitempty"`
	// The logarithm of the wealth of the absolute test, and its six shares.
	// +optional
	Absolute string `json:"absolute,omitempty"`
	// That of the test at twice what within allows.
	// +optional
	Excess string `json:"excess,omitempty"`
	// That of the comparison with the stable version.
	// +optional
	Comparison string `json:"comparison,omitempty"`
	// The tests that have rejected.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=3
	Rejected []string `json:"rejected,omitempty"`
	// How many requests count for the verdict Pass.
	// +optional
	Credited int64 `json:"credited,omitempty"`
	// The counters of the new version at measuredAt.
	// +optional
	TargetCounters *CountersStatus `json:"targetCounters,omitempty"`
	// Those of the stable version.
	// +optional
	StableCounters *CountersStatus `json:"stableCounters,omitempty"`
}

// RequestCounts are requests, and the bad ones of them.
type RequestCounts struct {
	// All of them.
	Requests int64 `json:"requests"`
	// Those that failed, or took longer than the limit.
	Bad int64 `json:"bad"`
}

// CountersStatus are counters at one moment.
type CountersStatus struct {
	RequestCounts `json:",inline"`
	// Identifies the pods that had counted them.
	By string `json:"by"`
}
