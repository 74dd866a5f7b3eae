package expand

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
)

// nameDigits is how much of the hash of the inputs the name of a revision has.
const nameDigits = 10

func (o owner) revisionName(inputs string) string {
	return o.child + "-" + inputs[:min(nameDigits, len(inputs))]
}

// transformersName returns the name of the ConfigMap that a handler's pods may mount; empty for
// a module.
func (o owner) transformersName() string {
	if o.kind != kindHandler {
		return ""
	}
	return naming.TransformersName(o.meta.Name)
}

func ownerFor(obj client.Object) (owner, error) {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		return handlerOwner(o), nil
	case *v1.GatiModule:
		return moduleOwner(o), nil
	}
	return owner{}, fmt.Errorf("a %T has no revisions", obj)
}

// IsRevisionOf reports whether a ControllerRevision is controlled by a handler or module.
// The whole reference counts: the policy gati-revisions knows ours by its group, so an
// equal uid under another kind is no reference of ours.
func IsRevisionOf(cr *appsv1.ControllerRevision, obj client.Object) bool {
	o, err := ownerFor(obj)
	ref := metav1.GetControllerOfNoCopy(cr)
	if err != nil || ref == nil {
		return false
	}
	group, err := schema.ParseGroupVersion(ref.APIVersion)
	return err == nil && group.Group == v1.GroupVersion.Group && ref.Kind == o.kind && ref.Name == o.meta.Name && ref.UID == o.meta.UID
}

// ReadRevision decodes the revision in a ControllerRevision of a handler or module. It
// refuses one that no release of Gati can have written for that owner.
func ReadRevision(cr *appsv1.ControllerRevision, obj client.Object) (Revision, error) {
	r := Revision{Name: cr.Name}
	o, err := ownerFor(obj)
	if err == nil {
		err = json.Unmarshal(cr.Data.Raw, &r)
	}
	if err == nil {
		err = o.checkRevision(&r, cr.Labels)
	}
	if err != nil {
		return Revision{}, fmt.Errorf("ControllerRevision %s/%s does not hold a pod template of Gati: %w; delete it so that the controller writes it again", cr.Namespace, cr.Name, err)
	}
	var s v1.VersionSchema
	if text := cr.Annotations[v1.AnnotationSchema]; text != "" && json.Unmarshal([]byte(text), &s) == nil {
		r.Schema = &s
	}
	return r, nil
}

// checkRevision returns why a revision is not as it was cut: its parts contradict each
// other, or its template is outside of the allow-list. Labels may be lost, and are then
// put back.
func (o owner) checkRevision(r *Revision, labels map[string]string) error {
	switch inputs, labelled := labels[v1.LabelInputs]; {
	case len(r.Inputs) < nameDigits || r.Name != o.revisionName(r.Inputs):
		return fmt.Errorf("its name is not that of its inputs %q", r.Inputs)
	case labelled && inputs != r.Inputs:
		return fmt.Errorf("its label %s is not the hash of its inputs, %s", v1.LabelInputs, r.Inputs)
	case r.ConfigName != configMapName(o.child, r.Config):
		return fmt.Errorf("its configName %s is not that of its config", r.ConfigName)
	case r.Number < 1 || (r.Version == "") != (o.kind == kindModule):
		return errors.New("its number or version is missing")
	}
	if err := o.checkPodMeta(&r.Template.ObjectMeta, r.Version); err != nil {
		return err
	}
	if err := o.checkPod(&r.Template.Spec); err != nil {
		return err
	}
	c := &r.Template.Spec.Containers[0]
	if c.Image != r.Image {
		return fmt.Errorf("its template runs the image %s, and it was cut for %s", c.Image, r.Image)
	}
	if len(c.EnvFrom) == 0 || c.EnvFrom[0].ConfigMapRef == nil || c.EnvFrom[0].ConfigMapRef.Name != r.ConfigName {
		return fmt.Errorf("its template does not read the ConfigMap %s", r.ConfigName)
	}
	return nil
}

// checkPodMeta returns which label or annotation of a template is not its owner's. Services
// and policies select pods by these labels.
func (o owner) checkPodMeta(m *metav1.ObjectMeta, version string) error {
	want := o.objectMeta("", nil).Labels
	annotations := map[string]string{}
	if version != "" {
		want[v1.LabelVersion] = versionLabelValue(version)
		annotations[v1.AnnotationVersion] = version
	}
	if key := findForeign(m.Labels, want, "gati.dev/", "app.kubernetes.io/"); key != "" {
		return fmt.Errorf("template.metadata.labels[%s] must be %q, not %q", key, want[key], m.Labels[key])
	}
	if key := findForeign(m.Annotations, annotations, "gati.dev/"); key != "" {
		return fmt.Errorf("template.metadata.annotations[%s] must be %q, not %q", key, annotations[key], m.Annotations[key])
	}
	if m.Name != "" || m.Namespace != "" || len(m.OwnerReferences) > 0 || len(m.Finalizers) > 0 {
		return errors.New("template.metadata must have labels and annotations alone")
	}
	return nil
}

// findForeign returns the first key with a reserved prefix whose value is not the wanted
// one, or a wanted key that is missing.
func findForeign(have, want map[string]string, reserved ...string) string {
	var wrong []string
	for key, value := range have {
		isReserved := slices.ContainsFunc(reserved, func(p string) bool { return strings.HasPrefix(key, p) })
		if wanted, ok := want[key]; isReserved && (!ok || value != wanted) {
			wrong = append(wrong, key)
		}
	}
	for key, value := range want {
		if got, ok := have[key]; !ok || got != value {
			wrong = append(wrong, key)
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return slices.Min(wrong)
}

// CheckInputs returns why a kept revision does not fit its owner's spec, from which fresh
// would be resolved. It compares only fields that no release derives: the program, and the
// objects that it uses.
func CheckInputs(kept, fresh Revision, obj client.Object) error {
	if why := findMismatch(kept, fresh, specImage(obj)); why != "" {
		return fmt.Errorf("ControllerRevision %s/%s does not have the template of its inputs: %s; delete it so that the controller writes it again", obj.GetNamespace(), kept.Name, why)
	}
	return nil
}

func findMismatch(kept, fresh Revision, image string) string {
	reached := fresh.configReferences()
	for _, ref := range kept.configReferences() {
		if !slices.Contains(reached, ref) {
			return "the spec does not have " + ref
		}
	}
	have, want := kept.Template.Spec, fresh.Template.Spec
	if len(have.Containers) == 0 || len(want.Containers) == 0 {
		return "it has no container"
	}
	switch h, w := have.Containers[0], want.Containers[0]; {
	case kept.Inputs != fresh.Inputs:
		return "it was cut for other inputs"
	case image != "" && h.Image != image:
		return "it runs the image " + h.Image + ", and the spec has " + image
	case have.ServiceAccountName != want.ServiceAccountName:
		return "the spec has another serviceAccountName"
	case !slices.Equal(h.Command, w.Command) || !slices.Equal(h.Args, w.Args):
		return "the spec has another command"
	}
	return findOtherMismatch(have.InitContainers, want.InitContainers, func(h, w string) bool {
		return h == w || h == kept.Image && w == fresh.Image
	})
}

// findOtherMismatch returns how the programs of the containers beside the own one differ. Where
// the spec names no image for one, it runs the image of the own one, as isSameImage has it.
func findOtherMismatch(have, want []corev1.Container, isSameImage func(have, want string) bool) string {
	if len(have) != len(want) {
		return "the spec has other initContainers or sidecars"
	}
	for i := range have {
		h, w := &have[i], &want[i]
		switch {
		case h.Name != w.Name || isSidecar(h) != isSidecar(w):
			return "the spec has other initContainers or sidecars"
		case !isSameImage(h.Image, w.Image):
			return "the spec has another image for container " + h.Name
		case !slices.EqualFunc(commandsOf(h), commandsOf(w), slices.Equal):
			return "the spec has another command for container " + h.Name
		}
	}
	return ""
}

// commandsOf returns what a container runs: its program, and that of each probe.
func commandsOf(c *corev1.Container) [][]string {
	out := [][]string{c.Command, c.Args}
	for _, p := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		if p != nil && p.Exec != nil {
			out = append(out, p.Exec.Command)
		} else {
			out = append(out, nil)
		}
	}
	return out
}

// specImage returns the image that a spec names; empty where it is derived.
func specImage(obj client.Object) string {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		return o.Spec.Image
	case *v1.GatiModule:
		return o.Spec.Image
	}
	return ""
}
