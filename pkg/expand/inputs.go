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

// HandlerInputs returns the hash of the fields that a user can put into a handler's
// pods. Specs with the same hash run the same template. A field at its static
// default is left out, so that setting a default restarts nothing.
func HandlerInputs(spec *v1.GatiHandlerSpec, f facts.Facts) string {
	in := inputs{}
	in.addInput("version", string(spec.Version), "")
	in.addInput("image", firstNonEmpty(spec.Image, f.NamespaceImage), "")
	in.addPort(spec.Port, v1.DefaultHandlerPort)
	in.addContainer(spec.Resources, spec.Env, spec.EnvFrom, spec.Pod)
	in.addInput("healthCheck", nonDefaultFields(spec.HealthCheck, (*v1.HealthCheck).SetDefaults), struct{}{})
	modules := slices.Clone(spec.Modules)
	slices.Sort(modules)
	in.addInput("modules", modules, []v1.ObjectName{})
	return in.hashInputs()
}

// ModuleInputs returns the hash of the fields that a user can put into a module's
// pods, as HandlerInputs does.
func ModuleInputs(spec *v1.GatiModuleSpec, f facts.Facts) string {
	in := inputs{}
	in.addInput("type", string(spec.Type), "")
	in.addInput("moduleName", spec.ModuleName, "")
	in.addInput("runtime", spec.Runtime, "")
	in.addInput("image", firstNonEmpty(spec.Image, f.NamespaceImage), "")
	in.addPort(spec.Port, v1.DefaultModulePort)
	in.addContainer(spec.Resources, spec.Env, nil, spec.Pod)
	in.addInput("healthCheck", nonDefaultFields(spec.HealthCheck, (*v1.ModuleHealthCheck).SetDefaults), struct{}{})
	in.addInput("config", spec.Config, map[string]string{})
	capabilities := slices.Clone(spec.Capabilities)
	slices.Sort(capabilities)
	in.addInput("capabilities", capabilities, []v1.Capability{})
	return in.hashInputs()
}

// inputs collects the hashed fields as canonical JSON: encoding/json sorts the keys
// of a map, and equal quantities marshal equally.
type inputs map[string]json.RawMessage

// addInput adds a value unless it is null or equal to empty.
func (in inputs) addInput(key string, value, emptyValue any) {
	text, err := json.Marshal(value)
	if err != nil {
		// Unreachable for values decoded from JSON.
		text = []byte(`"` + err.Error() + `"`)
	}
	empty, _ := json.Marshal(emptyValue)
	if s := string(text); s != "null" && s != string(empty) {
		in[key] = text
	}
}

func (in inputs) addPort(port *int32, static int32) {
	if port != nil && *port != static {
		in.addInput("port", *port, nil)
	}
}

func (in inputs) addContainer(resources *v1.Resources, env []corev1.EnvVar, envFrom any, pod *v1.PodSettings) {
	in.addInput("resources", resources, struct{}{})
	in.addInput("env", setEnvDefaults(env), []struct{}{})
	in.addInput("envFrom", envFrom, []struct{}{})
	in.addInput("pod", pod, struct{}{})
}

// setEnvDefaults sets the defaults of variables, so that equal meanings have equal
// hashes: a file that is not marked optional is required.
func setEnvDefaults(env []corev1.EnvVar) []corev1.EnvVar {
	out := (&v1.GatiModuleSpec{Env: env}).DeepCopy().Env
	for i := range out {
		if from := out[i].ValueFrom; from != nil && from.FileKeyRef != nil && from.FileKeyRef.Optional == nil {
			from.FileKeyRef.Optional = new(false)
		}
	}
	return out
}

func (in inputs) hashInputs() string {
	text, _ := json.Marshal(in)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// nonDefaultFields returns the fields of a value that differ from their static
// defaults.
func nonDefaultFields[T any](value *T, setDefaults func(*T)) map[string]json.RawMessage {
	full := new(T)
	if value != nil {
		*full = *value
	}
	setDefaults(full)
	static := new(T)
	setDefaults(static)
	have, want := jsonFields(full), jsonFields(static)
	for key, text := range want {
		if string(have[key]) == string(text) {
			delete(have, key)
		}
	}
	return have
}

func jsonFields(value any) map[string]json.RawMessage {
	text, _ := json.Marshal(value)
	out := map[string]json.RawMessage{}
	_ = json.Unmarshal(text, &out)
	return out
}

func firstNonEmpty(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
