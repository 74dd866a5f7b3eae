package adopt

// objectReasons are the reasons for fields outside of a pod template, by their path, behind
// the kind where a path means something else in another kind.
var objectReasons = map[string]reason{
	"metadata.labels": {
		why: "labels of the object itself; many are those of the tool that wrote it",
		do:  "add to the handler's metadata the labels that you select it by",
	},
	"metadata.annotations": {
		why: "annotations of the object itself; many are those of the tool that wrote it",
		do:  "add to the handler's metadata the annotations that another program reads",
	},
	"metadata.ownerReferences": {
		why: "another object owns it, and its controller may restore what you change",
		do:  "adopt the owner, or stop its controller from writing this object first",
	},
	"metadata.finalizers": {
		why: "finalizers belong to the object",
		do:  "remove them with the object, once the handler serves",
	},
	"spec.strategy": {
		ours: `{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0},"type":"RollingUpdate"}`,
		why:  "a handler replaces its pods one by one and never has fewer than before",
		do:   "nothing, if two versions may run at once; else keep what runs",
	},
	"spec.minReadySeconds": {
		why: "a pod counts as soon as it is ready",
		do:  "use spec.rollout with the strategy Canary and a pause in each step",
	},
	"spec.paused": {
		why: "a pause is a request to a handler, not a part of its spec",
		do:  "pause the handler once it exists",
	},
	"spec.selector.matchExpressions": {
		why: "the pods of a handler are selected by gati.dev/handler",
		do:  "select by gati.dev/handler where something else selects these pods",
	},
	"spec.template.metadata.labels": {
		why: "labels under app.kubernetes.io and gati.dev are the controller's, and those by which this object and its Services select pods would mix both sets of pods",
		do:  "select by gati.dev/handler in NetworkPolicies, monitors and other Services",
	},
	"spec.template.metadata.annotations": {
		why: "annotations under gati.dev are the controller's",
		do:  "use another prefix",
	},
	"HorizontalPodAutoscaler spec.metrics[]": {
		why: "spec.autoscaling has targets of CPU and memory in percent, and averages or totals of other metrics",
		do:  "set spec.autoscaling.targetCPU, targetMemory or metrics to a target of that form",
	},
	"HorizontalPodAutoscaler spec.minReplicas": {
		why: "a version with traffic keeps at least one pod",
		do:  "see spec.autoscaling.keda.scaleToZero for versions without traffic",
	},
	"PodDisruptionBudget spec.minAvailable": {
		ours: "maxUnavailable: 1, from two pods up",
		why:  "each version has a budget of its own, which lets one pod go at a time",
		do:   "nothing, unless evictions have to stop altogether",
	},
	"PodDisruptionBudget spec.maxUnavailable": {
		ours: "1, from two pods up",
		why:  "each version has a budget of its own, which lets one pod go at a time",
		do:   "nothing; nodes are drained one pod at a time",
	},
	"PodDisruptionBudget spec.unhealthyPodEvictionPolicy": {
		ours: `"AlwaysAllow"`,
		why:  "a pod that is not ready must not keep a node from being drained",
		do:   "nothing",
	},
	"HTTPRoute spec.rules[]": {
		why: "a handler serves one path, and requests are told apart by path and method only",
		do:  "keep this route: its Service still leads to the pods; or write a handler for the path",
	},
	"HTTPRoute spec.rules[].matches[]": {
		why: "a handler serves one path, and requests are told apart by path and method only",
		do:  "keep this route: its Service still leads to the pods; or write a handler for the path",
	},
	"HTTPRoute spec.rules[].backendRefs[]": {
		why: "the weights of a handler's route are those of its versions",
		do:  "keep this route for its other backends",
	},
	"HTTPRoute spec.rules[].filters[]": {
		why: "a handler's route does not accept this filter",
		do:  "keep this route for it",
	},
	"Ingress spec.rules[]": {
		why: "a handler has one path, and a route of the Gateway API",
		do:  "keep this Ingress: its Service still leads to the pods; name a Gateway to have a route as well",
	},
	"Ingress spec.tls": {
		why: "certificates belong to the listeners of a Gateway",
		do:  "keep this Ingress, or name the Secret at the Gateway's listener",
	},
	"Ingress spec.ingressClassName": {
		why: "a handler's route belongs to a Gateway",
		do:  "keep this Ingress, or name a Gateway",
	},
}

// podReasons are the reasons for fields of a pod, and of its containers, by their path in it.
var podReasons = map[string]reason{
	"hostNetwork":           {why: "pods of a handler have an address of their own", do: "listen on spec.port; what has to see the node's network stays a DaemonSet or Deployment"},
	"hostPID":               {why: "pods of a handler do not see the node's processes", do: "move what needs them to a workload of its own"},
	"hostIPC":               {why: "pods of a handler do not share the node's memory", do: "move what needs it to a workload of its own"},
	"hostUsers":             {why: "a GatiHandler has no field for user namespaces", do: "nothing: pods of a handler never run as root"},
	"shareProcessNamespace": {why: "containers of a handler do not see each other's processes", do: "let them speak over localhost or a shared volume"},
	"hostAliases":           {why: "a GatiHandler has no field for names of hosts", do: "publish the name by a Service of the type ExternalName, or in DNS"},
	"hostname":              {why: "pods of a handler have their own names as host names", do: "read INSTANCE_ID where a name is needed"},
	"subdomain":             {why: "pods of a handler are reached by a Service", do: "use the Service of the handler"},
	"dnsPolicy":             {why: "pods of a handler resolve names by the cluster's DNS", do: "nothing, if the cluster's DNS forwards the names that the program needs"},
	"dnsConfig":             {why: "pods of a handler resolve names by the cluster's DNS", do: "write names in full, with a dot at the end"},
	"runtimeClassName":      {why: "the operator maps runtimes to RuntimeClasses, for modules", do: "keep what runs, if its pods need this runtime"},
	"nodeName":              {why: "the scheduler chooses nodes", do: "set spec.pod.nodeSelector"},
	"activeDeadlineSeconds": {why: "pods of a handler serve until they are replaced", do: "remove it"},
	"readinessGates":        {why: "the pods of a handler are ready by their probes", do: "remove it, if the gate is that of a load balancer which reaches pods by their Service"},
	"initContainers":        {why: "containers beside the one that serves are not translated", do: "write it under spec.pod.initContainers"},
	"containers[]":          {why: "containers beside the one that serves are not translated", do: "write it under spec.pod.sidecars"},
	"volumes[]":             {why: "a volume of a handler is a configMap, secret, emptyDir, persistentVolumeClaim, projected or downwardAPI", do: "use one of these; a disk of the node or of a driver needs a PersistentVolumeClaim"},
	"terminationGracePeriodSeconds": {
		ours: "10", why: "a pod serves for 5 seconds while gateways remove it, and needs time to finish", do: "nothing",
	},
	"enableServiceLinks": {ours: "false", why: "variables of other Services are not set", do: "use the names of Services"},
	"restartPolicy":      {ours: `"Always"`, why: "pods of a handler serve until they are replaced", do: "nothing"},

	"securityContext.runAsUser":                {ours: "1001", why: "pods of a handler never run as root", do: "build the image for another user, and set spec.pod.runAsUser to its number"},
	"securityContext.runAsGroup":               {why: "pods of a handler never have the group of root", do: "set spec.pod.runAsGroup to another group"},
	"securityContext.fsGroup":                  {why: "volumes of a handler never belong to the group of root", do: "set spec.pod.fsGroup to another group"},
	"securityContext.runAsNonRoot":             {ours: "true", why: "pods of a handler never run as root", do: "set spec.pod.runAsUser to a user of the image"},
	"securityContext.privileged":               {ours: "false", why: "pods of a handler keep the restricted Pod Security Standard", do: "move what needs it to a workload of its own"},
	"securityContext.allowPrivilegeEscalation": {ours: "false", why: "pods of a handler keep the restricted Pod Security Standard", do: "nothing, unless the program runs a setuid program"},
	"securityContext.capabilities":             {ours: `{"drop":["ALL"]}`, why: "pods of a handler keep the restricted Pod Security Standard", do: "listen on a port from 1024 up, and run as one user"},
	"securityContext.seccompProfile":           {ours: `{"type":"RuntimeDefault"}`, why: "pods of a handler have the runtime's profile", do: "nothing, unless the program needs further system calls"},
	"securityContext.fsGroupChangePolicy":      {ours: `"OnRootMismatch"`, why: "pods of a handler change the group of a volume only where it is another", do: "nothing"},
	"securityContext.supplementalGroups":       {why: "a GatiHandler has no field for further groups", do: "set spec.pod.fsGroup to the group that reads the volumes"},
	"securityContext.sysctls":                  {why: "a GatiHandler has no field for kernel settings", do: "set them on the nodes"},
	"securityContext.procMount":                {why: "pods of a handler keep the restricted Pod Security Standard", do: "remove it"},

	"name":          {ours: `"handler"`, why: "the container of a handler has this name", do: "use it in commands and dashboards"},
	"ports[]":       {why: "a handler serves one port", do: "serve it on spec.port, or write a Service for it that selects gati.dev/handler"},
	"ports[].name":  {ours: `"http"`, why: "the port of a handler has this name", do: "nothing: Services find it by its number too"},
	"env[]":         {why: "this variable is set from spec.port, or is listed again further down", do: "set spec.port"},
	"lifecycle":     {ours: `{"preStop":{"sleep":{"seconds":5}}}`, why: "a pod serves for 5 seconds while gateways remove it, and is told to stop then", do: "let the program finish its work on SIGTERM"},
	"workingDir":    {why: "a GatiHandler has no field for it", do: "set WORKDIR in the image, or change the folder in spec.pod.command"},
	"stdin":         {why: "pods of a handler have no input", do: "remove it"},
	"tty":           {why: "pods of a handler have no terminal", do: "remove it"},
	"volumeDevices": {why: "a handler mounts file systems only", do: "keep what runs, if it needs the device"},
	"volumeMounts[]": {
		why: "its volume is not carried over",
		do:  "see the volume",
	},
	"volumeMounts[].mountPropagation": {why: "mounts of the node do not reach a handler", do: "remove it"},
	"volumeMounts[].subPathExpr":      {why: "a GatiHandler has no field for it", do: "set spec.pod.volumeMounts.subPath to a fixed path"},
	"readinessProbe":                  {why: "a handler is asked for its health by http, tcp or grpc, on its port", do: "set spec.healthCheck to what answers when the program can serve"},
	"livenessProbe":                   {why: "the probes of a handler are one: spec.healthCheck", do: "nothing, if spec.healthCheck fails when the program has to be restarted"},
	"startupProbe":                    {ours: "spec.healthCheck every 2 seconds, 120 times", why: "the probes of a handler are one: spec.healthCheck", do: "nothing, if the program starts within four minutes"},
}
