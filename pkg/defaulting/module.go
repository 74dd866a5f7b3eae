package defaulting

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
)

// Module is a module's spec with nothing left open.
type Module struct {
	// Spec has every static and derived default filled in.
	Spec v1.GatiModuleSpec
	// Image is what runs.
	Image string
	// RuntimeClass is the RuntimeClass of the pods, empty for the cluster's own.
	RuntimeClass string
	// Scale says how many pods there may be.
	Scale Scale
	// Derived names, for people, what the user left open of the pods and where
	// its value comes from. Scale has its own note.
	Derived []string
}

// ResolveModule fills what a module's spec leaves open, as ResolveHandler does a
// handler's. name is the object's, which a module is known by unless it says
// otherwise.
func ResolveModule(name string, spec *v1.GatiModuleSpec, f facts.Facts) (Module, field.ErrorList) {
	out := Module{Spec: *spec.DeepCopy()}
	s, path := &out.Spec, field.NewPath("spec")
	s.SetDefaults()
	if s.ModuleName == "" {
		s.ModuleName = name
	}

	image, note, errs := resolveImage(s.Image, f, path.Child("image"))
	out.Image, s.Image = image, image
	out.note(note)
	if s.Type == v1.ModuleWasm {
		out.RuntimeClass = f.RuntimeClasses[s.Runtime]
	}
	s.Resources, note = resolveResources(s.Resources)
	out.note(note)
	s.Pod = resolvePod(s.Pod)
	out.Scale = resolveScale(*s.Replicas, s.Autoscaling)
	return out, errs
}

func (m *Module) note(text string) {
	if text != "" {
		m.Derived = append(m.Derived, text)
	}
}
