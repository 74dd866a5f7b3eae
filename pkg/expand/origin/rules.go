package origin

// wholes are the parent's fields that a child as a whole comes from. The others
// come from the spec.
var wholes = map[string]string{
	"Service":                 "spec.port",
	"HorizontalPodAutoscaler": "spec.autoscaling",
	"PodDisruptionBudget":     "spec.replicas",
	"NetworkPolicy":           "spec.capabilities",
	"HTTPRoute":               "spec.route",
}

// rules by kind of child. The first that fits counts.
var rules = map[string][]rule{
	"Deployment": {
		{child: "spec.replicas", parent: "spec.replicas"},
		{child: "spec.progressDeadlineSeconds", parent: "spec.rollout.progressDeadline"},
	},
	"HorizontalPodAutoscaler": {
		{child: "spec.minReplicas", parent: "spec.autoscaling.minReplicas"},
		{child: "spec.maxReplicas", parent: "spec.autoscaling.maxReplicas"},
		{child: "spec.behavior", parent: "spec.autoscaling.behavior", whole: true},
	},
	"HTTPRoute": {
		{child: "spec.parentRefs", parent: "spec.route.parentRefs", whole: true},
		{child: "spec.hostnames", parent: "spec.route.hostnames"},
		{child: "spec.rules.filters", parent: "spec.route.filters", whole: true},
		{child: "spec.rules.timeouts", parent: "spec.route.timeouts", whole: true},
		{child: "spec.rules.matches.method", parent: "spec.methods"},
		{child: "spec.rules.matches", parent: "spec.path"},
		{child: "spec.rules.backendRefs", parent: "spec.port"},
	},
}

const container = "spec.containers."

// podRules are for the template and for pods made from it.
var podRules = []rule{
	{child: "metadata.labels", parent: "spec.pod.labels", whole: true},
	{child: "metadata.annotations", parent: "spec.pod.annotations", whole: true},
	{child: container + "image", parent: "spec.image"},
	{child: container + "imagePullPolicy", parent: "spec.pod.imagePullPolicy"},
	{child: container + "resources", parent: "spec.resources", whole: true},
	{child: container + "envFrom", parent: "spec.envFrom", whole: true},
	{child: container + "env", parent: "spec.env", whole: true},
	{child: container + "ports", parent: "spec.port"},
	{child: container + "startupProbe", parent: "spec.healthCheck"},
	{child: container + "readinessProbe", parent: "spec.healthCheck"},
	{child: container + "livenessProbe", parent: "spec.healthCheck"},
	{child: container + "command", parent: "spec.pod.command"},
	{child: container + "args", parent: "spec.pod.args"},
	{child: container + "volumeMounts", parent: "spec.pod.volumeMounts", whole: true},
	{child: container + "securityContext.readOnlyRootFilesystem", parent: "spec.pod.readOnlyRootFilesystem"},
	{child: container + "securityContext.runAsUser", parent: "spec.pod.runAsUser"},
	{child: "spec.containers", parent: "spec.pod"},
	{child: "spec.resources", parent: "spec.resources"},
	{child: "spec.runtimeClassName", parent: "spec.runtime"},
	{child: "spec.securityContext.runAsUser", parent: "spec.pod.runAsUser"},
	{child: "spec.securityContext.runAsGroup", parent: "spec.pod.runAsGroup"},
	{child: "spec.securityContext.fsGroup", parent: "spec.pod.fsGroup"},
	{child: "spec.serviceAccountName", parent: "spec.pod.serviceAccountName"},
	{child: "spec.automountServiceAccountToken", parent: "spec.pod.automountServiceAccountToken"},
	{child: "spec.imagePullSecrets", parent: "spec.pod.imagePullSecrets", whole: true},
	{child: "spec.nodeSelector", parent: "spec.pod.nodeSelector", whole: true},
	{child: "spec.tolerations", parent: "spec.pod.tolerations", whole: true},
	{child: "spec.affinity", parent: "spec.pod.affinity", whole: true},
	{child: "spec.topologySpreadConstraints", parent: "spec.pod.topologySpreadConstraints", whole: true},
	{child: "spec.priorityClassName", parent: "spec.pod.priorityClassName"},
	{child: "spec.priority", parent: "spec.pod.priorityClassName"},
	{child: "spec.schedulerName", parent: "spec.pod.schedulerName"},
	{child: "spec.terminationGracePeriodSeconds", parent: "spec.pod.terminationGracePeriodSeconds"},
	{child: "spec.volumes", parent: "spec.pod.volumes", whole: true},
}
