package v1

import corev1 "k8s.io/api/core/v1"

// CheckTime is when a check of a rollout runs.
//
// +kubebuilder:validation:Enum=BeforeTraffic;Step;AfterPromotion
type CheckTime string

// The times.
const (
	// CheckBeforeTraffic runs a check before the new version gets its first weight.
	CheckBeforeTraffic CheckTime = "BeforeTraffic"
	// CheckStep runs a check at a step, once its weight is accepted.
	CheckStep CheckTime = "Step"
	// CheckAfterPromotion runs a check at 100 %, before the rollout is completed.
	CheckAfterPromotion CheckTime = "AfterPromotion"
)

// RolloutCheck is a Job that runs against the new version of a Canary. If it fails, the
// rollout fails.
//
// +kubebuilder:validation:XValidation:rule="has(self.step) == (self.when == 'Step')",message="must be set for when: Step, and only then",fieldPath=".step"
type RolloutCheck struct {
	// The name of the check; part of the name of its Job.
	// +required
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="must start with a letter and hold only a-z, 0-9 and hyphens, such as smoke"
	Name string `json:"name"`
	// When the check runs: BeforeTraffic before the first weight, which needs
	// spec.route; Step at the step number in step; AfterPromotion at 100 %, before the
	// rollout is completed.
	// +required
	When CheckTime `json:"when"`
	// The step at which it runs, counted from 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20
	Step *int32 `json:"step,omitempty"`
	// The program to run. GATI_CHECK_URL has the address of the new version,
	// GATI_CHECK_HEADER the header that leads to it through the gateway,
	// GATI_CHECK_VERSION its name.
	// +required
	Job CheckJob `json:"job"`
	// The maximum time, including the start of its pod.
	// +optional
	// +kubebuilder:default="5m"
	Timeout Duration `json:"timeout,omitempty"`
	// What happens when the Job has not ended within timeout: fail, wait for a user to
	// promote, or pass.
	// +optional
	// +kubebuilder:default=fail
	Inconclusive InconclusivePolicy `json:"inconclusive,omitempty"`
}

// CheckJob is the program of a check. It runs in a pod of one container, with the same
// restricted security settings as the handler's pods.
//
// +kubebuilder:validation:XValidation:rule="!has(self.env) || self.env.all(e, !has(e.valueFrom) || !has(e.valueFrom.resourceFieldRef) || !has(e.valueFrom.resourceFieldRef.divisor) || e.valueFrom.resourceFieldRef.divisor in ['0','1','1m','1k','1M','1G','1T','1P','1E','1Ki','1Mi','1Gi','1Ti','1Pi','1Ei'] || e.valueFrom.resourceFieldRef.divisor in [0, 1])",message="must have divisors that Kubernetes knows, such as 1, 1m or 1Mi",fieldPath=".env"
type CheckJob struct {
	// The container image. The new version's image when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$')",message="must be an image reference such as registry.example.com/app:v1.2.3, without spaces"
	Image string `json:"image,omitempty"`
	// The command instead of the image's entry point.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Command []string `json:"command,omitempty"`
	// The arguments instead of the image's.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	Args []string `json:"args,omitempty"`
	// Environment variables of the container. Names that begin with GATI_CHECK_ are
	// reserved for Gati's own.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Env []corev1.EnvVar `json:"env,omitempty"`
	// Secrets and ConfigMaps whose keys become environment variables.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	EnvFrom []corev1.EnvFromSource `json:"envFrom,omitempty"`
	// CPU and memory of the pod. When absent as a whole: requests 100m and 128Mi,
	// limits 500m and 512Mi.
	// +optional
	Resources *Resources `json:"resources,omitempty"`
	// The ServiceAccount of the pod. Its token is mounted only when one is named.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`
}

// CheckVerdict is the outcome of a check.
//
// +kubebuilder:validation:Enum=Running;Passed;Failed;Inconclusive;Skipped
type CheckVerdict string

// The verdicts.
const (
	// CheckRunning means that the Job has not ended.
	CheckRunning CheckVerdict = "Running"
	// CheckPassed means that the Job has succeeded.
	CheckPassed CheckVerdict = "Passed"
	// CheckFailed means that the Job has failed.
	CheckFailed CheckVerdict = "Failed"
	// CheckInconclusive means that the Job has not ended within its timeout.
	CheckInconclusive CheckVerdict = "Inconclusive"
	// CheckSkipped means that the rollout went on, or ended, without waiting for the Job.
	CheckSkipped CheckVerdict = "Skipped"
)
