package helmchart

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
)

// values are the content of values.yaml.
type values struct {
	// Workloads are image, replicas, resources and env of each Deployment, by its label
	// gati.dev/workload.
	Workloads map[string]any `json:"workloads,omitempty"`
	// Route has the backends with their weights.
	Route map[string]any `json:"route,omitempty"`
}

func newValues() *values { return &values{Workloads: map[string]any{}, Route: map[string]any{}} }

func (v *values) encode() ([]byte, error) { return yaml.Marshal(v) }

// takeWorkload moves the settings of a Deployment that users change into the values.
func (v *values) takeWorkload(u *unstructured.Unstructured, holes *holes) error {
	name := u.GetLabels()[v1.LabelWorkload]
	if name == "" {
		name = u.GetName()
	}
	taken := map[string]any{}
	take := func(from map[string]any, field string) {
		if value, isSet := from[field]; isSet {
			taken[field] = value
			from[field] = holes.addHole(fmt.Sprintf("{{ toJson (index .Values.workloads %q %q) }}", name, field))
		}
	}
	spec, _ := u.Object["spec"].(map[string]any)
	containers, found, err := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
	if err != nil || !found || len(containers) == 0 {
		return errors.Join(errors.New("it has no containers"), err)
	}
	container := containers[0].(map[string]any)
	for _, field := range []string{"image", "resources", "env"} {
		take(container, field)
	}
	take(spec, "replicas")
	v.Workloads[name] = taken
	return unstructured.SetNestedSlice(u.Object, containers, "spec", "template", "spec", "containers")
}

// takeRoute moves the weighted backends into the values. They are in the first rule;
// every other rule pins one version.
func (v *values) takeRoute(u *unstructured.Unstructured, holes *holes) error {
	rules, found, err := unstructured.NestedSlice(u.Object, "spec", "rules")
	if err != nil || !found || len(rules) == 0 {
		return errors.Join(errors.New("it has no rules"), err)
	}
	shares := rules[0].(map[string]any)
	if _, isSet := shares["backendRefs"]; !isSet {
		return nil
	}
	v.Route["backendRefs"] = shares["backendRefs"]
	shares["backendRefs"] = holes.addHole("{{ toJson .Values.route.backendRefs }}")
	return unstructured.SetNestedSlice(u.Object, rules, "spec", "rules")
}
