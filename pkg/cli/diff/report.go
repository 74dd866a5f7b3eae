package diff

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gati.dev/gati/pkg/cli/output"
	"gati.dev/gati/pkg/status"
	"gati.dev/gati/pkg/target/kubernetes"
)

// Report is the output of -o json, of the kind ChildrenDiff, cli.gati.dev/v1.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Items      []Item `json:"items"`
}

// Item is a handler or module with the changes of its children.
type Item struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Note describes the effect in one sentence.
	Note    string   `json:"note,omitempty"`
	Changes []Change `json:"changes"`
}

// Change is the change of one child.
type Change struct {
	// Kind is as kubectl takes it, with its group.
	Kind   string            `json:"kind"`
	Name   string            `json:"name"`
	Action kubernetes.Action `json:"action"`
	// Before and After are without what only the server and gati-webhook write.
	Before map[string]any `json:"before,omitempty"`
	After  map[string]any `json:"after,omitempty"`
	// Problem is why it cannot be changed.
	Problem string `json:"problem,omitempty"`
}

func newReport() *Report {
	return &Report{APIVersion: status.APIVersion, Kind: "ChildrenDiff", Items: []Item{}}
}

func (r *Report) hasChanges() bool {
	for _, item := range r.Items {
		if len(item.Changes) > 0 {
			return true
		}
	}
	return false
}

func changesOf(found []kubernetes.Change) []Change {
	out := make([]Change, len(found))
	for i, c := range found {
		out[i] = Change{Kind: c.Kind, Name: c.Name, Action: c.Action, Before: contentOf(c.Before), After: contentOf(c.After)}
		if c.Problem != nil {
			out[i].Problem = c.Problem.Error()
		}
	}
	return out
}

func contentOf(u *unstructured.Unstructured) map[string]any {
	if u == nil {
		return nil
	}
	return u.Object
}

// encodeYAML is an object as its author would read it.
func encodeYAML(object map[string]any) (string, error) {
	if object == nil {
		return "", nil
	}
	out, err := output.YAML(object)
	return string(out), err
}
