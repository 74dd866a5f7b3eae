package cluster

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// Scope selects the objects of a command: the handlers and modules of some names, or
// without names all that the selector selects.
type Scope struct {
	// Namespace is empty for all of them; then there are no names.
	Namespace string
	Refs      []Ref
	Selector  string
}

// Resolved returns the scope with the kinds that its names have turned out to be.
func (s Scope) Resolved(objs status.Objects) Scope {
	if len(s.Refs) == 0 {
		return s
	}
	s.Refs = nil
	for i := range objs.Handlers {
		s.Refs = append(s.Refs, Ref{status.KindHandler, objs.Handlers[i].Name})
	}
	for i := range objs.Modules {
		s.Refs = append(s.Refs, Ref{status.KindModule, objs.Modules[i].Name})
	}
	return s
}

// namesOf are those of one kind.
func namesOf(refs []Ref, kind string) []string {
	var out []string
	for _, r := range refs {
		if r.Kind == kind {
			out = append(out, r.Name)
		}
	}
	return out
}

// ownerOption selects the children of some handlers, or modules.
func ownerOption(label string, names []string) client.ListOption {
	if len(names) == 1 {
		return client.MatchingLabels{label: names[0]}
	}
	any, err := labels.NewRequirement(label, selection.In, names)
	if err != nil {
		return client.HasLabels{label} // such names no object has; the others are found among all
	}
	return client.MatchingLabelsSelector{Selector: labels.NewSelector().Add(*any)}
}

// ownerLabels are the labels that children of each kind have.
var ownerLabels = map[string]string{status.KindHandler: v1.LabelHandler, status.KindModule: v1.LabelModule}
