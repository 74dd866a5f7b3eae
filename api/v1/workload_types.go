package v1

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

// Resources are the CPU, memory and other resources of one container.
type Resources struct {
	// The requests: what the scheduler reserves for the container. None is above its limit.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Requests corev1.ResourceList `json:"requests,omitempty"`
	// The limits: what the container may use at most.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Limits corev1.ResourceList `json:"limits,omitempty"`
}

// HealthCheckType is the kind of probe.
//
// +kubebuilder:validation:Enum=http;tcp;grpc
type HealthCheckType string

// The kinds of probes.
const (
	HealthCheckHTTP HealthCheckType = "http"
	HealthCheckTCP  HealthCheckType = "tcp"
	HealthCheckGRPC HealthCheckType = "grpc"
)

// HealthCheck becomes the startup, readiness and liveness probes of a handler's
// pods.
type HealthCheck struct {
	// http asks the path, tcp opens a connection, grpc calls the gRPC health
	// service.
	// +optional
	// +kubebuilder:default=http
	Type HealthCheckType `json:"type,omitempty"`
	// The path that answers 200 when the pod can serve. For type http.
	// +optional
	// +kubebuilder:default=/health
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="must start with a slash, such as /health"
	Path string `json:"path,omitempty"`
	// The time between two probes. The default yields to a longer timeout.
	// +optional
	// +kubebuilder:default="10s"
	Interval Duration `json:"interval,omitempty"`
	// The time a probe may take. The default yields to a shorter interval.
	// +optional
	// +kubebuilder:default="3s"
	Timeout Duration `json:"timeout,omitempty"`
	// How many probes must fail in a row before the pod counts as unhealthy.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
}

// ModuleHealthCheck is HealthCheck with a module's defaults. A module speaks gRPC or a
// protocol of its own; a TCP connection is the one probe that every module accepts.
type ModuleHealthCheck struct {
	// http asks the path, tcp opens a connection, grpc calls the gRPC health
	// service.
	// +optional
	// +kubebuilder:default=tcp
	Type HealthCheckType `json:"type,omitempty"`
	// The path that answers 200 when the pod can serve. For type http.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="must start with a slash, such as /health"
	Path string `json:"path,omitempty"`
	// The time between two probes. The default yields to a longer timeout.
	// +optional
	// +kubebuilder:default="10s"
	Interval Duration `json:"interval,omitempty"`
	// The time a probe may take. The default yields to a shorter interval.
	// +optional
	// +kubebuilder:default="3s"
	Timeout Duration `json:"timeout,omitempty"`
	// How many probes must fail in a row before the pod counts as unhealthy.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
}

// Autoscaling sets the number of pods by load, through a HorizontalPodAutoscaler, or
// through KEDA where keda is set.
//
// +kubebuilder:validation:XValidation:rule="!has(self.keda) || !has(self.metrics)",message="must not be set beside keda; name the metric as a trigger in keda.triggers, or remove keda",fieldPath=".metrics"
type Autoscaling struct {
	// Whether the number of pods follows the load.
	// +optional
	// +kubebuilder:default=false
	Enabled *bool `json:"enabled,omitempty"`
	// The minimum number of pods. Half of replicas when absent, but at least 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	MinReplicas *int32 `json:"minReplicas,omitempty"`
	// The maximum number of pods. Three times replicas when absent, but no fewer than
	// minReplicas.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=30000
	MaxReplicas *int32 `json:"maxReplicas,omitempty"`
	// The target CPU use, in percent of the request. 70 when absent, unless metrics has
	// another target.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	TargetCPU *int32 `json:"targetCPU,omitempty"`
	// The target memory use, in percent of the request. No target when absent.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	TargetMemory *int32 `json:"targetMemory,omitempty"`
	// How many pods the previous stable version keeps after its drain, so that a
	// rollback to it is immediate. None when absent, and none without a gateway. It
	// applies also while enabled is false.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	WarmReplicas *int32 `json:"warmReplicas,omitempty"`
	// How many spare pods the target of a Canary keeps ready beyond those that its step
	// needs, so that the next step does not wait for pods to start. None when absent,
	// and none without a gateway. It applies also while enabled is false.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	WarmPool *int32 `json:"warmPool,omitempty"`
	// How fast to scale, as in autoscaling/v2.
	// +optional
	Behavior *autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior,omitempty"`
	// Custom and external metrics as targets, in addition to CPU and memory. The
	// cluster's metrics APIs have to serve them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Metrics []ScalingMetric `json:"metrics,omitempty"`
	// Scale with KEDA instead of a HorizontalPodAutoscaler. KEDA has to be installed.
	// +optional
	Keda *Keda `json:"keda,omitempty"`
}

// PodSettings are further pod settings that a user may choose. They are an allow-list:
// settings that are missing here cannot be set.
//
// +kubebuilder:validation:XValidation:rule="!has(self.labels) || !self.labels.exists(k, k.startsWith('gati.dev/') || k.startsWith('app.kubernetes.io/'))",message="labels under gati.dev/ and app.kubernetes.io/ belong to the controller; use another prefix",fieldPath=".labels"
// +kubebuilder:validation:XValidation:rule="!has(self.annotations) || !self.annotations.exists(k, k.startsWith('gati.dev/'))",message="annotations under gati.dev/ belong to the controller; use another prefix",fieldPath=".annotations"
// +kubebuilder:validation:XValidation:rule="!has(self.initContainers) || !has(self.sidecars) || !self.sidecars.exists(s, self.initContainers.exists(i, i.name == s.name))",message="must not have the name of one of initContainers; rename one of the two",fieldPath=".sidecars"
type PodSettings struct {
	// Labels of the pods, in addition to the controller's.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Annotations map[string]string `json:"annotations,omitempty"`
	// The ServiceAccount of the pods. Naming it does not mount its token.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`
	// Whether the token of that ServiceAccount is mounted. False when absent.
	// +optional
	AutomountServiceAccountToken *bool `json:"automountServiceAccountToken,omitempty"`
	// Secrets to pull the image with.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`
	// When to pull the image. Kubernetes' default when absent.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`
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
	// Labels that a node must have.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Taints that the pods tolerate.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// Where the pods should run, relative to nodes and other pods.
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`
	// How the pods are spread. When absent, over nodes and zones as far as possible.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	// The pods' priority class.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty"`
	// The scheduler to use instead of the default one.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SchedulerName string `json:"schedulerName,omitempty"`
	// The time, in seconds, that a pod has to finish its requests once it is told to
	// stop. 30 when absent. During the first 5 seconds it keeps serving while gateways
	// and proxies remove the pod from their lists.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=3600
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty"`
	// The user id of the container. 1001 when absent; never 0.
	// +optional
	// +kubebuilder:validation:Minimum=1
	RunAsUser *int64 `json:"runAsUser,omitempty"`
	// The group id of the container. The image's when absent.
	// +optional
	// +kubebuilder:validation:Minimum=1
	RunAsGroup *int64 `json:"runAsGroup,omitempty"`
	// The group that owns the pod's volumes. Equal to runAsUser when absent.
	// +optional
	// +kubebuilder:validation:Minimum=1
	FSGroup *int64 `json:"fsGroup,omitempty"`
	// Whether the container's own file system is read-only. True when absent; /tmp and
	// /app/.gati are always writable.
	// +optional
	ReadOnlyRootFilesystem *bool `json:"readOnlyRootFilesystem,omitempty"`
	// Volumes of the kinds that the restricted Pod Security Standard allows.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=12
	Volumes []Volume `json:"volumes,omitempty"`
	// Where the volumes are mounted in the container.
	// +optional
	// +listType=map
	// +listMapKey=mountPath
	// +kubebuilder:validation:MaxItems=32
	VolumeMounts []VolumeMount `json:"volumeMounts,omitempty"`
	// Containers that run to their end, one after another, before the handler's or
	// module's own container starts, such as a migration.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	InitContainers []InitContainer `json:"initContainers,omitempty"`
	// Containers that run beside the handler's or module's own, such as a proxy. They
	// start before it, one after another, and stop after it.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Sidecars []Sidecar `json:"sidecars,omitempty"`
}

// Volume is a pod's volume of one of the allowed kinds. Exactly one source is set.
//
// +kubebuilder:validation:XValidation:rule="[has(self.configMap), has(self.secret), has(self.emptyDir), has(self.persistentVolumeClaim), has(self.projected), has(self.downwardAPI)].filter(x, x).size() == 1",message="must have exactly one of configMap, secret, emptyDir, persistentVolumeClaim, projected and downwardAPI"
type Volume struct {
	// The name that volumeMounts refer to.
	// +required
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must hold only a-z, 0-9 and hyphens, and start and end with a letter or digit"
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('gati-')",message="names that start with gati- belong to the controller; choose another"
	Name string `json:"name"`
	// Files from a ConfigMap.
	// +optional
	ConfigMap *corev1.ConfigMapVolumeSource `json:"configMap,omitempty"`
	// Files from a Secret.
	// +optional
	Secret *corev1.SecretVolumeSource `json:"secret,omitempty"`
	// An empty directory that lives as long as the pod.
	// +optional
	EmptyDir *corev1.EmptyDirVolumeSource `json:"emptyDir,omitempty"`
	// A PersistentVolumeClaim in the same namespace.
	// +optional
	PersistentVolumeClaim *corev1.PersistentVolumeClaimVolumeSource `json:"persistentVolumeClaim,omitempty"`
	// Several sources in one directory.
	// +optional
	Projected *corev1.ProjectedVolumeSource `json:"projected,omitempty"`
	// The pod's own fields as files.
	// +optional
	DownwardAPI *corev1.DownwardAPIVolumeSource `json:"downwardAPI,omitempty"`
}

// VolumeMount mounts a volume in the container.
type VolumeMount struct {
	// The name of one of the volumes.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// The directory in the container.
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/') && !self.contains(':')",message="must be an absolute path without a colon"
	MountPath string `json:"mountPath"`
	// A path inside the volume instead of its root.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	SubPath string `json:"subPath,omitempty"`
	// Whether the mount is read-only.
	// +optional
	ReadOnly *bool `json:"readOnly,omitempty"`
}
