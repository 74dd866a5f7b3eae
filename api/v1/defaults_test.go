package v1_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/crdtest"
)

// TestDefaultsAgreeWithCRD gives the same spec to SetDefaults and to the CRD's schema.
// A default that only one of them sets shows up as a difference.
func TestDefaultsAgreeWithCRD(t *testing.T) {
	handler := func() any { return &v1.GatiHandlerSpec{} }
	module := func() any { return &v1.GatiModuleSpec{} }
	version := func() any { return &v1.GatiVersionSpec{} }
	tests := map[string]struct {
		kind string
		new  func() any
		spec string
	}{
		"handler, nothing set":         {"GatiHandler", handler, `{"path":"/a"}`},
		"handler, empty objects":       {"GatiHandler", handler, `{"path":"/a","healthCheck":{},"rollout":{},"versions":{},"autoscaling":{},"timescape":{},"pod":{},"schema":{},"resources":{}}`},
		"handler, empty drain":         {"GatiHandler", handler, `{"path":"/a","versions":{"drain":{}}}`},
		"handler, in part":             {"GatiHandler", handler, `{"path":"/a","healthCheck":{"type":"tcp","timeout":"1s"},"rollout":{"strategy":"Canary","steps":[{"weight":10}]},"versions":{"minAge":"2h","drain":{"window":"1s"}}}`},
		"handler, the other half":      {"GatiHandler", handler, `{"path":"/a","healthCheck":{"path":"/h","interval":"1m","failureThreshold":9},"rollout":{"progressDeadline":"1m","rollbackWindow":"1m","autoRollback":false},"versions":{"compatibility":"NONE","transitive":true,"coldAfter":"1d","minActive":2,"historyLimit":0,"protectedTags":["a"],"drain":{"deadline":"2h"}}}`},
		"handler, analysis":            {"GatiHandler", handler, `{"path":"/a","rollout":{"analysis":{"metrics":[{"successRate":{"min":"99"}},{"latency":{"max":"1s"}}]}}}`},
		"handler, analysis in part":    {"GatiHandler", handler, `{"path":"/a","rollout":{"analysis":{"interval":"1s","window":"2s","mode":"Step","failureLimit":1,"minSamples":1,"noData":"fail","metrics":[{"latency":{"quantile":"0.5","max":"1s"}}]}}}`},
		"handler, zero values are set": {"GatiHandler", handler, `{"path":"/a","replicas":0,"rollout":{"autoRollback":false},"versions":{"historyLimit":0,"transitive":false}}`},
		"handler, autoscaling":         {"GatiHandler", handler, `{"path":"/a","port":8080,"autoscaling":{"enabled":true,"maxReplicas":3},"route":{"parentRefs":[{"name":"g"}]}}`},
		"handler, fields of others":    {"GatiHandler", handler, `{"path":"/a","env":[{"name":"A","valueFrom":{"fileKeyRef":{"volumeName":"v","path":"p","key":"k"}}},{"name":"B","valueFrom":{"secretKeyRef":{"key":"k"}}}],"envFrom":[{"secretRef":{}}],"route":{"parentRefs":[{"name":"g"},{"name":"s","group":"","kind":"Service"}],"filters":[{"type":"RequestMirror","requestMirror":{"backendRef":{"name":"s"},"fraction":{"numerator":1}}},{"type":"RequestRedirect","requestRedirect":{}},{"type":"CORS","cors":{}},{"type":"ExternalAuth","externalAuth":{"protocol":"HTTP","backendRef":{"name":"a"}}}]}}`},
		"module, fields of others":     {"GatiModule", module, `{"type":"node","env":[{"name":"A","valueFrom":{"fileKeyRef":{"volumeName":"v","path":"p","key":"k"}}}]}`},
		"module, nothing set":          {"GatiModule", module, `{"type":"node"}`},
		"module, empty objects":        {"GatiModule", module, `{"type":"wasm","healthCheck":{},"autoscaling":{},"pod":{},"resources":{}}`},
		"module, in part":              {"GatiModule", module, `{"type":"oci","port":1,"replicas":0,"healthCheck":{"type":"http","path":"/h","interval":"1m"}}`},
		"module, the other half":       {"GatiModule", module, `{"type":"oci","healthCheck":{"timeout":"1s","failureThreshold":1},"autoscaling":{"enabled":false},"rollout":{}}`},
		"version, nothing set":         {"GatiVersion", version, `{}`},
		"version, empty schema":        {"GatiVersion", version, `{"schema":{},"transformers":[{"name":"a"}]}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := crdtest.Object(t, `{"metadata":{"name":"a"},"spec":`+tc.spec+`}`)
			crdtest.Load(t, tc.kind, "v1").Default(obj)

			want, got := tc.new(), tc.new()
			fill(t, obj["spec"], want)
			fill(t, crdtest.Object(t, tc.spec), got)
			setDefaults(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the CRD's defaults and SetDefaults differ (-CRD +SetDefaults):\n%s", diff)
			}
			setDefaults(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("a second SetDefaults changes something (-want +got):\n%s", diff)
			}
		})
	}
}

// setDefaults calls SetDefaults where a kind has static defaults.
func setDefaults(spec any) {
	if s, ok := spec.(interface{ SetDefaults() }); ok {
		s.SetDefaults()
	}
}

// fill decodes unstructured content into a typed value.
func fill(t *testing.T, from, into any) {
	t.Helper()
	raw, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}
