package admit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/crdtest"
	"gati.dev/gati/manifests"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
)

// alone is a kind whose fields are set one at a time.
type alone struct {
	kind string
	// bases are the specs that a field is added to.
	bases map[string]string
	check func(spec []byte) (field.ErrorList, error)
}

var aloneFacts = facts.Facts{Namespace: "shop", HTTPRouteServed: true, RuntimeClasses: map[string]string{"wasmtime": "wasmtime"}}

// A default never makes a valid field invalid: each field of a spec, set alone to any of
// its valid values, is accepted.
func TestEveryFieldAlone(t *testing.T) {
	for _, k := range []alone{
		{"GatiHandler", map[string]string{
			"alone":        `{"path":"/users","image":"app:v1"}`,
			"with a route": `{"path":"/users","image":"app:v1","route":{"parentRefs":[{"name":"web"}]}}`,
			"scaled":       `{"path":"/users","image":"app:v1","autoscaling":{"enabled":true},"route":{"parentRefs":[{"name":"web"}]}}`,
			"Canary":       `{"path":"/users","image":"app:v1","rollout":{"strategy":"Canary"}}`,
			"Manual":       `{"path":"/users","image":"app:v1","rollout":{"strategy":"Manual"},"route":{"parentRefs":[{"name":"web"}]}}`,
		}, checkHandlerAlone},
		{"GatiModule", map[string]string{
			"node":   `{"type":"node","image":"db:v1","moduleName":"db","runtime":"wasmtime","capabilities":["secrets:read"]}`,
			"scaled": `{"type":"node","image":"db:v1","moduleName":"db","runtime":"wasmtime","autoscaling":{"enabled":true},"capabilities":["secrets:read"]}`,
		}, checkModuleAlone},
		{"GatiVersion", map[string]string{"alone": `{"handler":"users","version":"v1"}`}, checkVersionAlone},
	} {
		t.Run(k.kind, func(t *testing.T) {
			schema, crd, count := specSchema(t, k.kind), crdtest.Load(t, k.kind, "v1"), 0
			for path, values := range fieldValues(t, k.kind, schema, "") {
				for base, spec := range k.bases {
					for _, value := range values {
						count++
						obj := map[string]any{"metadata": map[string]any{"name": "users"}, "spec": withField(t, spec, path, value)}
						crd.Default(obj)
						raw, err := json.Marshal(obj["spec"])
						if err != nil {
							t.Fatal(err)
						}
						errs, err := k.check(raw)
						if err != nil {
							t.Fatalf("%s: %s: %v", path, value, err)
						}
						errs = append(errs, crd.Validate(obj, nil)...)
						if len(errs) > 0 {
							t.Errorf("%s, spec.%s: %s: %v", base, path, value, errs.ToAggregate())
						}
					}
				}
			}
			t.Logf("%d specs", count)
		})
	}
}

func checkHandlerAlone(raw []byte) (field.ErrorList, error) {
	h := &v1.GatiHandler{}
	h.Name, h.Namespace = "users", "shop"
	err := json.Unmarshal(raw, &h.Spec)
	result, _ := admit.Handler(h, nil, aloneFacts)
	return result.Errors, err
}

func checkModuleAlone(raw []byte) (field.ErrorList, error) {
	m := &v1.GatiModule{}
	m.Name, m.Namespace = "db", "shop"
	err := json.Unmarshal(raw, &m.Spec)
	result, _ := admit.Module(m, nil, aloneFacts)
	return result.Errors, err
}

func checkVersionAlone(raw []byte) (field.ErrorList, error) {
	v := &v1.GatiVersion{}
	v.Name, v.Namespace = "users-v1", "shop"
	err := json.Unmarshal(raw, &v.Spec)
	return admit.Pipeline{}.Version(v, nil).Errors, err
}

// specSchema returns the schema of a kind's spec.
func specSchema(t *testing.T, kind string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	raw, err := manifests.FS.ReadFile("crd/gati.dev_" + strings.ToLower(kind) + "s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(raw, &crd); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == "v1" })
	return crd.Spec.Versions[at].Schema.OpenAPIV3Schema.Properties["spec"]
}

// fieldValues returns valid values of each field, as JSON.
func fieldValues(t *testing.T, kind string, s apiextensionsv1.JSONSchemaProps, path string) map[string][]string {
	t.Helper()
	if kind == "GatiModule" && (path == "autoscaling.warmReplicas" || path == "autoscaling.warmPool") {
		return nil // No value is valid: a module has neither a previous version nor steps.
	}
	if values, ok := sampleValues[path]; ok {
		if path == "autoscaling.keda" && kind == "GatiHandler" {
			values = append(slices.Clone(values), `{"scaleToZero":true,"cron":`+cron+`}`, `{"scaleToZero":false}`)
		}
		return map[string][]string{path: values}
	}
	switch {
	case len(s.Enum) > 0:
		var values []string
		for _, e := range s.Enum {
			values = append(values, string(e.Raw))
		}
		return map[string][]string{path: values}
	case s.Type == "boolean":
		return map[string][]string{path: {"true", "false"}}
	case s.Type == "integer" && s.Minimum != nil && s.Maximum != nil:
		return map[string][]string{path: numbersWithin(int64(*s.Minimum), int64(*s.Maximum))}
	case s.Type == "object" && len(s.Properties) > 0:
		out := map[string][]string{}
		for name, property := range s.Properties {
			maps.Copy(out, fieldValues(t, kind, property, strings.TrimPrefix(path+"."+name, ".")))
		}
		return out
	}
	t.Errorf("no values of spec.%s (%s) are known; add some to sampleValues", path, s.Type)
	return nil
}

// numbersWithin returns numbers between two bounds, with both.
func numbersWithin(least, most int64) []string {
	var out []string
	for _, n := range []int64{least, least + 1, least + 2, 5, 30, (least + most) / 2, most - 1, most} {
		if n >= least && n <= most {
			out = append(out, fmt.Sprint(n))
		}
	}
	return out
}

// withField returns a spec with one more field, and with what that field requires.
func withField(t *testing.T, base, path, value string) map[string]any {
	t.Helper()
	spec := crdtest.Object(t, base)
	for prefix, required := range requiredBeside {
		if parent, ok := spec[prefix].(map[string]any); strings.HasPrefix(path, prefix+".") {
			if !ok {
				parent = map[string]any{}
			}
			with := crdtest.Object(t, required)
			maps.Copy(with, parent)
			spec[prefix] = with
		}
	}
	if path == "rollout.checks" {
		spec["rollout"] = map[string]any{"strategy": "Canary"}
	}
	if strings.HasPrefix(path, "rollout.analysis.") {
		rollout, _ := spec["rollout"].(map[string]any)
		if rollout == nil {
			rollout = map[string]any{}
			spec["rollout"] = rollout
		}
		rollout["analysis"] = map[string]any{"metrics": []any{map[string]any{"successRate": map[string]any{"min": "99"}}}}
	}
	at, names := spec, strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	at[names[len(names)-1]] = crdtest.Object(t, `{"value":`+value+`}`)["value"]
	return spec
}

// requiredBeside has the sibling fields that the fields of an object require.
var requiredBeside = map[string]string{"route": `{"parentRefs":[{"name":"web"}]}`}

var (
	durations  = []string{`"1s"`, `"2s"`, `"3s"`, `"10s"`, `"59s"`, `"1m"`, `"1h"`, `"1d2h"`, `"30d"`}
	uids       = []string{`1`, `1000`, `2147483647`}
	behavior   = []string{`{"stabilizationWindowSeconds":0}`, `{"selectPolicy":"Disabled"}`, `{"policies":[{"type":"Percent","value":10,"periodSeconds":60}]}`, `{"tolerance":"0.1"}`}
	quantities = []string{`{"cpu":"1m"}`, `{"cpu":"64"}`, `{"memory":"1Mi"}`, `{"memory":"1Ti"}`}
	schemas    = []string{`{}`, `{"type":"object"}`}
	cron       = `[{"timezone":"Etc/UTC","start":"0 8 * * *","end":"0 18 * * *","replicas":5}]`
)

// sampleValues are valid values of fields whose schema does not define them.
var sampleValues = map[string][]string{
	"autoscaling.behavior.scaleDown": behavior, "autoscaling.behavior.scaleUp": behavior,
	"autoscaling.keda": {
		`{}`, `{"requestsPerSecond":1}`, `{"cron":` + cron + `}`,
		`{"triggers":[{"type":"redis","metadata":{"listName":"a"},"authenticationRef":{"name":"r"}}]}`,
	},
	"autoscaling.metrics": {
		`[{"type":"Pods","name":"a","averageValue":"1"}]`, `[{"type":"External","name":"a","value":"500m"}]`,
		`[{"type":"Object","name":"a","value":"2k","object":{"apiVersion":"v1","kind":"Service","name":"b"}}]`,
	},
	"healthCheck.interval": durations, "healthCheck.timeout": durations, "healthCheck.path": {`"/"`, `"/up"`},
	"image": {`"app"`, `"app:v2"`, `"r.example.com:5000/a/b:1.2"`}, "path": {`"/"`, `"/a/b"`, `"/a/*"`},
	"methods": {`["GET"]`, `["GET","POST"]`}, "modules": {`["db"]`},
	"env":           {`[{"name":"A","value":"b"}]`, `[{"name":"HOST","value":"::"}]`},
	"envFrom":       {`[{"secretRef":{"name":"s"}}]`, `[{"prefix":"A_","configMapRef":{"name":"c"}}]`},
	"version":       {`"v1"`, `"2.3"`, `"v1.2.3-rc.1"`, `"tsv:1700000000-users-1"`},
	"contract":      {`"v1"`, `"tsv:1700000000-users-1"`},
	"rollout.steps": {`[]`, `[{"weight":0}]`, `[{"weight":10,"pause":"1s"}]`, `[{"weight":100,"pause":"30d"}]`, `[{"weight":100}]`},

	"rollout.progressDeadline": durations, "rollout.rollbackWindow": durations,
	"rollout.analysis.interval": durations, "rollout.analysis.window": durations, "rollout.analysis.confidence": {`"50"`, `"99"`, `"99.999"`},
	"rollout.checks": {`[{"name":"a","when":"AfterPromotion","job":{}}]`, `[{"name":"a","when":"Step","step":1,"timeout":"1m","inconclusive":"wait","job":{"image":"a:v1","command":["a"]}}]`},
	"rollout.analysis.metrics": {
		`[{"successRate":{"min":"0.001"}}]`, `[{"successRate":{"min":"100"}}]`, `[{"successRate":{"baseline":{"within":"1"}}}]`,
		`[{"latency":{"max":"1ms"}}]`, `[{"latency":{"quantile":"0.5","baseline":{"within":"10"}}}]`, `[{"query":{"name":"a","promQL":"up","max":"1"}}]`,
	},
	"route.parentRefs": {`[{"name":"web"}]`, `[{"name":"web","namespace":"infra","sectionName":"http","port":80}]`},
	"route.hostnames":  {`["example.com"]`, `["*.example.com"]`}, "route.filters": {`[{"type":"RequestHeaderModifier","requestHeaderModifier":{"set":[{"name":"A","value":"b"}]}}]`},
	"route.timeouts.request": {`"1ms"`, `"1s"`, `"1h"`}, "route.timeouts.backendRequest": {`"1ms"`, `"1s"`, `"1h"`},
	"schema.input": schemas, "schema.output": schemas,
	"versions.coldAfter": durations, "versions.minAge": durations, "versions.drain.window": durations, "versions.drain.deadline": durations,
	"versions.protectedTags": {`[]`, `["blue"]`},

	"resources.limits": quantities, "resources.requests": quantities,
	"pod.affinity":    {`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]}]}}}`},
	"pod.annotations": {`{"a.b/c":"d"}`}, "pod.labels": {`{"a":"b"}`}, "pod.nodeSelector": {`{"a":"b"}`},
	"pod.args": {`["a"]`}, "pod.command": {`["node"]`}, "pod.fsGroup": uids, "pod.runAsUser": uids, "pod.runAsGroup": uids,
	"pod.imagePullSecrets": {`[{"name":"s"}]`}, "pod.priorityClassName": {`"high"`}, "pod.schedulerName": {`"other"`}, "pod.serviceAccountName": {`"users"`},
	"pod.tolerations":               {`[{"operator":"Exists"}]`, `[{"key":"a","value":"b","effect":"NoSchedule"}]`},
	"pod.topologySpreadConstraints": {`[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"}]`},
	"pod.volumes":                   {`[{"name":"v","emptyDir":{}}]`, `[{"name":"v","secret":{"secretName":"s"}}]`},
	"pod.volumeMounts":              {`[]`},
	"pod.initContainers":            {`[]`, `[{"name": "migrate", "command": ["migrate"]}]`},
	"pod.sidecars":                  {`[]`, `[{"name": "proxy", "image": "proxy:v1", "ports": [{"containerPort": 8081}], "readinessProbe": {"tcpSocket": {"port": 8081}}}]`},

	"capabilities": {`["network:egress"]`, `["storage"]`, `["secrets:read"]`}, "config": {`{"A":"b"}`},
	"moduleName": {`"a"`}, "runtime": {`"wasmtime"`, `"node:20"`},

	"deploymentName": {`"handler-users"`}, "serviceName": {`"handler-users"`}, "handler": {`"users"`}, "tags": {`["blue"]`},
	"timestamp": {`"2026-11-01T12:00:00Z"`}, "transformers": {`[{"name":"a"}]`, `[{"from":"v1","to":"v2","request":"up","response":"down"}]`},
}
