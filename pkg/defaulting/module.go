package defaulting

import (
	"fmt"
	"slices"

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
	out.addNote(noteRuntime(s, out.RuntimeClass))
	s.Resources, note = resolveResources(s.Resources)
	out.addNote(note)
	out.addNote(noteData(s))
	s.Pod = resolvePod(s.Pod)
	out.Scale = resolveScale(*s.Replicas, s.Autoscaling, f)
	return out, errs
}

func (m *Module) addNote(text string) {
	if text != "" {
		m.Derived = append(m.Derived, text)
	}
}

// noteRuntime describes what runs a wasm module that has no RuntimeClass.
func noteRuntime(s *v1.GatiModuleSpec, class string) string {
	if s.Type != v1.ModuleWasm || class != "" {
		return ""
	}
	return fmt.Sprintf("no RuntimeClass is configured for the runtime %q; the image has to bring a WebAssembly runtime", s.Runtime)
}

// noteData describes the lifetime of /data when no volume of the user is mounted there.
func noteData(s *v1.GatiModuleSpec) string {
	isGranted := slices.Contains(s.Capabilities, v1.CapabilityStorage) || slices.Contains(s.Capabilities, v1.CapabilityFilesystemWrite)
	isMounted := s.Pod != nil && slices.ContainsFunc(s.Pod.VolumeMounts, func(m v1.VolumeMount) bool { return m.MountPath == "/data" })
	if !isGranted || isMounted {
		return ""
	}
	return "/data is emptied with each pod; mount a persistentVolumeClaim there to keep it"
}
