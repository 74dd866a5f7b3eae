package v1

// AnalysisMode is when a Canary is measured.
//
// +kubebuilder:validation:Enum=Background;Step
type AnalysisMode string

// The modes of an analysis.
const (
	// AnalysisBackground measures from the first weight to the last: failures
	// count across steps.
	AnalysisBackground AnalysisMode = "Background"
	// AnalysisStep measures each step by itself, from when its weight is accepted.
	AnalysisStep AnalysisMode = "Step"
)

// NoDataPolicy is the meaning of missing or insufficient data on a version.
//
// +kubebuilder:validation:Enum=wait;pass;fail
type NoDataPolicy string

// The policies.
const (
	NoDataWait NoDataPolicy = "wait"
	NoDataPass NoDataPolicy = "pass"
	NoDataFail NoDataPolicy = "fail"
)

// Analysis says what a new version's traffic must show before a Canary goes on.
type Analysis struct {
	// How often to measure.
	// +optional
	// +kubebuilder:default="30s"
	Interval Duration `json:"interval,omitempty"`
	// How much of the past each measurement speaks of. At the least four times as
	// long as the time between two readings of the metrics.
	// +optional
	// +kubebuilder:default="1m"
	Window Duration `json:"window,omitempty"`
	// Background measures from the first weight to the last, and failures count
	// across steps; Step measures each step by itself.
	// +optional
	// +kubebuilder:default=Background
	Mode AnalysisMode `json:"mode,omitempty"`
	// How many measurements in a row must fail before the rollout has failed.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	FailureLimit *int32 `json:"failureLimit,omitempty"`
	// The fewest requests that a measurement must rest on; fewer judge nothing.
	// +optional
	// +kubebuilder:default=20
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	MinSamples *int32 `json:"minSamples,omitempty"`
	// What it means that there are no data, or too few: wait for them, pass
	// without, or fail at the end of the step.
	// +optional
	// +kubebuilder:default=wait
	NoData NoDataPolicy `json:"noData,omitempty"`
	// What is measured. Every one must hold.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(m, self.filter(n, (has(m.successRate) && has(n.successRate)) || (has(m.latency) && has(n.latency) && (has(m.latency.quantile) ? m.latency.quantile : '0.99') == (has(n.latency.quantile) ? n.latency.quantile : '0.99')) || (has(m.query) && has(n.query) && m.query.name == n.query.name)).size() <= 1)",message="must not measure the same twice; remove one, or give queries names of their own"
	Metrics []AnalysisMetric `json:"metrics"`
}

// AnalysisMetric is one of the things that are measured.
//
// +kubebuilder:validation:XValidation:rule="[has(self.successRate), has(self.latency), has(self.query)].filter(x, x).size() == 1",message="must have exactly one of successRate, latency and query"
type AnalysisMetric struct {
	// The share of requests that are not answered with 500 or more.
	// +optional
	SuccessRate *SuccessRate `json:"successRate,omitempty"`
	// How long requests take.
	// +optional
	Latency *Latency `json:"latency,omitempty"`
	// What a query of Prometheus says, where the operator allows it.
	// +optional
	Query *AnalysisQuery `json:"query,omitempty"`
}

// SuccessRate bounds the share of requests that are not answered with 500 or more.
//
// +kubebuilder:validation:XValidation:rule="has(self.min) || has(self.baseline)",message="must have min, baseline or both"
type SuccessRate struct {
	// The least share in percent, as text: "99.5".
	// +optional
	Min Percent `json:"min,omitempty"`
	// Compares with the stable version: at most so many percentage points below.
	// +optional
	Baseline *Baseline `json:"baseline,omitempty"`
}

// Latency bounds how long requests take.
//
// +kubebuilder:validation:XValidation:rule="has(self.max) || has(self.baseline)",message="must have max, baseline or both"
type Latency struct {
	// The share of requests that must be that fast: "0.99", which it is when empty,
	// for all but one percent.
	// +optional
	Quantile Quantile `json:"quantile,omitempty"`
	// The most that they may take: 500ms, 2s.
	// +optional
	Max ShortDuration `json:"max,omitempty"`
	// Compares with the stable version: at most so many percent slower.
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
	// What the number is, for people: "queue length".
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9]([A-Za-z0-9 ._-]*[A-Za-z0-9])?$')",message="must hold letters, digits, spaces, dots, hyphens and underscores, such as queue length"
	Name string `json:"name"`
	// The query, in PromQL. It must give one number. {{namespace}}, {{handler}},
	// {{version}}, {{workload}}, {{deployment}}, {{service}}, {{pods}} (a regular
	// expression) and {{window}} stand for those of the new version.
	// +required
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="!self.matches('^[ \\n\\t]*$')",message="must be a query in PromQL such as sum(queue_length{namespace='{{namespace}}',pod=~'{{pods}}'})"
	// +kubebuilder:validation:XValidation:rule="!self.replace('{{namespace}}', '').replace('{{handler}}', '').replace('{{version}}', '').replace('{{workload}}', '').replace('{{deployment}}', '').replace('{{service}}', '').replace('{{pods}}', '').replace('{{window}}', '').contains('{{')",message="must have no other placeholder than {{namespace}}, {{handler}}, {{version}}, {{workload}}, {{deployment}}, {{service}}, {{pods}} and {{window}}; remove the other {{"
	PromQL string `json:"promQL"`
	// The least that the number may be, as text.
	// +optional
	Min Number `json:"min,omitempty"`
	// The most that the number may be, as text.
	// +optional
	Max Number `json:"max,omitempty"`
}

// Percent is a share of a hundred as text, which JSON's numbers would round.
//
// +kubebuilder:validation:MaxLength=7
// +kubebuilder:validation:XValidation:rule="self.matches('^(100([.]0{1,3})?|[0-9]{1,2}([.][0-9]{1,3})?)$')",message="must be a number from 0 to 100 with at most three digits after the point, such as 99.5"
type Percent string

// Quantile is a share of one as text.
//
// +kubebuilder:validation:MaxLength=8
// +kubebuilder:validation:XValidation:rule="self.matches('^0[.][0-9]{1,4}$') && !self.matches('^0[.]0+$')",message="must be a number between 0 and 1, such as 0.99"
type Quantile string

// Number is a decimal number as text.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^-?[0-9]{1,15}([.][0-9]{1,9})?$')",message="must be a decimal number such as 100 or 0.25"
type Number string

// ShortDuration is a length of time of at least a millisecond.
//
// +kubebuilder:validation:MaxLength=16
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]{1,7}ms|[0-9]{1,5}s)$') && !self.matches('^0+(ms|s)$')",message="must be milliseconds or seconds, such as 500ms or 2s, and at least 1ms"
type ShortDuration string
