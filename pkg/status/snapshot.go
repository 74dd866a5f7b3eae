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

// Snapshot is the state of some handlers and modules at one moment. Within a
// namespace, what needs somebody stands first.
type Snapshot struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Namespace is where was looked, absent for all namespaces.
	Namespace string `json:"namespace,omitempty"`
	// Time is the moment that the snapshot speaks of.
	Time     metav1.Time `json:"time"`
	Handlers []Handler   `json:"handlers"`
	Modules  []Module    `json:"modules"`
	// Unbound are records of versions that belong to no handler shown.
	Unbound []Record `json:"unbound,omitempty"`
	// Unread are the lists that could not be read: what they would tell is
	// missing above.
	Unread []Unread `json:"unread,omitempty"`
}

// Item is what handlers and modules have in common.
type Item struct {
	Kind      string      `json:"kind"`
	Namespace string      `json:"namespace"`
	Name      string      `json:"name"`
	CreatedAt metav1.Time `json:"createdAt"`
	Image     string      `json:"image,omitempty"`
	Health    Health      `json:"health"`
	// Reason is one sentence that explains the health.
	Reason string `json:"reason"`
	// Next is what happens next by itself, or what somebody should do.
	Next string `json:"next,omitempty"`
	// Observed tells that the controller has seen the latest spec: all else here
	// may speak of an earlier one.
	Observed bool `json:"observed"`
	// Phase is the controller's own word, as "kubectl get" shows it.
	Phase v1.Phase `json:"phase,omitempty"`
	// Ready and Desired count pods over all workloads.
	Ready   int32 `json:"ready"`
	Desired int32 `json:"desired"`
	// Workloads are the Deployments.
	Workloads []Workload `json:"workloads,omitempty"`
	// Problems are what is wrong with pods, equal ones as one, worst first.
	Problems   []Problem   `json:"problems,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"`
	// Children are those that the controller has something to say about.
	Children []v1.ChildStatus `json:"children,omitempty"`
	// Derived are the fields that nobody set and where their values come from.
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
	// Rollout is where the controller stands with it; absent before its first
	// decision.
	Rollout *Rollout `json:"rollout,omitempty"`
	// Versions are all that the handler has admitted, newest first.
	Versions []Version `json:"versions,omitempty"`
}

// Module is a GatiModule.
type Module struct {
	Item         `json:",inline"`
	Type         v1.ModuleType   `json:"type"`
	Runtime      string          `json:"runtime,omitempty"`
	Capabilities []v1.Capability `json:"capabilities,omitempty"`
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
