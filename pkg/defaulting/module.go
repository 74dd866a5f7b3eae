package defaulting

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
)

// Module is a resolved module.
type Module struct {
	// Spec has all static and derived defaults.
	Spec v1.GatiModuleSpec
	// Image is that of the pods.
	Image string
	// RuntimeClass is the RuntimeClass of the pods, empty for the cluster's
	// default.
	RuntimeClass string
	// Scale has the bounds of the number of pods.
	Scale Scale
	// Derived lists, for messages, the derived fields of the pods and their origin.
	// Scale has its own note.
	Derived []string
}

// ResolveModule resolves a module's spec as ResolveHandler does a handler's. name
// is the object's and the default of moduleName.
func ResolveModule(name string, spec *v1.GatiModuleSpec, f facts.Facts) (Module, field.ErrorList) {
	out := Module{Spec: *spec.DeepCopy()}
	s, path := &out.Spec, field.NewPath("spec")
	s.SetDefaults()
	s.HealthCheck.FitTimes()
	if s.ModuleName == "" {
		s.ModuleName = name
	}

	image, note, errs := resolveImage(s.Image, f, path.Child("image"))
	out.Image, s.Image = image, image
	out.addNote(note)
	if s.Type == v1.ModuleWasm {
		out.RuntimeClass = f.RuntimeClasses[s.Runtime]
	}
	s.Resources, note = resolveResources(s.Resources)
	out.addNote(note)
	s.Pod = resolvePod(s.Pod)
	out.Scale = resolveScale(*s.Replicas, s.Autoscaling)
	return out, errs
}

func (m *Module) addNote(text string) {
	if text != "" {
		m.Derived = append(m.Derived, text)
	}
}
