// Package remedy holds the commands that messages name as a remedy. A message that names a
// command takes it from here, so that tests know of each and execute it in the state that the
// message is about: TestRemediesOfHandlers, TestAnObstacleHasAName and TestInstallation.
//
// The package must not know when a remedy applies.
package remedy

import (
	"regexp"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// Remedy is a command, or a pipe of commands, as it is typed. No argument holds a space, so
// that ParsePipe needs no shell. Words in capitals stand for what For fills in.
type Remedy string

// all are the remedies in the order of their declaration.
var all []Remedy

func add(command Remedy) Remedy {
	all = append(all, command)
	return command
}

// All returns every remedy that a message may name.
func All() []Remedy { return all }

// names are the words that stand for what For fills in.
var names = lazyregexp.New(`[A-Z]{2,}`)

// For fills in values for the words in capitals, in their order. Those without a value stay.
func (r Remedy) For(values ...string) string {
	return names.ReplaceAllStringFunc(string(r), func(name string) string {
		if len(values) == 0 {
			return name
		}
		name, values = values[0], values[1:]
		return name
	})
}

// value matches what For may fill in: a name or a number, never another argument.
const value = "[a-z0-9]([a-z0-9.-]*[a-z0-9])?"

// Find returns the first of some remedies that a text holds, as it is typed there, or nothing.
func Find(text string, among ...Remedy) string {
	for _, r := range among {
		pattern := names.ReplaceAllStringFunc(regexp.QuoteMeta(string(r)), func(string) string { return value })
		if found := regexp.MustCompile(pattern).FindString(text); found != "" {
			return found
		}
	}
	return ""
}

// ParsePipe returns the arguments of each command of a pipe.
func ParsePipe(command string) (pipe [][]string) {
	for _, part := range strings.Split(command, " | ") {
		args := strings.Fields(part)
		for i := range args {
			args[i] = strings.Trim(args[i], "'")
		}
		pipe = append(pipe, args)
	}
	return pipe
}

// The remedies of an installation and of the cluster. Those of the first group change
// something; "kubectl gati doctor --fix" runs them.
var (
	Install      = add("kubectl gati install")
	Upgrade      = add("kubectl gati upgrade")
	RestoreChart = add("helm get manifest RELEASE --namespace NAMESPACE" +
		" | kubectl annotate --local -o json -f - meta.helm.sh/release-name=RELEASE meta.helm.sh/release-namespace=NAMESPACE" + // As Helm does.
		" | kubectl label --local -o json -f - --overwrite app.kubernetes.io/managed-by=Helm" +
		" | kubectl apply --server-side --force-conflicts --field-manager helm -f -")
	WriteAnew    = add("kubectl annotate KIND --all --all-namespaces gati.dev/stored-")
	MarkStored   = add(`kubectl patch crd CRD --subresource status --type merge -p '{"status":{"storedVersions":["v1"]}}'`)

	PreviewUpgrade    = add("kubectl gati upgrade --dry-run")
	Uninstall         = add("kubectl gati uninstall")
	UpgradePlugin     = add("kubectl krew upgrade gati")
	Diagnose          = add("kubectl gati doctor")
	ShowStatus        = add("kubectl gati status")
	ShowControllerLog = add("kubectl logs -n gati-system deploy/gati-controller")
	ShowPods          = add("kubectl describe pods -n gati-system -l app.kubernetes.io/name=NAME")
	ShowEndpoints     = add("kubectl get pods,endpointslices -n gati-system")
	ShowCRD           = add("kubectl describe crd CRD")
	ShowGateways      = add("kubectl get gateways --all-namespaces")
	ShowGateway       = add("kubectl describe gateway NAME -n NAMESPACE")
	ShowMetricsAPI    = add("kubectl get apiservice v1beta1.metrics.k8s.io")
)

// The remedies of a handler and its versions.
var (
	Promote      = add("kubectl gati rollout promote HANDLER")
	Pause        = add("kubectl gati rollout pause HANDLER")
	Resume       = add("kubectl gati rollout resume HANDLER")
	Abort        = add("kubectl gati rollout abort HANDLER")
	Retry        = add("kubectl gati rollout retry HANDLER")
	ReturnTo     = add("kubectl gati rollout rollback HANDLER --to VERSION")
	ShowHistory  = add("kubectl gati rollout history HANDLER")
	ListVersions = add("kubectl gati version list HANDLER")
	Compare      = add("kubectl gati version diff HANDLER OLD NEW")
	CompareFile  = add("kubectl gati version diff HANDLER OLD NEW -f FILE")
	Activate     = add("kubectl gati version activate HANDLER VERSION")
	MoveContract = add("kubectl gati version contract HANDLER VERSION")
	SetTraffic   = add("kubectl gati version set-traffic HANDLER VERSION=SHARE")
	RemoveTag    = add("kubectl gati version untag HANDLER VERSION TAG")
	DeleteObject = add("kubectl delete gh HANDLER")
	NameImage    = add("kubectl annotate namespace NAMESPACE gati.dev/image=<image>")
	ShowRoute    = add("kubectl describe httproute handler-NAME -n NAMESPACE")
	ShowPod      = add("kubectl describe pod POD -n NAMESPACE")
)

// The remedies for what others set on a child. Each of Unblocking solves its problem by itself
// and removes nothing that belongs to others.
var (
	ResumeDeployment = add("kubectl -n NAMESPACE rollout resume deployment NAME")
	ScaleUp          = add("kubectl -n NAMESPACE scale deployment NAME --replicas=1")
	CountPodsAtOnce  = add(`kubectl -n NAMESPACE patch deployment NAME --type=json -p '[{"op":"remove","path":"/spec/minReadySeconds"}]'`)
	DeleteAutoscaler = add("kubectl -n NAMESPACE delete hpa NAME")
	RemoveFinalizer  = add(`kubectl -n NAMESPACE patch KIND NAME --type=json -p '[{"op":"remove","path":"/metadata/finalizers/INDEX"}]'`)

	Unblocking = []Remedy{ResumeDeployment, ScaleUp, CountPodsAtOnce}
)
