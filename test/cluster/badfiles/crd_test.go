package badfiles

import (
	"io/fs"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
)

// foreign are the places where our schemas embed a type of another project. What
// the schema says inside of them is that project's, and not for us to show.
var foreign = []string{
	"spec.env[]", "spec.envFrom[]", "spec.autoscaling.behavior",
	"spec.resources.requests{}", "spec.resources.limits{}",
	"spec.rollout.checks[].job.env[]", "spec.rollout.checks[].job.envFrom[]",
	"spec.route.parentRefs[]", "spec.route.hostnames[]", "spec.route.filters[]", "spec.route.timeouts",
	"spec.pod.imagePullSecrets[]", "spec.pod.tolerations[]", "spec.pod.affinity", "spec.pod.topologySpreadConstraints[]",
	"spec.pod.volumes[].configMap", "spec.pod.volumes[].secret", "spec.pod.volumes[].emptyDir",
	"spec.pod.initContainers[].env[]", "spec.pod.initContainers[].envFrom[]", "spec.pod.initContainers[].resources.requests{}", "spec.pod.initContainers[].resources.limits{}",
	"spec.pod.sidecars[].env[]", "spec.pod.sidecars[].envFrom[]", "spec.pod.sidecars[].resources.requests{}", "spec.pod.sidecars[].resources.limits{}",
	"spec.pod.volumes[].persistentVolumeClaim", "spec.pod.volumes[].projected", "spec.pod.volumes[].downwardAPI",
}

// readSchemas reads the schemas of the CRDs in one version.
func readSchemas(t testing.TB, version string) []*apiextensionsv1.JSONSchemaProps {
	t.Helper()
	paths, err := fs.Glob(manifests.FS, "crd/gati.dev_*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	var out []*apiextensionsv1.JSONSchemaProps
	for _, path := range paths {
		raw, err := manifests.FS.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(raw, &crd); err != nil {
			t.Fatal(err)
		}
		for _, v := range crd.Spec.Versions {
			if v.Name == version {
				out = append(out, v.Schema.OpenAPIV3Schema)
			}
		}
	}
	return out
}

// walkSchema visits the parts of a schema that are ours. A path has [] for the entries
// of a list and {} for those of a map; the status is not the user's to write.
func walkSchema(path string, s *apiextensionsv1.JSONSchemaProps, met map[string]bool, visit func(string, *apiextensionsv1.JSONSchemaProps)) {
	for _, f := range foreign {
		if path == f {
			met[f] = true
			return
		}
	}
	visit(path, s)
	for name, property := range s.Properties {
		if path == "" && name != "spec" {
			continue
		}
		walkSchema(strings.TrimPrefix(path+"."+name, "."), &property, met, visit)
	}
	if s.Items != nil {
		walkSchema(path+"[]", s.Items.Schema, met, visit)
	}
	if s.AdditionalProperties != nil {
		walkSchema(path+"{}", s.AdditionalProperties.Schema, met, visit)
	}
}

// flattenPath is a path without what marks entries, as a fault's schema path.
func flattenPath(path string) string {
	return strings.NewReplacer("[]", "", "{}", "").Replace(path)
}
