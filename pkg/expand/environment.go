package expand

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
)

// envVars returns the container's environment: the address to listen on, the pod's
// name, and the user's list unchanged. A name that the user sets overrides ours.
func (p program) envVars() []corev1.EnvVar {
	own := []corev1.EnvVar{
		{Name: "HOST", Value: "0.0.0.0"},
		{Name: "PORT", Value: strconv.Itoa(int(p.port))},
		{Name: "INSTANCE_ID", ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"},
		}},
	}
	own = slices.DeleteFunc(own, func(ours corev1.EnvVar) bool {
		return slices.ContainsFunc(p.env, func(e corev1.EnvVar) bool { return e.Name == ours.Name })
	})
	return append(own, p.env...)
}

// envFromSources returns the sources of further variables: our ConfigMap first, so
// that the user's keys override it.
func (p program) envFromSources() []corev1.EnvFromSource {
	ours := corev1.EnvFromSource{ConfigMapRef: &corev1.ConfigMapEnvSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: p.config},
	}}
	return append([]corev1.EnvFromSource{ours}, p.envFrom...)
}

// handlerConfig returns the variables for a handler's runtime.
func handlerConfig(name, version string, modules []v1.ObjectName) map[string]string {
	config := map[string]string{
		"NODE_ENV":        "production",
		"HANDLER_ID":      name,
		"HANDLER_VERSION": version,
	}
	for _, m := range modules {
		variable := "GATI_MODULE_" + envVarName(string(m))
		config[variable] = naming.ModuleChild(string(m))
		// No name has two hyphens in a row, so this is no other module's variable.
		config[variable+"__PORT"] = strconv.Itoa(v1.DefaultModulePort)
	}
	return config
}

// moduleConfig returns the variables for a module's runtime, with the user's own
// settings.
func moduleConfig(spec *v1.GatiModuleSpec) map[string]string {
	config := map[string]string{"MODULE_ID": spec.ModuleName}
	switch spec.Type {
	case v1.ModuleNode:
		config["NODE_ENV"] = "production"
	case v1.ModuleWasm:
		config["WASM_RUNTIME"] = spec.Runtime
	}
	for key, value := range spec.Config {
		config[key] = value
	}
	return config
}

// configMapName derives the name of a ConfigMap from its content: revisions with
// the same content share one, and none is ever changed.
func configMapName(prefix string, config map[string]string) string {
	text, _ := json.Marshal(config)
	sum := sha256.Sum256(text)
	return naming.HashedName(prefix, hex.EncodeToString(sum[:]))
}

func envVarName(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

func versionLabelValue(version string) string { return naming.Slug(version, 1) }
