package v1

import corev1 "k8s.io/api/core/v1"

// InitContainer runs to its end before the handler's or module's own container starts.
//
// +kubebuilder:validation:XValidation:rule="!has(self.env) || self.env.all(e, !has(e.valueFrom) || !has(e.valueFrom.resourceFieldRef) || !has(e.valueFrom.resourceFieldRef.divisor) || e.valueFrom.resourceFieldRef.divisor in ['0','1','1m','1k','1M','1G','1T','1P','1E','1Ki','1Mi','1Gi','1Ti','1Pi','1Ei'] || e.valueFrom.resourceFieldRef.divisor in [0, 1])",message="must have divisors that Kubernetes knows, such as 1, 1m or 1Mi",fieldPath=".env"
type InitContainer struct {
	ContainerProgram `json:",inline"`
	// Whether the container runs once the sidecars have started, so that it can use
	// them. Without it, it runs before them.
	// +optional
	AfterSidecars *bool `json:"afterSidecars,omitempty"`
}

// Sidecar runs beside the handler's or module's own container: it starts before it, is
// restarted whenever it ends, and stops after it.
//
// +kubebuilder:validation:XValidation:rule="!has(self.env) || self.env.all(e, !has(e.valueFrom) || !has(e.valueFrom.resourceFieldRef) || !has(e.valueFrom.resourceFieldRef.divisor) || e.valueFrom.resourceFieldRef.divisor in ['0','1','1m','1k','1M','1G','1T','1P','1E','1Ki','1Mi','1Gi','1Ti','1Pi','1Ei'] || e.valueFrom.resourceFieldRef.divisor in [0, 1])",message="must have divisors that Kubernetes knows, such as 1, 1m or 1Mi",fieldPath=".env"
type Sidecar struct {
	ContainerProgram `json:",inline"`
	// The ports that the sidecar listens on. The one named http in a handler, or module
	// in a module, gets the requests in place of spec.port: a proxy sends them on to
	// that port on localhost.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Ports []ContainerPort `json:"ports,omitempty"`
	// What must succeed before the containers behind this one start.
	// +optional
	StartupProbe *ContainerProbe `json:"startupProbe,omitempty"`
	// What must succeed for the pod to get requests.
	// +optional
	ReadinessProbe *ContainerProbe `json:"readinessProbe,omitempty"`
	// The container is restarted when this fails.
	// +optional
	LivenessProbe *ContainerProbe `json:"livenessProbe,omitempty"`
}

// ContainerProgram is what a container beside the handler's or module's own runs. It has
// the same user and the same restricted security settings, and a /tmp of its own.
type ContainerProgram struct {
	// The name of the container.
	// +required
	// +kubebuilder:validation:MaxLength=48
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must hold only a-z, 0-9 and hyphens, and start and end with a letter or digit"
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('gati-') && !(self in ['handler', 'module'])",message="handler, module and names that start with gati- belong to the controller; choose another"
	Name string `json:"name"`
	// The container image. The handler's or module's own image when empty.
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
	// Environment variables of the container. It gets none of the handler's or module's.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Env []corev1.EnvVar `json:"env,omitempty"`
	// Secrets and ConfigMaps whose keys become environment variables.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	EnvFrom []corev1.EnvFromSource `json:"envFrom,omitempty"`
	// CPU and memory of the container. When absent as a whole: requests 100m and 128Mi,
	// limits 500m and 512Mi.
	// +optional
	Resources *Resources `json:"resources,omitempty"`
	// Where volumes of pod.volumes are mounted in the container.
	// +optional
	// +listType=map
	// +listMapKey=mountPath
	// +kubebuilder:validation:MaxItems=16
	VolumeMounts []VolumeMount `json:"volumeMounts,omitempty"`
}

// ContainerPort is a port that a sidecar listens on. A port of the node cannot be taken.
type ContainerPort struct {
	// The name of the port, such as metrics.
	// +optional
	// +kubebuilder:validation:MaxLength=15
	Name string `json:"name,omitempty"`
	// The number of the port. No two containers of a pod have the same.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	ContainerPort int32 `json:"containerPort"`
	// The protocol of the port. TCP when absent.
	// +optional
	// +kubebuilder:validation:Enum=TCP;UDP;SCTP
	Protocol corev1.Protocol `json:"protocol,omitempty"`
}

// ContainerProbe asks whether a sidecar works. Exactly one way of asking is set.
//
// +kubebuilder:validation:XValidation:rule="[has(self.exec), has(self.httpGet), has(self.tcpSocket), has(self.grpc)].filter(x, x).size() == 1",message="must have exactly one of exec, httpGet, tcpSocket and grpc"
type ContainerProbe struct {
	// A command in the container that ends with 0.
	// +optional
	Exec *ProbeCommand `json:"exec,omitempty"`
	// A path of the pod that answers with a status from 200 to 399.
	// +optional
	HTTPGet *ProbeRequest `json:"httpGet,omitempty"`
	// A port of the pod that accepts connections.
	// +optional
	TCPSocket *ProbeSocket `json:"tcpSocket,omitempty"`
	// The gRPC health service of the pod.
	// +optional
	GRPC *ProbeCall `json:"grpc,omitempty"`
	// The time from the start of the container to the first probe. 0 when absent.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	InitialDelaySeconds int32 `json:"initialDelaySeconds,omitempty"`
	// The time between two probes. 10 when absent.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	PeriodSeconds int32 `json:"periodSeconds,omitempty"`
	// The time a probe may take. 1 when absent.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=3600
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`
	// How many probes must succeed in a row. 1 when absent; no other number for
	// startupProbe and livenessProbe.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	SuccessThreshold int32 `json:"successThreshold,omitempty"`
	// How many probes must fail in a row. 3 when absent.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	FailureThreshold int32 `json:"failureThreshold,omitempty"`
}

// ProbeCommand is a command that a probe runs.
type ProbeCommand struct {
	// The command and its arguments. It runs without a shell.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Command []string `json:"command"`
}

// ProbeRequest is an HTTP request of a probe to the pod.
type ProbeRequest struct {
	// The path. / when absent.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="must start with a slash, such as /health"
	Path string `json:"path,omitempty"`
	// The number of the port.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`
	// HTTP or HTTPS, whose certificate is not checked. HTTP when absent.
	// +optional
	// +kubebuilder:validation:Enum=HTTP;HTTPS
	Scheme corev1.URIScheme `json:"scheme,omitempty"`
}

// ProbeSocket is a TCP connection of a probe to the pod.
type ProbeSocket struct {
	// The number of the port.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`
}

// ProbeCall is a call of a probe to the pod's gRPC health service.
type ProbeCall struct {
	// The number of the port.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`
	// The service to ask about. The server as a whole when absent.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Service string `json:"service,omitempty"`
}
