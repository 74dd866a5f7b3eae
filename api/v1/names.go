package v1

// Labels, annotations and field managers that Gati writes. They are part of the API:
// users select by them and policies refer to them.
const (
	// FieldManager is the manager of every field that gati-webhook writes.
	FieldManager = "gati-webhook"
	// PluginManager is the manager of every field that kubectl-gati writes.
	PluginManager = "kubectl-gati"

	// LabelHandler names the GatiHandler that a child belongs to.
	LabelHandler = "gati.dev/handler"
	// LabelModule names the GatiModule that a child belongs to.
	LabelModule = "gati.dev/module"
	// LabelWorkload distinguishes the workloads of one handler: main, or the slug of a
	// version.
	LabelWorkload = "gati.dev/workload"
	// LabelVersion holds the slug of the version of a pod or record. It is never part
	// of a selector.
	LabelVersion = "gati.dev/version"
	// LabelCheck, on a Job and its pod, names a check of a rollout. The pod has no
	// LabelHandler: Services select by that.
	LabelCheck = "gati.dev/check"
	// LabelInputs holds the hash of the inputs that a ControllerRevision froze.
	LabelInputs = "gati.dev/inputs"
	// LabelAutomatic marks a GatiVersion that the controller wrote. Once it has a
	// status, status.automatic decides.
	LabelAutomatic = "gati.dev/automatic"
	// LabelScrape, with the value true on a namespace, marks the namespaces that
	// collect metrics.
	LabelScrape = "gati.dev/scrape"
	// LabelApplication, on handlers and modules, names the application that they are of.
	LabelApplication = "app.kubernetes.io/part-of"
	// LabelManagedBy and ManagedBy mark every child.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	ManagedBy      = "gati"

	// AnnotationPlan holds the hash of the plan that admission expanded,
	// AnnotationChildren the kinds and names of its children. Both are advisory: the
	// controller computes its own plan.
	AnnotationPlan     = "gati.dev/plan"
	AnnotationChildren = "gati.dev/children"
	// AnnotationTarget, on a handler, a module or a namespace, chooses the target of
	// its children among those that the operator allows. LabelTarget names the target
	// of a child without an ownerReference.
	AnnotationTarget = "gati.dev/target"
	LabelTarget      = "gati.dev/target"
	// AnnotationImage, on a namespace, is the default image of its handlers and
	// modules.
	AnnotationImage = "gati.dev/image"
	// AnnotationVersion, on a pod template, holds a version as the user wrote it, where
	// a label can only hold its slug.
	AnnotationVersion = "gati.dev/version"
	// AnnotationRevision, on a Deployment, names the ControllerRevision whose
	// template it runs.
	AnnotationRevision = "gati.dev/revision"
	// AnnotationApplied holds the hash of the fields that the controller last applied
	// to a child.
	AnnotationApplied = "gati.dev/applied"
	// AnnotationRequest, on a GatiHandler, holds a request, which package request
	// parses. AnnotationRequestedBy is the name of the requesting user. The policy
	// gati-requests admits both.
	AnnotationRequest     = "gati.dev/request"
	AnnotationRequestedBy = "gati.dev/requested-by"
	// AnnotationAllowBreaking, on a GatiHandler, lets one version take traffic
	// although it breaks callers: <version>/<user>. The policy gati-overrides
	// admits it.
	AnnotationAllowBreaking = "gati.dev/allow-breaking"
	// AnnotationSchema, on a ControllerRevision, holds the schema of its version.
	AnnotationSchema = "gati.dev/schema"
	// AnnotationRequestReason is the user's reason, for display only.
	AnnotationRequestReason = "gati.dev/request-reason"
	// AnnotationRestartedAt, on a pod template, is when a user last requested new pods.
	AnnotationRestartedAt = "gati.dev/restarted-at"

	// TargetKubernetes applies children to the API server, TargetHelm installs them as a
	// Helm release, TargetGitOps commits them to a Git repository.
	TargetKubernetes = "kubernetes"
	TargetHelm       = "helm"
	TargetGitOps     = "gitops"

	// VersionHeader is the request header that selects a version.
	VersionHeader = "X-Gati-Version"
	// CheckEnv is the prefix of the environment variables that a check gets.
	CheckEnv = "GATI_CHECK_"

	// WorkloadMain is the workload of the strategy RollingUpdate.
	WorkloadMain = "main"
)
