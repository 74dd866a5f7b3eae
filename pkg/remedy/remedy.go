// Package remedy holds the commands that messages name as a remedy. A message that names a
// command takes it from here, and a test executes it in the state that the message is about:
// TestCommandsOfMessagesAreRemedies and TestEveryRemedyIsExecuted hold both.
//
// The package must not know when a remedy applies.
package remedy

import (
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// Remedy is a command, or a pipe of commands, as it is typed. No argument holds a space, so
// that ParsePipe needs no shell. Words in capitals stand for what For fills in.
type Remedy string

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
const (
	Install      Remedy = "kubectl gati install"
	Upgrade      Remedy = "kubectl gati upgrade"
	RestoreChart Remedy = "helm get manifest RELEASE --namespace NAMESPACE" +
		" | kubectl annotate --local -o json -f - meta.helm.sh/release-name=RELEASE meta.helm.sh/release-namespace=NAMESPACE" + // As Helm does.
		" | kubectl label --local -o json -f - --overwrite app.kubernetes.io/managed-by=Helm" +
		" | kubectl apply --server-side --force-conflicts --field-manager helm -f -"
	WriteAnew  Remedy = "kubectl annotate KIND --all --all-namespaces gati.dev/stored-"
	MarkStored Remedy = `kubectl patch crd CRD --subresource status --type merge -p '{"status":{"storedVersions":["v1"]}}'`

	PreviewUpgrade    Remedy = "kubectl gati upgrade --dry-run"
	Uninstall         Remedy = "kubectl gati uninstall"
	UpgradePlugin     Remedy = "kubectl krew upgrade gati"
	Diagnose          Remedy = "kubectl gati doctor"
	ShowStatus        Remedy = "kubectl gati status HANDLER"
	ShowControllerLog Remedy = "kubectl logs -n gati-system deploy/gati-controller"
	ShowPods          Remedy = "kubectl describe pods -n gati-system -l app.kubernetes.io/name=NAME"
	ShowEndpoints     Remedy = "kubectl get pods,endpointslices -n gati-system"
	ShowCRD           Remedy = "kubectl describe crd CRD"
	ShowGateways      Remedy = "kubectl get gateways --all-namespaces"
	ShowGateway       Remedy = "kubectl describe gateway NAME -n NAMESPACE"
	ShowMetricsAPI    Remedy = "kubectl get apiservice v1beta1.metrics.k8s.io"
)

// The remedies of a handler and its versions.
const (
	Promote        Remedy = "kubectl gati rollout promote HANDLER"
	Pause          Remedy = "kubectl gati rollout pause HANDLER"
	Resume         Remedy = "kubectl gati rollout resume HANDLER"
	Abort          Remedy = "kubectl gati rollout abort HANDLER"
	Retry          Remedy = "kubectl gati rollout retry HANDLER"
	Rollback       Remedy = "kubectl gati rollout rollback HANDLER"
	ReturnTo       Remedy = "kubectl gati rollout rollback HANDLER --to VERSION"
	ShowHistory    Remedy = "kubectl gati rollout history HANDLER"
	ListVersions   Remedy = "kubectl gati version list HANDLER"
	Compare        Remedy = "kubectl gati version diff HANDLER OLD NEW"
	CompareFile    Remedy = "kubectl gati version diff HANDLER OLD NEW -f FILE"
	Activate       Remedy = "kubectl gati version activate HANDLER VERSION"
	Deactivate     Remedy = "kubectl gati version deactivate HANDLER VERSION"
	Keep           Remedy = "kubectl gati version keep HANDLER VERSION"
	StopKeeping    Remedy = "kubectl gati version keep HANDLER VERSION --off"
	MoveContract   Remedy = "kubectl gati version contract HANDLER VERSION"
	SetTraffic     Remedy = "kubectl gati version set-traffic HANDLER VERSION=SHARE"
	ResetTraffic   Remedy = "kubectl gati version set-traffic HANDLER SHARES"
	AddTag         Remedy = "kubectl gati version tag HANDLER VERSION TAGS"
	RemoveTag      Remedy = "kubectl gati version untag HANDLER VERSION TAGS"
	DeleteObject   Remedy = "kubectl delete gh HANDLER"
	WriteSchemas   Remedy = "kubectl gati schemas --write"
	ScaffoldBreaks Remedy = "kubectl gati schemas DIR --check --scaffold"
	ExpandFile     Remedy = "kubectl gati expand -f FILE"
	NameImage      Remedy = "kubectl annotate namespace NAMESPACE gati.dev/image=<image>"
	ShowRoute      Remedy = "kubectl describe httproute handler-NAME -n NAMESPACE"
	ShowPod        Remedy = "kubectl describe pod POD -n NAMESPACE"

	ShowLog         Remedy = "kubectl -n NAMESPACE logs POD -c CONTAINER"
	ShowPreviousLog Remedy = "kubectl -n NAMESPACE logs POD -c CONTAINER --previous"
	ShowDeployment  Remedy = "kubectl -n NAMESPACE describe deployment NAME"
)

// The remedies for what others set on a child.
const (
	ResumeDeployment Remedy = "kubectl -n NAMESPACE rollout resume deployment NAME"
	ScaleUp          Remedy = "kubectl -n NAMESPACE scale deployment NAME --replicas=1"
	CountPodsAtOnce  Remedy = `kubectl -n NAMESPACE patch deployment NAME --type=json -p '[{"op":"remove","path":"/spec/minReadySeconds"}]'`
	DeleteAutoscaler Remedy = "kubectl -n NAMESPACE delete hpa NAME"
	RemoveFinalizer  Remedy = `kubectl -n NAMESPACE patch KIND NAME --type=json -p '[{"op":"remove","path":"/metadata/finalizers/INDEX"}]'`
)
