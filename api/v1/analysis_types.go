package v1

// AnalysisMode is the period over which a Canary is measured.
//
// +kubebuilder:validation:Enum=Background;Step
type AnalysisMode string

// The modes of an analysis.
const (
	// AnalysisBackground measures from the first weight to the last: failures
	// count across steps.
	AnalysisBackground AnalysisMode = "Background"
	// AnalysisStep measures each step by itself, beginning when its weight is accepted.
	AnalysisStep AnalysisMode = "Step"
)

// NoDataPolicy decides what happens when a version has no data.
//
// +kubebuilder:validation:Enum=wait;pass;fail
type NoDataPolicy string

// The policies.
const (
	NoDataWait NoDataPolicy = "wait"
	NoDataPass NoDataPolicy = "pass"
	NoDataFail NoDataPolicy = "fail"
)

// InconclusivePolicy decides what happens when a step ends with too few requests.
//
// +kubebuilder:validation:Enum=pass;wait;fail
type InconclusivePolicy string

// The policies.
const (
	InconclusivePass InconclusivePolicy = "pass"
	InconclusiveWait InconclusivePolicy = "wait"
	InconclusiveFail InconclusivePolicy = "fail"
)

// Analysis defines what the traffic of a new version must show before a Canary takes
// its next step.
//
// +kubebuilder:validation:XValidation:rule="!has(self.confidence) || !self.confidence.matches('^[0-9]{1,3}([.][0-9]{0,3})?$') || double(self.confidence) >= 50.0 && double(self.confidence) < 100.0",message="must be at least 50 and less than 100, such as 99",fieldPath=".confidence"
// +kubebuilder:validation:XValidation:rule="has(self.metrics) || has(self.enabled) && !self.enabled",message="must be set, unless enabled is false",fieldPath=".metrics",reason=FieldValueRequired
type Analysis struct {
	// False: nothing judges the requests to a new version. Without an analysis in the spec,
	// a Canary's new version is compared with the stable one by its success rate, where
	// their requests are measured.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// The length of an interval, which is the unit of evidence: at least twice the time
	// between two readings of the metrics. Bursts of failures within one interval do not
	// roll a healthy version back.
	// +optional
	// +kubebuilder:default="15s"
	Interval Duration `json:"interval,omitempty"`
	// The confidence that a rollback needs, in percent, as text. A version that keeps
	// every bound is wrongly rolled back with at most the remaining probability, over
	// the whole rollout and all metrics. Queries are not covered.
	// +optional
	// +kubebuilder:default="99"
	Confidence Percent `json:"confidence,omitempty"`
	// The size of the fault that a step must be able to detect, as a multiple of the
	// allowed share of bad requests.
	// +optional
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100
	Detect *int32 `json:"detect,omitempty"`
	// What happens when pause and progressDeadline end with too few requests to detect
	// such a fault: pass and report the smallest fault that would have shown, wait for
	// a user to promote, or fail.
	// +optional
	// +kubebuilder:default=pass
	Inconclusive InconclusivePolicy `json:"inconclusive,omitempty"`
	// Judge and report only: the rollout neither waits for the analysis nor is rolled
	// back by it.
	// +optional
	DryRun bool `json:"dryRun,omitempty"`
	// Queries only: the length of time that each measurement covers. Measurements do
	// not overlap.
	// +optional
	// +kubebuilder:default="1m"
	Window Duration `json:"window,omitempty"`
	// Queries only. Background measures from the first weight to the last, and failures count
	// across steps; Step measures each step by itself.
	// +optional
	// +kubebuilder:default=Background
	Mode AnalysisMode `json:"mode,omitempty"`
	// Queries only: how many measurements in a row must fail before the rollout fails.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	FailureLimit *int32 `json:"failureLimit,omitempty"`
	// Queries only: the fewest requests that a measurement needs; with fewer it does
	// not count.
	// +optional
	// +kubebuilder:default=20
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	MinSamples *int32 `json:"minSamples,omitempty"`
	// What happens when the source of the metrics has no data: wait for it, pass
	// without it, or fail at the end of the step.
	// +optional
	// +kubebuilder:default=wait
	NoData NoDataPolicy `json:"noData,omitempty"`
	// The metrics. Every one must hold. Required unless enabled is false.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(m, self.filter(n, (has(m.successRate) && has(n.successRate)) || (has(m.latency) && has(n.latency) && (has(m.latency.quantile) ? m.latency.quantile : '0.99') == (has(n.latency.quantile) ? n.latency.quantile : '0.99')) || (has(m.query) && has(n.query) && m.query.name == n.query.name)).size() <= 1)",message="must not measure the same twice; remove one, or give each query its own name"
	Metrics []AnalysisMetric `json:"metrics,omitempty"`
}

// IsOff reports whether the analysis is set and judges nothing.
func (a *Analysis) IsOff() bool { return a != nil && a.Enabled != nil && !*a.Enabled }

// AnalysisMetric is one metric of an analysis.
//
// +kubebuilder:validation:XValidation:rule="[has(self.successRate), has(self.latency), has(self.query)].filter(x, x).size() == 1",message="must have exactly one of successRate, latency and query"
type AnalysisMetric struct {
	// The share of requests with a status below 500.
	// +optional
	SuccessRate *SuccessRate `json:"successRate,omitempty"`
	// The time that requests take.
	// +optional
	Latency *Latency `json:"latency,omitempty"`
	// The result of a Prometheus query, where the operator allows queries.
	// +optional
	Query *AnalysisQuery `json:"query,omitempty"`
}

// SuccessRate bounds the share of requests with a status below 500.
//
// +kubebuilder:validation:XValidation:rule="has(self.min) || has(self.baseline)",message="must have min, baseline or both"
// +kubebuilder:validation:XValidation:rule="!has(self.min) || !self.min.matches('^0{1,2}([.]0{0,3})?$')",message="must be more than 0; to accept any share, remove min",fieldPath=".min"
type SuccessRate struct {
	// The minimum share in percent, as text: "99.5".
	// +optional
	Min Percent `json:"min,omitempty"`
	// Compares with the stable version: rejects a version whose share of failures is
	// more than twice the stable version's, and more than twice within.
	// +optional
	Baseline *Baseline `json:"baseline,omitempty"`
}

// Latency bounds how long requests take.
//
// +kubebuilder:validation:XValidation:rule="has(self.max) || has(self.baseline)",message="must have max, baseline or both"
type Latency struct {
	// The share of requests that must meet the limit, as text. Empty means "0.99": all
	// but one percent.
	// +optional
	Quantile Quantile `json:"quantile,omitempty"`
	// The maximum time: 500ms, 2s. A limit between two buckets of the histogram is
	// raised to the next bound.
	// +optional
	Max ShortDuration `json:"max,omitempty"`
	// Compares with the stable version: the limit is the stable version's quantile
	// before the first weight, plus this many percent.
	// +optional
	Baseline *Baseline `json:"baseline,omitempty"`
}

// Baseline compares with the stable version, measured over the same time.
type Baseline struct {
	// How much worse the new version may be: percentage points of a success rate,
	// percent of a latency. Text: "1", "20".
	// +required
	Within Percent `json:"within"`
}

// AnalysisQuery asks Prometheus for one number.
//
// +kubebuilder:validation:XValidation:rule="has(self.min) || has(self.max)",message="must have min, max or both"
// +kubebuilder:validation:XValidation:rule="!has(self.min) || !has(self.max) || !self.min.matches('^-?[0-9]{1,15}([.][0-9]{1,9})?$') || !self.max.matches('^-?[0-9]{1,15}([.][0-9]{1,9})?$') || double(self.min) <= double(self.max)",message="must not be above max; lower min or raise max",fieldPath=".min"
type AnalysisQuery struct {
	// A readable name of the number: "queue length".
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9]([A-Za-z0-9 ._-]*[A-Za-z0-9])?$')",message="must hold letters, digits, spaces, dots, hyphens and underscores, such as queue length"
	Name string `json:"name"`
	// The query, in PromQL. It must return one number. {{namespace}}, {{handler}},
	// {{version}}, {{workload}}, {{deployment}}, {{service}}, {{pods}} (a regular
	// expression) and {{window}} are replaced with the new version's values.
	// +required
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[ \\n\\t]*$')",message="must be a query in PromQL such as sum(queue_length{namespace='{{namespace}}',pod=~'{{pods}}'})"
	// +kubebuilder:validation:XValidation:rule="!self.replace('{{namespace}}', '').replace('{{handler}}', '').replace('{{version}}', '').replace('{{workload}}', '').replace('{{deployment}}', '').replace('{{service}}', '').replace('{{pods}}', '').replace('{{window}}', '').contains('{{')",message="must have no other placeholder than {{namespace}}, {{handler}}, {{version}}, {{workload}}, {{deployment}}, {{service}}, {{pods}} and {{window}}; remove the other {{"
	PromQL string `json:"promQL"`
	// The minimum, as text.
	// +optional
	Min Number `json:"min,omitempty"`
	// The maximum, as text.
	// +optional
	Max Number `json:"max,omitempty"`
}

// Percent is a number from 0 to 100 as text, because JSON numbers would be rounded.
//
// +kubebuilder:validation:MaxLength=7
// +kubebuilder:validation:XValidation:rule="self.matches('^(100([.]0{1,3})?|[0-9]{1,2}([.][0-9]{1,3})?)$')",message="must be a number from 0 to 100 with at most three digits after the point, such as 99.5"
type Percent string

// Quantile is a number between 0 and 1 as text.
//
// +kubebuilder:validation:MaxLength=8
// +kubebuilder:validation:XValidation:rule="self.matches('^0[.][0-9]{1,4}$') && !self.matches('^0[.]0+$')",message="must be a number between 0 and 1, such as 0.99"
type Quantile string

// Number is a decimal number as text.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^-?[0-9]{1,15}([.][0-9]{1,9})?$')",message="must be a decimal number such as 100 or 0.25"
type Number string

// ShortDuration is a duration of at least one millisecond.
//
// +kubebuilder:validation:MaxLength=16
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,7}ms|[0-9]{1,5}s)$') && !self.matches('^0+(ms|s)$')",message="must be milliseconds or seconds, such as 500ms or 2s, and at least 1ms"
type ShortDuration string
