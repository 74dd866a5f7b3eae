package expand

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
)

// HandlerInputs returns the hash of what a user can put into a handler's pods.
// Two specs with the same hash run the same template. A field at its static
// default counts as left out, so that naming a default rolls nothing.
func HandlerInputs(spec *v1.GatiHandlerSpec, f facts.Facts) string {
	in := inputs{}
	in.put("version", string(spec.Version), "")
	in.put("image", first(spec.Image, f.NamespaceImage), "")
	in.port(spec.Port, v1.DefaultHandlerPort)
	in.container(spec.Resources, spec.Env, spec.EnvFrom, spec.Pod)
	in.put("healthCheck", changed(spec.HealthCheck, (*v1.HealthCheck).SetDefaults), struct{}{})
	modules := slices.Clone(spec.Modules)
	slices.Sort(modules)
	in.put("modules", modules, []v1.ObjectName{})
	return in.hash()
}

// ModuleInputs is HandlerInputs for a module.
func ModuleInputs(spec *v1.GatiModuleSpec, f facts.Facts) string {
	in := inputs{}
	in.put("type", string(spec.Type), "")
	in.put("moduleName", spec.ModuleName, "")
	in.put("runtime", spec.Runtime, "")
	in.put("image", first(spec.Image, f.NamespaceImage), "")
	in.port(spec.Port, v1.DefaultModulePort)
	in.container(spec.Resources, spec.Env, nil, spec.Pod)
	in.put("healthCheck", changed(spec.HealthCheck, (*v1.ModuleHealthCheck).SetDefaults), struct{}{})
	in.put("config", spec.Config, map[string]string{})
	capabilities := slices.Clone(spec.Capabilities)
	slices.Sort(capabilities)
	in.put("capabilities", capabilities, []v1.Capability{})
	return in.hash()
}

// inputs collects what is hashed, as canonical JSON: encoding/json sorts the
// keys of a map, and quantities marshal in one way however they were written.
type inputs map[string]json.RawMessage

// put adds a value unless it says nothing.
func (in inputs) put(key string, value, nothing any) {
	text, err := json.Marshal(value)
	if err != nil {
		// Only a value that JSON cannot say gets here, and these come from JSON.
		text = []byte(`"` + err.Error() + `"`)
	}
	empty, _ := json.Marshal(nothing)
	if s := string(text); s != "null" && s != string(empty) {
		in[key] = text
	}
}

func (in inputs) port(port *int32, static int32) {
	if port != nil && *port != static {
		in.put("port", *port, nil)
	}
}

func (in inputs) container(resources *v1.Resources, env []corev1.EnvVar, envFrom any, pod *v1.PodSettings) {
	in.put("resources", resources, struct{}{})
	in.put("env", defaulted(env), []struct{}{})
	in.put("envFrom", envFrom, []struct{}{})
	in.put("pod", pod, struct{}{})
}

// defaulted returns variables in which what means the same looks the same: a file
// that nobody calls optional is not.
func defaulted(env []corev1.EnvVar) []corev1.EnvVar {
	out := (&v1.GatiModuleSpec{Env: env}).DeepCopy().Env
	for i := range out {
		if from := out[i].ValueFrom; from != nil && from.FileKeyRef != nil && from.FileKeyRef.Optional == nil {
			from.FileKeyRef.Optional = new(false)
		}
	}
	return out
}

func (in inputs) hash() string {
	text, _ := json.Marshal(in)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// changed returns the fields of a value that differ from their static defaults.
func changed[T any](value *T, setDefaults func(*T)) map[string]json.RawMessage {
	full := new(T)
	if value != nil {
		*full = *value
	}
	setDefaults(full)
	static := new(T)
	setDefaults(static)
	have, want := fields(full), fields(static)
	for key, text := range want {
		if string(have[key]) == string(text) {
			delete(have, key)
		}
	}
	return have
}

func fields(value any) map[string]json.RawMessage {
	text, _ := json.Marshal(value)
	out := map[string]json.RawMessage{}
	_ = json.Unmarshal(text, &out)
	return out
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
