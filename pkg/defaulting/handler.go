package defaulting

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/naming"
)

// Handler is a handler's spec with nothing left open.
type Handler struct {
	// Spec has every static and derived default filled in. Its lists are the
	// user's own.
	Spec v1.GatiHandlerSpec
	// Version and Image are what runs.
	Version, Image string
	// Scale says how many pods there may be.
	Scale Scale
	// Derived names, for people, what the user left open of the pods and where
	// its value comes from. Scale has its own note.
	Derived []string
}

// ResolveHandler fills what a handler's spec leaves open. It does not change the
// spec it is given and is idempotent: resolving Spec again yields the same. The
// errors say what cannot be derived.
func ResolveHandler(spec *v1.GatiHandlerSpec, f facts.Facts) (Handler, field.ErrorList) {
	out := Handler{Spec: *spec.DeepCopy()}
	s, path := &out.Spec, field.NewPath("spec")
	s.SetDefaults()

	image, note, errs := resolveImage(s.Image, f, path.Child("image"))
	out.Image, s.Image = image, image
	out.note(note)

	out.Version, note = resolveVersion(string(s.Version), image)
	s.Version = v1.VersionID(out.Version)
	out.note(note)

	s.Resources, note = resolveResources(s.Resources)
	out.note(note)
	s.Pod = resolvePod(s.Pod)
	out.Scale = resolveScale(*s.Replicas, s.Autoscaling)
	return out, errs
}

func (h *Handler) note(text string) {
	if text != "" {
		h.Derived = append(h.Derived, text)
	}
}

// resolveImage returns the image to run: the spec's, else the namespace's.
func resolveImage(image string, f facts.Facts, path *field.Path) (string, string, field.ErrorList) {
	if image != "" {
		return image, "", nil
	}
	if f.NamespaceImage != "" {
		return f.NamespaceImage, fmt.Sprintf("image %s from the annotation %s of namespace %s", f.NamespaceImage, v1.AnnotationImage, f.Namespace), nil
	}
	remedy := fmt.Sprintf("no image is known; set spec.image, or name the application's image once for the namespace: kubectl annotate namespace %s %s=<image>", f.Namespace, v1.AnnotationImage)
	return "", "", field.ErrorList{field.Required(path, remedy)}
}

// resolveVersion returns the version that the spec declares: its own, else the
// image's tag if that is one, else the first.
func resolveVersion(version, image string) (string, string) {
	if version != "" {
		return version, ""
	}
	if tag, ok := naming.VersionOfImage(image); ok {
		return tag, fmt.Sprintf("version %s from the tag of image %s", tag, image)
	}
	return naming.FirstVersion, fmt.Sprintf("version %s, because the tag of image %s is no version", naming.FirstVersion, image)
}
