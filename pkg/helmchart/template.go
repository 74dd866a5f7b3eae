package helmchart

import (
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
)

// ManagedByHelm is the label app.kubernetes.io/managed-by of every object in a release.
const ManagedByHelm = "Helm"

// hookAnnotation makes Helm run an object at another time than the rest.
const hookAnnotation = "helm.sh/hook"

// template is a file of a chart with its rendered text.
type template struct {
	name           string
	text, rendered []byte
}

// newTemplate returns the template of a child, and adds its variable parts to the
// values.
func newTemplate(child client.Object, values *values) (template, error) {
	u, err := expand.Encode(child)
	if err != nil {
		return template{}, err
	}
	u.SetOwnerReferences(nil)
	if _, isHook := u.GetAnnotations()[hookAnnotation]; isHook {
		return template{}, fmt.Errorf("%s %s has the annotation %s; a chart of Gati has no hooks: remove it", u.GetKind(), u.GetName(), hookAnnotation)
	}
	labels := u.GetLabels()
	labels[v1.LabelTarget] = v1.TargetHelm
	u.SetLabels(labels)

	name := strings.ToLower(u.GetKind()) + "-" + u.GetName()
	rendered, err := yaml.Marshal(u.Object)
	if err != nil {
		return template{}, fmt.Errorf("encode %s: %w", child.GetName(), err)
	}
	holes := newHoles(string(rendered))
	metadata := u.Object["metadata"].(map[string]any)
	metadata["namespace"] = holes.addHole("{{ .Release.Namespace }}")
	switch u.GetKind() {
	case "Deployment":
		err = values.takeWorkload(u, holes)
	case "HTTPRoute":
		err = values.takeRoute(u, holes)
	}
	if err != nil {
		return template{}, fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
	}
	text, err := yaml.Marshal(u.Object)
	if err != nil {
		return template{}, fmt.Errorf("encode %s: %w", child.GetName(), err)
	}
	return template{name: "templates/" + name + ".yaml", text: []byte(holes.fillHoles(string(text))), rendered: rendered}, nil
}

// Finalizer is held by handlers and modules whose children are a release.
const Finalizer = "gati.dev/helm"

// Installed returns a planned object in the form that Helm installs: without an
// ownerReference, and with Helm's marks. Helm deletes only marked objects with a
// release.
func Installed(obj client.Object) client.Object {
	out := obj.DeepCopyObject().(client.Object)
	out.SetOwnerReferences(nil)
	labels, annotations := out.GetLabels(), out.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	labels[v1.LabelTarget] = v1.TargetHelm
	labels[v1.LabelManagedBy] = ManagedByHelm
	annotations["meta.helm.sh/release-name"] = NameFor(out)
	annotations["meta.helm.sh/release-namespace"] = out.GetNamespace()
	out.SetLabels(labels)
	out.SetAnnotations(annotations)
	return out
}

// holes are the parts of an object that a template fills.
type holes struct {
	// mark does not occur in the object's own text.
	mark    string
	actions []string
}

// newHoles returns the holes of an object with the given text.
func newHoles(text string) *holes {
	mark := "gatiHole"
	for strings.Contains(text, mark) {
		mark += "x"
	}
	return &holes{mark: mark}
}

// addHole returns a placeholder for an action until fill.
func (h *holes) addHole(action string) string {
	h.actions = append(h.actions, action)
	return h.textOf(len(h.actions) - 1)
}

func (h *holes) textOf(i int) string { return fmt.Sprintf("%s_%d_", h.mark, i) }

// fillHoles replaces the placeholders with their actions. Text of the object that looks like
// an action is escaped.
func (h *holes) fillHoles(text string) string {
	text = strings.ReplaceAll(text, "{{", `{{ "{{" }}`)
	for i, action := range h.actions {
		text = strings.Replace(text, h.textOf(i), action, 1)
	}
	return text
}
