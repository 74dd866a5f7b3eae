package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// APIVersion and Kind name the JSON form of a Snapshot. Fields may be added
// under this version; none is renamed, removed or given another meaning.
const (
	APIVersion = "cli.gati.dev/v1"
	Kind       = "Status"
)

// Kinds of items.
const (
	KindHandler = "GatiHandler"
	KindModule  = "GatiModule"
)

// Snapshot is the state of handlers and modules at one moment. Within a namespace,
// the worst health comes first.
type Snapshot struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Namespace is the namespace that was read, absent for all.
	Namespace string `json:"namespace,omitempty"`
	// Time is the moment of the snapshot.
	Time     metav1.Time `json:"time"`
	Handlers []Handler   `json:"handlers"`
	Modules  []Module    `json:"modules"`
	// Unbound are records of versions that belong to no handler shown.
	Unbound []Record `json:"unbound,omitempty"`
	// Unread are the lists that could not be read; their content is missing above.
	Unread []Unread `json:"unread,omitempty"`
}

// Item holds the fields that handlers and modules share.
type Item struct {
	Kind      string      `json:"kind"`
	Namespace string      `json:"namespace"`
	Name      string      `json:"name"`
	CreatedAt metav1.Time `json:"createdAt"`
	Image     string      `json:"image,omitempty"`
	Health    Health      `json:"health"`
	// Reason explains the health in one sentence.
	Reason string `json:"reason"`
	// Next is the next automatic step, or the remedy.
	Next string `json:"next,omitempty"`
	// Observed reports whether the controller has observed the latest spec; else the
	// other fields may be about an earlier one.
	Observed bool `json:"observed"`
	// Phase is the controller's phase, as "kubectl get" shows it.
	Phase v1.Phase `json:"phase,omitempty"`
	// Ready and Desired count pods over all workloads.
	Ready   int32 `json:"ready"`
	Desired int32 `json:"desired"`
	// Workloads are the Deployments.
	Workloads []Workload `json:"workloads,omitempty"`
	// Problems are those of the pods, equal ones joined, the worst first.
	Problems   []Problem   `json:"problems,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"`
	// Children are those with a message of the controller.
	Children []v1.ChildStatus `json:"children,omitempty"`
	// Derived are the fields left open by the spec and the sources of their values.
	Derived []string `json:"derived,omitempty"`
}

// Handler is a GatiHandler.
type Handler struct {
	Item     `json:",inline"`
	Path     string          `json:"path"`
	Methods  []v1.HTTPMethod `json:"methods,omitempty"`
	Strategy v1.Strategy     `json:"strategy"`
	// Version is the declared one.
	Version string `json:"version,omitempty"`
	// Modules are those that the handler names.
	Modules []v1.ObjectName `json:"modules,omitempty"`
	// Rollout is absent before the controller's first decision.
	Rollout *Rollout `json:"rollout,omitempty"`
	// Versions are all that the handler has admitted, newest first.
	Versions []Version `json:"versions,omitempty"`
	// Predictor predicts the effects of requests.
	Predictor *Predictor `json:"-"`
}

// Module is a GatiModule.
type Module struct {
	Item         `json:",inline"`
	Type         v1.ModuleType   `json:"type"`
	Runtime      string          `json:"runtime,omitempty"`
	Capabilities []v1.Capability `json:"capabilities,omitempty"`
	// UsedBy are the first handlers that name the module; UsedByMore is true where there
	// are more.
	UsedBy     []string `json:"usedBy,omitempty"`
	UsedByMore bool     `json:"usedByMore,omitempty"`
}

// Items returns the common part of everything in the snapshot, handlers first.
func (s *Snapshot) Items() []*Item {
	items := make([]*Item, 0, len(s.Handlers)+len(s.Modules))
	for i := range s.Handlers {
		items = append(items, &s.Handlers[i].Item)
	}
	for i := range s.Modules {
		items = append(items, &s.Modules[i].Item)
	}
	return items
}
