package defaulting

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/remedy"
)

// Handler is a resolved handler.
type Handler struct {
	// Spec has all static and derived defaults. Its lists are the user's own.
	Spec v1.GatiHandlerSpec
	// Version and Image are those of the pods.
	Version, Image string
	// Scale has the bounds of the number of pods.
	Scale Scale
	// Derived lists, for messages, the derived fields of the pods and their origin.
	// Scale has its own note.
	Derived []string
}

// ResolveHandler resolves a handler's spec. It does not change its argument and is
// idempotent: resolving Spec again yields the same. The errors name the fields that
// cannot be derived.
func ResolveHandler(spec *v1.GatiHandlerSpec, f facts.Facts) (Handler, field.ErrorList) {
	out := Handler{Spec: *spec.DeepCopy()}
	s, path := &out.Spec, field.NewPath("spec")
	s.SetDefaults()
	s.HealthCheck.FitTimes()

	image, note, errs := resolveImage(s.Image, f, path.Child("image"))
	out.Image, s.Image = image, image
	out.addNote(note)

	out.Version, note = resolveVersion(string(s.Version), image)
	s.Version = v1.VersionID(out.Version)
	out.addNote(note)

	s.Resources, note = resolveResources(s.Resources)
	out.addNote(note)
	s.Pod = resolvePod(s.Pod)
	out.Scale = resolveScale(*s.Replicas, s.Autoscaling, f)
	return out, errs
}

func (h *Handler) addNote(text string) {
	if text != "" {
		h.Derived = append(h.Derived, text)
	}
}

// resolveImage returns the spec's image, else the namespace's.
func resolveImage(image string, f facts.Facts, path *field.Path) (string, string, field.ErrorList) {
	if image != "" {
		return image, "", nil
	}
	if f.NamespaceImage != "" {
		return f.NamespaceImage, fmt.Sprintf("image %s from the annotation %s of namespace %s", f.NamespaceImage, v1.AnnotationImage, f.Namespace), nil
	}
	missing := "no image is known; set spec.image, or name the application's image once for the namespace: " + remedy.NameImage.For(f.Namespace)
	return "", "", field.ErrorList{field.Required(path, missing)}
}

// resolveVersion returns the declared version: the spec's, else the image's tag if
// that is a version, else the first.
func resolveVersion(version, image string) (string, string) {
	if version != "" {
		return version, ""
	}
	if tag, ok := naming.VersionFromImage(image); ok {
		return tag, fmt.Sprintf("version %s from the tag of image %s", tag, image)
	}
	return naming.FirstVersion, fmt.Sprintf("version %s, because the tag of image %s is no version", naming.FirstVersion, image)
}
