package statustest

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// Now is the moment at which all scenarios play.
var Now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Ago returns the moment d before Now.
func Ago(d time.Duration) metav1.Time { return metav1.NewTime(Now.Add(-d)) }

// Namespace is where all builders put their objects unless told otherwise.
const Namespace = "shop"

// meta returns the metadata of an object that is ten minutes old.
func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace:         Namespace,
		Name:              name,
		Generation:        1,
		CreationTimestamp: Ago(10 * time.Minute),
		Labels:            map[string]string{},
	}
}

// Handler builds a GatiHandler.
type Handler struct{ v1.GatiHandler }

// MakeHandler starts a handler of version v1.0.0 that no controller has seen.
func MakeHandler(name string) *Handler {
	h := &Handler{}
	h.ObjectMeta = meta(name)
	h.Spec = v1.GatiHandlerSpec{Path: "/api/" + name, Version: "v1.0.0", Image: "my-app:v1.0.0"}
	h.Spec.SetDefaults()
	return h
}

// Obj returns the handler.
func (h *Handler) Obj() v1.GatiHandler { return h.GatiHandler }

// In puts the handler into a namespace.
func (h *Handler) In(namespace string) *Handler { h.Namespace = namespace; return h }

// Label sets a label.
func (h *Handler) Label(key, value string) *Handler { h.Labels[key] = value; return h }

// Strategy sets the strategy.
func (h *Handler) Strategy(s v1.Strategy) *Handler { h.Spec.Rollout.Strategy = s; return h }

// Generation raises the generation of the spec; what the controller has seen
// stays behind.
func (h *Handler) Generation(n int64) *Handler { h.ObjectMeta.Generation = n; return h }

// Deleted marks the handler as being deleted.
func (h *Handler) Deleted(finalizers ...string) *Handler {
	at := Ago(30 * time.Second)
	h.DeletionTimestamp, h.Finalizers = &at, finalizers
	return h
}

// healths are those that most objects of a phase have.
var healths = map[v1.Phase]v1.Health{v1.PhaseRunning: v1.Healthy, v1.PhasePending: v1.Progressing, v1.PhaseFailed: v1.Failed}

// Health sets the controller's verdict.
func (h *Handler) Health(verdict v1.Health) *Handler { h.Status.Health = verdict; return h }

// Seen writes what the controller has seen: the phase with its health, and the ready pods.
func (h *Handler) Seen(phase v1.Phase, ready string) *Handler {
	h.Status.ObservedGeneration = h.ObjectMeta.Generation
	h.Status.Phase, h.Status.Health, h.Status.Ready = phase, healths[phase], ready
	h.Status.Version, h.Status.Image = string(h.Spec.Version), h.Spec.Image
	return h
}

// Condition adds a condition of the observed generation.
func (h *Handler) Condition(kind string, status metav1.ConditionStatus, reason, message string) *Handler {
	h.Status.Conditions = append(h.Status.Conditions, condition(kind, status, reason, message))
	return h
}

// Stalled adds the conditions of a handler that goes on only after a user has acted.
func (h *Handler) Stalled(reason v1.ConditionReason, message string) *Handler {
	return h.Condition(v1.ConditionReady, metav1.ConditionFalse, string(reason), message).
		Condition(v1.ConditionStalled, metav1.ConditionTrue, string(reason), message)
}

// Version adds a version to the status.
func (h *Handler) Version(version string, sequence int64, workload string, weight int32) *Handler {
	h.Status.Versions = append(h.Status.Versions, v1.VersionStatus{
		Version: version, Sequence: sequence, Workload: workload, Weight: weight,
		Phase: v1.VersionActive, Record: h.Name + "-" + workload, RevisionNumber: 1,
	})
	return h
}

// Accepted sets the share that the gateway has accepted of the version added last.
func (h *Handler) Accepted(weight int32) *Handler {
	h.Status.Versions[len(h.Status.Versions)-1].AcceptedWeight = &weight
	return h
}

// Routed puts a gateway in front of the handler.
func (h *Handler) Routed() *Handler {
	h.Spec.Route = &v1.Route{ParentRefs: []gatewayv1.ParentReference{{Name: "edge"}}}
	return h
}

func condition(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: 1, LastTransitionTime: Ago(2 * time.Minute),
	}
}

// Module builds a GatiModule.
type Module struct{ v1.GatiModule }

// MakeModule starts a node module that its controller reports ready.
func MakeModule(name string) *Module {
	m := &Module{}
	m.ObjectMeta = meta(name)
	m.Spec = v1.GatiModuleSpec{
		Type: v1.ModuleNode, Runtime: "node:20", Image: "db-module:v1.0.0",
		Capabilities: []v1.Capability{v1.CapabilityNetwork, v1.CapabilityStorage},
	}
	m.Spec.SetDefaults()
	m.Status = v1.GatiModuleStatus{
		ObservedGeneration: 1, Phase: v1.PhaseRunning, Health: v1.Healthy, Image: m.Spec.Image, Ready: "1/1",
		Conditions: []metav1.Condition{condition(v1.ConditionReady, metav1.ConditionTrue, "AllReady", "1 of 1 pod is ready")},
	}
	return m
}

// Obj returns the module.
func (m *Module) Obj() v1.GatiModule { return m.GatiModule }

// Record builds a GatiVersion.
type Record struct{ v1.GatiVersion }

// MakeRecord starts the automatic record of a handler's version.
func MakeRecord(name, handler, version string) *Record {
	r := &Record{}
	r.ObjectMeta = meta(name)
	r.Spec = v1.GatiVersionSpec{Handler: v1.ObjectName(handler), Version: v1.VersionID(version)}
	r.Labels[v1.LabelAutomatic] = "true"
	if handler != "" {
		r.Labels[v1.LabelHandler] = handler
	}
	r.Status = v1.GatiVersionStatus{ObservedGeneration: 1, Phase: v1.VersionActive, Handler: handler, Version: version}
	return r
}

// Obj returns the record.
func (r *Record) Obj() v1.GatiVersion { return r.GatiVersion }

// Tags sets the tags and makes it a user's record.
func (r *Record) Tags(tags ...v1.Tag) *Record {
	delete(r.Labels, v1.LabelAutomatic)
	r.Spec.Tags = tags
	return r
}

// Traffic sets the share that the record asks for, and makes it a user's.
func (r *Record) Traffic(share int32) *Record {
	delete(r.Labels, v1.LabelAutomatic)
	r.Spec.Traffic = &share
	return r
}

// Loose makes it a record that nothing has bound yet.
func (r *Record) Loose() *Record {
	delete(r.Labels, v1.LabelHandler)
	delete(r.Labels, v1.LabelAutomatic)
	r.Status = v1.GatiVersionStatus{}
	return r
}

// Refused says why the controller takes no notice of it.
func (r *Record) Refused(message string) *Record {
	r.Status.Conditions = append(r.Status.Conditions, condition(v1.ConditionAccepted, metav1.ConditionFalse, "Conflict", message))
	return r
}

// Waiting has the rollout wait for a reason, with the verdict that follows. A time of 0 is
// none.
func (h *Handler) Waiting(reason v1.WaitingReason, left time.Duration, message string) *Handler {
	h.Status.Health = reason.Health()
	h.Status.Rollout.WaitingFor = &v1.WaitingStatus{Reason: reason, Message: message}
	if left > 0 {
		until := Ago(-left)
		h.Status.Rollout.WaitingFor.Until = &until
	}
	return h
}
