package origin

// wholeChildFields are the parent's fields for a child as a whole; for all other
// kinds it is spec.
var wholeChildFields = map[string]string{
	"Service":                 "spec.port",
	"HorizontalPodAutoscaler": "spec.autoscaling",
	"ScaledObject":            "spec.autoscaling.keda",
	"PodDisruptionBudget":     "spec.replicas",
	"NetworkPolicy":           "spec.capabilities",
	"HTTPRoute":               "spec.route",
}

// rules are the rules by kind of child. The first match counts.
var rules = map[string][]rule{
	"Deployment": {
		{child: "spec.replicas", parent: "spec.replicas"},
		{child: "spec.progressDeadlineSeconds", parent: "spec.rollout.progressDeadline"},
	},
	"HorizontalPodAutoscaler": {
		{child: "spec.minReplicas", parent: "spec.autoscaling.minReplicas"},
		{child: "spec.maxReplicas", parent: "spec.autoscaling.maxReplicas"},
		{child: "spec.behavior", parent: "spec.autoscaling.behavior", keepRest: true},
	},
	"ScaledObject": {
		{child: "spec.minReplicaCount", parent: "spec.autoscaling.minReplicas"},
		{child: "spec.maxReplicaCount", parent: "spec.autoscaling.maxReplicas"},
		{child: "spec.advanced.horizontalPodAutoscalerConfig.behavior", parent: "spec.autoscaling.behavior", keepRest: true},
	},
	"HTTPRoute": {
		{child: "spec.parentRefs", parent: "spec.route.parentRefs", keepRest: true},
		{child: "spec.hostnames", parent: "spec.route.hostnames"},
		{child: "spec.rules.filters", parent: "spec.route.filters", keepRest: true},
		{child: "spec.rules.timeouts", parent: "spec.route.timeouts", keepRest: true},
		{child: "spec.rules.matches.method", parent: "spec.methods"},
		{child: "spec.rules.matches", parent: "spec.path"},
		{child: "spec.rules.backendRefs", parent: "spec.port"},
	},
}

const containerPath = "spec.containers."

// podRules apply to the pod template and to pods made from it.
var podRules = []rule{
	{child: "metadata.labels", parent: "spec.pod.labels", keepRest: true},
	{child: "metadata.annotations", parent: "spec.pod.annotations", keepRest: true},
	{child: containerPath + "image", parent: "spec.image"},
	{child: containerPath + "imagePullPolicy", parent: "spec.pod.imagePullPolicy"},
	{child: containerPath + "resources", parent: "spec.resources", keepRest: true},
	{child: containerPath + "envFrom", parent: "spec.envFrom", keepRest: true},
	{child: containerPath + "env", parent: "spec.env", keepRest: true},
	{child: containerPath + "ports", parent: "spec.port"},
	{child: containerPath + "startupProbe", parent: "spec.healthCheck"},
	{child: containerPath + "readinessProbe", parent: "spec.healthCheck"},
	{child: containerPath + "livenessProbe", parent: "spec.healthCheck"},
	{child: containerPath + "command", parent: "spec.pod.command"},
	{child: containerPath + "args", parent: "spec.pod.args"},
	{child: containerPath + "volumeMounts", parent: "spec.pod.volumeMounts", keepRest: true},
	{child: containerPath + "securityContext.readOnlyRootFilesystem", parent: "spec.pod.readOnlyRootFilesystem"},
	{child: containerPath + "securityContext.runAsUser", parent: "spec.pod.runAsUser"},
	{child: "spec.containers", parent: "spec.pod"},
	{child: "spec.initContainers", parent: "spec.pod"},
	{child: "spec.resources", parent: "spec.resources"},
	{child: "spec.runtimeClassName", parent: "spec.runtime"},
	{child: "spec.securityContext.runAsUser", parent: "spec.pod.runAsUser"},
	{child: "spec.securityContext.runAsGroup", parent: "spec.pod.runAsGroup"},
	{child: "spec.securityContext.fsGroup", parent: "spec.pod.fsGroup"},
	{child: "spec.serviceAccountName", parent: "spec.pod.serviceAccountName"},
	{child: "spec.automountServiceAccountToken", parent: "spec.pod.automountServiceAccountToken"},
	{child: "spec.imagePullSecrets", parent: "spec.pod.imagePullSecrets", keepRest: true},
	{child: "spec.nodeSelector", parent: "spec.pod.nodeSelector", keepRest: true},
	{child: "spec.tolerations", parent: "spec.pod.tolerations", keepRest: true},
	{child: "spec.affinity", parent: "spec.pod.affinity", keepRest: true},
	{child: "spec.topologySpreadConstraints", parent: "spec.pod.topologySpreadConstraints", keepRest: true},
	{child: "spec.priorityClassName", parent: "spec.pod.priorityClassName"},
	{child: "spec.priority", parent: "spec.pod.priorityClassName"},
	{child: "spec.schedulerName", parent: "spec.pod.schedulerName"},
	{child: "spec.terminationGracePeriodSeconds", parent: "spec.pod.terminationGracePeriodSeconds"},
	{child: "spec.volumes", parent: "spec.pod.volumes", keepRest: true},
}
