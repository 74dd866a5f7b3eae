package chart

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// A use is a value other than its default, and what it changes.
type use struct {
	// set is the argument of --set-json.
	set string
	// changes are the objects that differ, each with a text that it then has. A text that
	// begins with "no " is one that it no longer has; "gone" and "new" are of the object.
	changes map[string]string
}

const (
	hooks       = "Deployment/gati-system/gati-webhook"
	controllers = "Deployment/gati-system/gati-controller"
)

// inBothDeployments returns the change of both Deployments.
func inBothDeployments(text string) map[string]string {
	return map[string]string{hooks: text, controllers: text}
}

// inAllCRDs returns the change of all CRDs.
func inAllCRDs(text string) map[string]string {
	out := map[string]string{}
	for _, kind := range []string{"gatihandlers", "gatimodules", "gativersions"} {
		out["CustomResourceDefinition//"+kind+".gati.dev"] = text
	}
	return out
}

// uses has an entry for every value.
var uses = map[string]use{
	"namespace.create": {"false", map[string]string{"Namespace//gati-system": "gone"}},
	"crds.enabled":     {"false", inAllCRDs("gone")},
	"crds.keep":        {"false", inAllCRDs("no helm.sh/resource-policy")},
	"image.registry":   {`"mirror.example/x"`, inBothDeployments(`"mirror.example/x/gati.dev/gati-webhook:v`)},
	"image.repository": {`"registry.example/gati"`, inBothDeployments(`"registry.example/gati:v`)},
	"image.tag":        {`"v9"`, inBothDeployments(`"gati.dev/gati-webhook:v9"`)},
	"image.digest":     {`"sha256:` + strings.Repeat("a", 64) + `"`, inBothDeployments("@sha256:aaaa")},
	"image.pullPolicy": {`"Always"`, inBothDeployments(`"imagePullPolicy":"Always"`)},
	"imagePullSecrets": {`[{"name":"registry"}]`, inBothDeployments(`"imagePullSecrets":[{"name":"registry"}]`)},
	"config":           {`{"log-level":"debug"}`, map[string]string{hooks: `"gati.dev/config"`, controllers: `"gati.dev/config"`, "ConfigMap/gati-system/gati-webhook": `log-level: debug\nruntime-classes: {}\n`}},
	"targets.helm": {"true", map[string]string{
		"ClusterRole//gati-controller-helm": `"secrets"`, "ClusterRoleBinding//gati-controller-helm": `"name":"gati-controller"`,
	}},
	"targets.gitops": {"true", map[string]string{
		"ClusterRole//gati-gitops": `"patch"`, "ClusterRoleBinding//gati-gitops": "new",
		"Role/gati-system/gati-gitops": `"gati-git","gati-git-signing"`, "RoleBinding/gati-system/gati-gitops": "new",
	}},
	"certManager.enabled":      {"true", nil},
	"networkPolicy.apiServers": {`["10.0.0.0/8","fd00::/8"]`, map[string]string{"NetworkPolicy/gati-system/gati-webhook": `{"ipBlock":{"cidr":"10.0.0.0/8"}},{"ipBlock":{"cidr":"fd00::/8"}}`}},
	"monitoring.enabled": {"true", map[string]string{
		"Secret/gati-system/gati-metrics-reader": "new", "PodMonitor/gati-system/gati-webhook": `"key":"tls.crt","name":"gati-webhook-ca"`,
		"PrometheusRule/gati-system/gati": "{{ $labels.namespace }}/{{ $labels.name }}", "PodMonitor/gati-system/gati-handlers": `"port":"http"`,
		"ConfigMap/gati-system/gati-dashboards": "{{namespace}}/{{name}}",
	}},
}

func init() {
	for part, id := range map[string]string{"webhook": hooks, "controller": controllers} {
		for name, tc := range map[string]struct{ set, want string }{
			"replicas":     {"5", `"replicas":5`},
			"resources":    {`{"limits":{"memory":"1Gi"}}`, `"limits":{"memory":"1Gi"}`},
			"goMemLimit":   {`"900MiB"`, `"value":"900MiB"`},
			"nodeSelector": {`{"pool":"system"}`, `"nodeSelector":{"kubernetes.io/os":"linux","pool":"system"}`},
			"tolerations":  {`[{"key":"system"}]`, `"tolerations":[{"key":"system"}]`},
			"affinity":     {`{"podAffinity":{}}`, `"affinity":{"podAffinity":{}}`},

			"podAnnotations":    {`{"example.com/a":"b"}`, `"example.com/a":"b"`},
			"env":               {`[{"name":"HTTPS_PROXY","value":"http://proxy:3128"}]`, `{"name":"HTTPS_PROXY","value":"http://proxy:3128"}`},
			"envFrom":           {`[{"configMapRef":{"name":"proxy"}}]`, `"envFrom":[{"configMapRef":{"name":"proxy"}}]`},
			"extraVolumes":      {`[{"name":"ca","configMap":{"name":"ca"}}]`, `{"configMap":{"name":"ca"},"name":"ca"}`},
			"extraVolumeMounts": {`[{"name":"ca","mountPath":"/etc/ca"}]`, `{"mountPath":"/etc/ca","name":"ca"}`},
		} {
			uses[part+"."+name] = use{tc.set, map[string]string{id: tc.want}}
		}
	}
}

// TestEveryValueChangesWhatItSays sets each value, and holds which objects differ.
func TestEveryValueChangesWhatItSays(t *testing.T) {
	if have, want := slices.Sorted(maps.Keys(uses)), readValues(t); !slices.Equal(have, want) {
		t.Fatalf("the table has\n%q, values.yaml\n%q", have, want)
	}
	before, _ := renderChart(t)
	for name, tc := range uses {
		if tc.changes == nil {
			continue // TestValuesAreTheOverlays has it.
		}
		t.Run(name, func(t *testing.T) {
			after, _ := renderChart(t, "--set-json", name+"="+tc.set)
			if diff := cmp.Diff(slices.Sorted(maps.Keys(tc.changes)), changedObjects(before, after)); diff != "" {
				t.Errorf("changed objects (-want,+got):\n%s", diff)
			}
			for id, want := range tc.changes {
				checkChange(t, after, id, want)
			}
		})
	}
}

// TestMonitoringUnderCertManager holds that a Prometheus trusts the CA that signs.
func TestMonitoringUnderCertManager(t *testing.T) {
	release, _ := renderChart(t, "--set", "certManager.enabled=true,monitoring.enabled=true")
	checkChange(t, release, "PodMonitor/gati-system/gati-webhook", `"key":"ca.crt","name":"gati-webhook-tls"`)
}

func changedObjects(before, after objects) []string {
	ids := maps.Clone(before)
	maps.Copy(ids, after)
	var out []string
	for id := range ids {
		if before[id] == nil || after[id] == nil || !cmp.Equal(before[id].Object, after[id].Object) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

func checkChange(t *testing.T, after objects, id, want string) {
	t.Helper()
	if (after[id] == nil) != (want == "gone") {
		t.Errorf("%s: %v, want it to be %s", id, after[id], want)
		return
	}
	if want == "gone" || want == "new" {
		return
	}
	text, err := json.Marshal(after[id].Object)
	if err != nil {
		t.Fatal(err)
	}
	want, absent := strings.CutPrefix(want, "no ")
	if strings.Contains(string(text), want) == absent {
		t.Errorf("%s: %q in it is %v:\n%.3000s", id, want, absent, text)
	}
}

// readValues returns the fields of values.yaml that the chart reads as a whole.
func readValues(t *testing.T) (out []string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var top map[string]any
	if err := yaml.UnmarshalStrict(raw, &top); err != nil {
		t.Fatal(err)
	}
	for name, value := range top {
		fields, nested := value.(map[string]any)
		if !nested || name == "config" {
			out = append(out, name)
			continue
		}
		for field := range fields {
			out = append(out, name+"."+field)
		}
	}
	slices.Sort(out)
	return out
}
