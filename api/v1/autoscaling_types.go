package v1

import "k8s.io/apimachinery/pkg/api/resource"

// ScalingMetric is a metric of the custom or the external metrics API, with its target.
//
// +kubebuilder:validation:XValidation:rule="(self.type == 'Object') == has(self.object)",message="must name the object of a metric of type Object, and of no other type",fieldPath=".object"
type ScalingMetric struct {
	// The source of the metric: each of the pods, an object in the namespace, or
	// something outside of the cluster.
	// +required
	Type ScalingMetricType `json:"type"`
	// The name of the metric.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Labels that select series of that name.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
	// The object that a metric of type Object describes.
	// +optional
	Object *ScalingMetricObject `json:"object,omitempty"`
	// The target value per pod, such as 100, 500m or 2Gi. A metric has this target, or value.
	// +optional
	AverageValue *resource.Quantity `json:"averageValue,omitempty"`
	// The target value in total, independent of the number of pods. Not for the type Pods.
	// +optional
	Value *resource.Quantity `json:"value,omitempty"`
}

// ScalingMetricType is the source of a metric.
//
// +kubebuilder:validation:Enum=Pods;Object;External
type ScalingMetricType string

// The sources of metrics.
const (
	ScalingMetricPods     ScalingMetricType = "Pods"
	ScalingMetricOfObject ScalingMetricType = "Object"
	ScalingMetricExternal ScalingMetricType = "External"
)

// ScalingMetricObject names an object of the namespace.
type ScalingMetricObject struct {
	// Its API group and version, such as networking.k8s.io/v1.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	APIVersion string `json:"apiVersion"`
	// Its kind.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// Its name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Keda scales each workload by a ScaledObject of KEDA. Its triggers are the rate of
// requests, CPU, and the triggers listed here; the trigger that asks for the most pods
// decides.
//
// +kubebuilder:validation:XValidation:rule="!has(self.scaleToZero) || !self.scaleToZero || has(self.triggers) || has(self.cron)",message="needs a trigger that a version without pods can fire; add one to cron or triggers",fieldPath=".scaleToZero"
type Keda struct {
	// The requests per second that each pod should answer. 100 when absent. This
	// trigger needs the Prometheus that the operator configures; without one it is left
	// out.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	RequestsPerSecond *int32 `json:"requestsPerSecond,omitempty"`
	// Numbers of pods at certain times.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	Cron []KedaCron `json:"cron,omitempty"`
	// Further triggers of KEDA.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10
	Triggers []KedaTrigger `json:"triggers,omitempty"`
	// Allows zero pods for a version that only callers with its header reach, while no
	// trigger is active. Requests to it fail until a trigger has started a pod. The
	// stable version, and each version with weight, keeps its pods.
	// +optional
	ScaleToZero *bool `json:"scaleToZero,omitempty"`
}

// KedaCron is a time of the day or week with a number of pods.
type KedaCron struct {
	// The time zone, by its name in the IANA database.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Timezone string `json:"timezone"`
	// The beginning, as a cron expression of five fields.
	// +required
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^ ]+( [^ ]+){4}$')",message="must be a cron expression of five fields, such as 0 8 * * 1-5"
	Start string `json:"start"`
	// The end, as a cron expression of five fields.
	// +required
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^ ]+( [^ ]+){4}$')",message="must be a cron expression of five fields, such as 0 18 * * 1-5"
	End string `json:"end"`
	// The minimum number of pods in between.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	Replicas int32 `json:"replicas"`
}

// KedaTrigger is a trigger of KEDA, as in a ScaledObject.
type KedaTrigger struct {
	// The trigger's type.
	// +required
	Type KedaTriggerType `json:"type"`
	// Its settings, as in KEDA's documentation of the type.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Metadata map[string]string `json:"metadata,omitempty"`
	// The TriggerAuthentication with its credentials.
	// +optional
	AuthenticationRef *KedaAuthenticationRef `json:"authenticationRef,omitempty"`
}

// KedaTriggerType is a type of triggers.
//
// +kubebuilder:validation:Enum=apache-kafka;aws-sqs-queue;azure-servicebus;gcp-pubsub;kafka;mysql;nats-jetstream;postgresql;prometheus;rabbitmq;redis;redis-streams
type KedaTriggerType string

// KedaTriggerTypes are the types that a handler or module may use.
var KedaTriggerTypes = []KedaTriggerType{
	"apache-kafka", "aws-sqs-queue", "azure-servicebus", "gcp-pubsub", "kafka", "mysql",
	"nats-jetstream", "postgresql", "prometheus", "rabbitmq", "redis", "redis-streams",
}

// KedaAuthenticationRef names the credentials of a trigger.
type KedaAuthenticationRef struct {
	// The name of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// TriggerAuthentication in the same namespace, or ClusterTriggerAuthentication.
	// TriggerAuthentication when absent.
	// +optional
	// +kubebuilder:validation:Enum=TriggerAuthentication;ClusterTriggerAuthentication
	Kind string `json:"kind,omitempty"`
}
