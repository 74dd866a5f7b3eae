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

// variables returns the container's environment: where to listen, which pod it
// is, and then the user's own list as it stands. A name that the user sets is
// the user's.
func (p program) variables() []corev1.EnvVar {
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

// sources returns what else becomes environment: our ConfigMap first, so that a
// key of the user's wins.
func (p program) sources() []corev1.EnvFromSource {
	ours := corev1.EnvFromSource{ConfigMapRef: &corev1.ConfigMapEnvSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: p.config},
	}}
	return append([]corev1.EnvFromSource{ours}, p.envFrom...)
}

// handlerConfig is what a handler's runtime is told.
func handlerConfig(name, version string, modules []v1.ObjectName) map[string]string {
	config := map[string]string{
		"NODE_ENV":        "production",
		"HANDLER_ID":      name,
		"HANDLER_VERSION": version,
	}
	for _, m := range modules {
		config["GATI_MODULE_"+variableName(string(m))] = naming.Module(string(m))
	}
	return config
}

// moduleConfig is what a module's runtime is told, and the user's own settings.
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

// configName names a ConfigMap by its content: two revisions that tell the
// runtime the same share one, and none is ever changed.
func configName(prefix string, config map[string]string) string {
	text, _ := json.Marshal(config)
	sum := sha256.Sum256(text)
	return naming.Hashed(prefix, hex.EncodeToString(sum[:]))
}

func variableName(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

func versionLabel(version string) string { return naming.Slug(version, 1) }
