package v1alpha1

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

const (
	handlerDefaultsJSON = `"healthCheck":{"type":"http","path":"/health","interval":"10s","timeout":"3s","failureThreshold":3},
		"rollout":{"strategy":"RollingUpdate","progressDeadline":"10m","rollbackWindow":"10m","autoRollback":true},
		"versions":{"compatibility":"BACKWARD","transitive":false,"drain":{"window":"5m","deadline":"1h"},"coldAfter":"7d",
			"minActive":1,"minAge":"1h","historyLimit":10,"protectedTags":["stable","production","latest"]}`
	moduleDefaultsJSON = `"healthCheck":{"type":"tcp","interval":"10s","timeout":"3s","failureThreshold":3}`
)

// TestConversion checks both directions: v1alpha1 to v1, and v1 to v1alpha1.
func TestConversion(t *testing.T) {
	tests := map[string]struct{ kind, old, new string }{
		"handler, all visible fields as written": {
			kind: "GatiHandler",
			old: `{"metadata":{"name":"a","managedFields":[{"manager":"m"}]},"spec":{"handlerPath":"/a","version":"v1","image":"i:v1","port":3000,"replicas":2,
				"resources":{"requests":{"cpu":"1000m"}},"env":{"B":"2","A":"1","C":""},"timescape":{"breaking":false,"routingWeight":0}},
				"status":{"phase":"Running"}}`,
			new: `{"metadata":{"name":"a","managedFields":[{"manager":"m"}]},"spec":{"path":"/a","version":"v1","image":"i:v1","port":3000,"replicas":2,
				"resources":{"requests":{"cpu":"1000m"}},"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C"}],
				"timescape":{"breaking":false,"routingWeight":0},` + handlerDefaultsJSON + `},
				"status":{"phase":"Running"}}`,
		},
		"handler, what only v1 has": {
			kind: "GatiHandler",
			old: `{"metadata":{"annotations":{"x":"y","gati.dev/v1-fields":"{\"healthCheck\":null,\"methods\":[\"GET\"],\"rollout\":{\"strategy\":\"Canary\"}}"}},
				"spec":{"handlerPath":"/a"}}`,
			new: `{"metadata":{"annotations":{"x":"y"}},"spec":{"path":"/a","methods":["GET"],"rollout":{"strategy":"Canary"},
				"versions":{"compatibility":"BACKWARD","transitive":false,"drain":{"window":"5m","deadline":"1h"},"coldAfter":"7d",
				"minActive":1,"minAge":"1h","historyLimit":10,"protectedTags":["stable","production","latest"]}}}`,
		},
		"handler, order of env and a reference": {
			kind: "GatiHandler",
			old: `{"metadata":{"annotations":{"gati.dev/v1-fields":"{\"env\":[{\"name\":\"B\",\"value\":\"2\"},{\"name\":\"S\",\"valueFrom\":{\"secretKeyRef\":{\"key\":\"k\",\"name\":\"s\"}}},{\"name\":\"A\",\"value\":\"1\"}]}"}},
				"spec":{"handlerPath":"/a","env":{"A":"1","B":"2"}}}`,
			new: `{"metadata":{},"spec":{"path":"/a","env":[{"name":"B","value":"2"},{"name":"S","valueFrom":{"secretKeyRef":{"key":"k","name":"s"}}},{"name":"A","value":"1"}],` + handlerDefaultsJSON + `}}`,
		},
		"handler, empty env and metadata": {
			kind: "GatiHandler",
			old:  `{"metadata":{"annotations":{}},"spec":{"env":{}}}`,
			new:  `{"metadata":{"annotations":{}},"spec":{"env":[],` + handlerDefaultsJSON + `}}`,
		},
		"handler without a spec": {
			kind: "GatiHandler",
			old:  `{"metadata":{"name":"a"}}`,
			new:  `{"metadata":{"name":"a"}}`,
		},
		"module": {
			kind: "GatiModule",
			old: `{"metadata":{"annotations":{"gati.dev/v1-fields":"{\"config\":{\"a\":\"<b>\"}}"}},"spec":{"moduleName":"database","moduleType":"node","runtime":"node:20","image":"m:v1","port":50051,
				"replicas":1,"resources":{},"capabilities":["network"],"env":{"A":"1"}}}`,
			new: `{"metadata":{},"spec":{"moduleName":"database","type":"node","runtime":"node:20","image":"m:v1","port":50051,
				"replicas":1,"resources":{},"capabilities":["network"],"env":[{"name":"A","value":"1"}],"config":{"a":"<b>"},` + moduleDefaultsJSON + `}}`,
		},
		"version": {
			kind: "GatiVersion",
			old:  `{"spec":{"versionId":"v1.0.0","breaking":false,"routingWeight":100,"transformers":["a","b"],"deploymentName":"d","serviceName":"s"}}`,
			new:  `{"spec":{"version":"v1.0.0","breaking":false,"traffic":100,"transformers":[{"name":"a"},{"name":"b"}],"deploymentName":"d","serviceName":"s"}}`,
		},
		"version, empty list of transformers": {
			kind: "GatiVersion",
			old:  `{"spec":{"transformers":[]}}`,
			new:  `{"spec":{"transformers":[]}}`,
		},
		"version, pairs and what only v1 has": {
			kind: "GatiVersion",
			old: `{"metadata":{"annotations":{"gati.dev/v1-fields":"{\"active\":false,\"handler\":\"h\",\"tags\":[],\"timestamp\":\"2025-11-22T10:00:00Z\",\"transformers\":[{\"from\":\"v1\",\"to\":\"v2\"},{\"name\":\"n\"}]}"}},
				"spec":{"transformers":["n"]}}`,
			new: `{"metadata":{},"spec":{"handler":"h","active":false,"tags":[],"timestamp":"2025-11-22T10:00:00Z","transformers":[{"from":"v1","to":"v2"},{"name":"n"}]}}`,
		},
		"version, pairs alone": {
			kind: "GatiVersion",
			old:  `{"metadata":{"annotations":{"gati.dev/v1-fields":"{\"transformers\":[{\"from\":\"v1\",\"to\":\"v2\"}]}"}},"spec":{}}`,
			new:  `{"metadata":{},"spec":{"transformers":[{"from":"v1","to":"v2"}]}}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			old, new := object(t, "gati.dev/v1alpha1", tc.kind, tc.old), object(t, "gati.dev/v1", tc.kind, tc.new)
			oldBefore, newBefore := runtime.DeepCopyJSON(old), runtime.DeepCopyJSON(new)
			got, err := ToV1(old)
			if err != nil {
				t.Fatalf("ToV1: %v", err)
			}
			if diff := cmp.Diff(newBefore, got); diff != "" {
				t.Errorf("ToV1 (-want +got):\n%s", diff)
			}
			if got, err = FromV1(new); err != nil {
				t.Fatalf("FromV1: %v", err)
			}
			if diff := cmp.Diff(oldBefore, got); diff != "" {
				t.Errorf("FromV1 (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]any{oldBefore, newBefore}, []any{old, new}); diff != "" {
				t.Errorf("conversion changed its input (-want +got):\n%s", diff)
			}
		})
	}
}

// TestVisibleFieldsWin checks carried lists after a user changed the visible fields
// beside them.
func TestVisibleFieldsWin(t *testing.T) {
	const env = `[{"name":"B","value":"2"},{"name":"S","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},{"name":"A","value":"1"}]`
	const transformers = `[{"name":"a"},{"from":"v1","to":"v2"},{"name":"b"}]`
	tests := map[string]struct{ kind, field, carried, spec, want string }{
		"a value changed in place":         {"GatiHandler", "env", env, `{"env":{"A":"1","B":"3"}}`, `[{"name":"B","value":"3"},{"name":"S","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},{"name":"A","value":"1"}]`},
		"one removed, two added":           {"GatiHandler", "env", env, `{"env":{"A":"1","Z":"9","C":"4"}}`, `[{"name":"S","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},{"name":"A","value":"1"},{"name":"C","value":"4"},{"name":"Z","value":"9"}]`},
		"a reference replaced by a value":  {"GatiModule", "env", env, `{"env":{"A":"1","B":"2","S":"s"}}`, `[{"name":"B","value":"2"},{"name":"S","value":"s"},{"name":"A","value":"1"}]`},
		"all visible removed":              {"GatiHandler", "env", env, `{}`, `[{"name":"S","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]`},
		"nothing left":                     {"GatiHandler", "env", `[{"name":"B","value":"2"},{"name":"A","value":"1"}]`, `{}`, `null`},
		"nothing left but an empty object": {"GatiHandler", "env", `[{"name":"B","value":"2"},{"name":"A","value":"1"}]`, `{"env":{}}`, `[]`},
		"null carries nothing":             {"GatiHandler", "env", `null`, `{"env":{"A":"1"}}`, `[{"name":"A","value":"1"}]`},
		"names unchanged":                  {"GatiVersion", "transformers", transformers, `{"transformers":["a","b"]}`, transformers},
		"a name replaced":                  {"GatiVersion", "transformers", transformers, `{"transformers":["a","c"]}`, `[{"name":"a"},{"from":"v1","to":"v2"},{"name":"c"}]`},
		"a name removed, then pairs":       {"GatiVersion", "transformers", transformers, `{"transformers":["b"]}`, `[{"name":"b"},{"from":"v1","to":"v2"}]`},
		"names added":                      {"GatiVersion", "transformers", transformers, `{"transformers":["a","b","c"]}`, `[{"name":"a"},{"from":"v1","to":"v2"},{"name":"b"},{"name":"c"}]`},
		"no names":                         {"GatiVersion", "transformers", transformers, `{}`, `[{"from":"v1","to":"v2"}]`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := object(t, "gati.dev/v1alpha1", tc.kind, `{"spec":`+tc.spec+`}`)
			obj["metadata"] = map[string]any{"annotations": map[string]any{FieldsAnnotation: `{"` + tc.field + `":` + tc.carried + `}`}}
			got, err := ToV1(obj)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, tc.want), got["spec"].(map[string]any)[tc.field]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.field, diff)
			}
		})
	}
}

func TestFromV1DropsForgedAnnotation(t *testing.T) {
	tests := map[string]struct{ old, want string }{
		"alone":             {`{"annotations":{"gati.dev/v1-fields":"{}"}}`, `{}`},
		"of a wrong type":   {`{"annotations":{"gati.dev/v1-fields":7}}`, `{}`},
		"beside another":    {`{"annotations":{"gati.dev/v1-fields":"x","a":"b"}}`, `{"annotations":{"a":"b"}}`},
		"annotations empty": {`{"annotations":{}}`, `{"annotations":{}}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := object(t, "gati.dev/v1", "GatiVersion", `{"spec":{}}`)
			obj["metadata"] = decode(t, tc.old)
			got, err := FromV1(obj)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decode(t, tc.want), got["metadata"]); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSamples converts every object in Gati's own documents and checks that none needs
// the annotation.
func TestSamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range strings.Split(string(raw), "\n---\n") {
			js, err := yaml.YAMLToJSON([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			obj := decode(t, string(js)).(map[string]any)
			if obj["apiVersion"] != GroupVersion.String() {
				continue
			}
			up, err := ToV1(obj)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			down, err := FromV1(up)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if diff := cmp.Diff(obj, down); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		}
	}
}

// object decodes an object and sets its version and kind.
func object(t testing.TB, apiVersion, kind, text string) map[string]any {
	t.Helper()
	obj, ok := decode(t, text).(map[string]any)
	if !ok {
		t.Fatalf("want an object: %s", text)
	}
	obj["apiVersion"], obj["kind"] = apiVersion, kind
	return obj
}

// decode parses JSON like the API server.
func decode(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}
