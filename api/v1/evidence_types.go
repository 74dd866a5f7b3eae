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
	// How many requests the pods had counted at measuredAt, and which pods those
	// were: another reader of the same counters carries on from here.
	// +optional
	Counted int64 `json:"counted,omitempty"`
	// +optional
	CountedBy string `json:"countedBy,omitempty"`
	// Why it is not known.
	// +optional
	Message string `json:"message,omitempty"`
}

// AnalysisVerdict is the result of an analysis of the new version.
//
// +kubebuilder:validation:Enum=Running;Pass;Fail;NoData
type AnalysisVerdict string

// The verdicts.
const (
	// AnalysisRunning means that nothing was measured yet.
	AnalysisRunning AnalysisVerdict = "Running"
	// AnalysisPass means that the last measurement held.
	AnalysisPass AnalysisVerdict = "Pass"
	// AnalysisFail means that the last measurement did not hold.
	AnalysisFail AnalysisVerdict = "Fail"
	// AnalysisNoData means that there are no data, or too few to judge.
	AnalysisNoData AnalysisVerdict = "NoData"
)

// MetricStatus is the last measurement of one metric of the new version.
type MetricStatus struct {
	// What is measured: "success rate", "p99 latency", or the name of a query.
	Name string `json:"name"`
	// What came of it.
	Verdict AnalysisVerdict `json:"verdict"`
	// The value and its bound, as people read them.
	// +optional
	Value string `json:"value,omitempty"`
	// +optional
	Threshold string `json:"threshold,omitempty"`
	// How many requests the value rests on.
	// +optional
	Samples int64 `json:"samples,omitempty"`
	// How many measurements in a row have failed.
	// +optional
	Failures int32 `json:"failures,omitempty"`
	// When it was measured.
	// +optional
	MeasuredAt *metav1.Time `json:"measuredAt,omitempty"`
	// Why there are no data.
	// +optional
	Message string `json:"message,omitempty"`
}
