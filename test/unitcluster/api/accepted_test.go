package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// TestAccepted checks that the CRDs take what they should, keep all of it, and
// set the static defaults that SetDefaults repeats.
func TestAccepted(t *testing.T) {
	tests := map[string]struct{ kind, spec string }{
		"handler, a path alone": {"GatiHandler", `spec: {path: "/users/:id"}`},
		"handler of the blog":   {"GatiHandler", `spec: {path: "/users/:id", replicas: 3, autoscaling: {enabled: true, minReplicas: 2, maxReplicas: 10, targetCPU: 70}}`},
		"handler, much of it": {"GatiHandler", `spec: {path: "/a/[b]/*", methods: [GET], version: "tsv:1732186200-users-001", image: "r:5000/a:v1", port: 80, replicas: 0,
  resources: {requests: {cpu: "0.5", memory: 128Mi}, limits: {cpu: 1000m, example.com/gpu: 1}}, env: [{name: HOST, value: "::"}, {name: S, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: M, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}],
  healthCheck: {type: tcp}, rollout: {strategy: Canary, steps: [{weight: 10, pause: 1h30m}, {weight: 100}], autoSteps: {}}, route: {parentRefs: [{name: g}], hostnames: [a.example.com], pathMatch: RegularExpression},
  versions: {protectedTags: []}, schema: {input: {type: object, properties: {a: {minimum: 1.5}}}}, modules: [db], pod: {volumes: [{name: v, emptyDir: {sizeLimit: 64Mi}}], volumeMounts: [{name: v, mountPath: /v}]}}`},
		"amounts without quotes": {"GatiHandler", `spec: {path: /, resources: {requests: {cpu: 0.25, memory: 1e9}, limits: {cpu: 1, memory: 1.5e9}}, pod: {volumes: [{name: v, emptyDir: {sizeLimit: 67108864.5}}]},
  autoscaling: {behavior: {scaleUp: {tolerance: 0.05}}, metrics: [{type: Pods, name: a, averageValue: 0.5}, {type: External, name: b, value: 100}]},
  rollout: {strategy: Canary, checks: [{name: smoke, when: AfterPromotion, timeout: 5m, inconclusive: fail, job: {resources: {requests: {cpu: 0.1}, limits: {memory: 64000000}}}}]}}`},
		"a module's amounts":   {"GatiModule", `spec: {type: node, moduleName: db, resources: {requests: {cpu: 0.25}, limits: {cpu: 0.5}}}`},
		"module of the README": {"GatiModule", `spec: {type: node, moduleName: database, runtime: "node:20", replicas: 1, image: "db-module:v1.0.0", port: 50051, capabilities: [network, storage]}`},
		"version of the blog":  {"GatiVersion", `spec: {handler: users-api, timestamp: "2025-11-22T10:00:00Z", active: true, traffic: 100}`},
		"version, pairs":       {"GatiVersion", `spec: {transformers: [{from: v1, to: v2, request: f}, {name: a}], timestamp: "2025-11-22T10:00:00.5+01:00", tags: [stable]}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			asked := object(t, tc.kind, tc.spec)
			stored := create(t, tc.kind, tc.spec)
			keeps(t, "spec", asked.Object["spec"], stored.Object["spec"])

			want, got := read(t, tc.kind, asked), read(t, tc.kind, stored)
			if s, ok := want.(interface{ SetDefaults() }); ok {
				s.SetDefaults()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("SetDefaults and the API server differ (-SetDefaults +server):\n%s", diff)
			}
		})
	}
}

// TestSetOnce checks that a record may be completed.
func TestSetOnce(t *testing.T) {
	obj := create(t, "GatiVersion", `spec: {transformers: []}`)
	obj.Object["spec"] = object(t, "GatiVersion", `spec: {handler: users, version: v1, timestamp: "2025-11-22T10:00:00Z", transformers: [{name: a}], deploymentName: d}`).Object["spec"]
	if err := admin.Update(t.Context(), obj); err != nil {
		t.Error(err)
	}
}

// create stores an object until the test ends.
func create(t *testing.T, kind, spec string) *unstructured.Unstructured {
	t.Helper()
	obj := object(t, kind, spec)
	if err := admin.Create(t.Context(), obj, client.FieldValidation("Strict")); err != nil {
		t.Fatal(err)
	}
	return obj
}

// read decodes a spec into its type.
func read(t *testing.T, kind string, obj *unstructured.Unstructured) any {
	t.Helper()
	spec := map[string]any{"GatiHandler": &v1.GatiHandlerSpec{}, "GatiModule": &v1.GatiModuleSpec{}, "GatiVersion": &v1.GatiVersionSpec{}}[kind]
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object["spec"].(map[string]any), spec); err != nil {
		t.Fatalf("the API server stored what no client can read: %v", err)
	}
	return spec
}

// keeps fails where a stored value lacks or changes what was asked for.
func keeps(t *testing.T, path string, asked, stored any) {
	t.Helper()
	from, isObject := asked.(map[string]any)
	into, ok := stored.(map[string]any)
	if !isObject || !ok {
		if _, isList := asked.([]any); !isList && !cmp.Equal(asked, stored) {
			t.Errorf("%s: asked for %v, stored %v", path, asked, stored)
		}
		return
	}
	for name, value := range from {
		keeps(t, path+"."+name, value, into[name])
	}
}
