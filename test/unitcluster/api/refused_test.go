package api

import (
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRefused checks that the CRDs alone refuse what they should, and say where
// and why: this is what people see while gati-webhook is down.
func TestRefused(t *testing.T) {
	tests := map[string]struct{ kind, spec, field, message string }{
		"handler without a spec":       {"GatiHandler", ``, "spec", "Required value"},
		"handler without a path":       {"GatiHandler", `spec: {}`, "spec.path", "Required value"},
		"path without a slash":         {"GatiHandler", `spec: {path: users}`, "spec.path", "must start with a slash, such as /users/:id"},
		"path with a query":            {"GatiHandler", `spec: {path: "/users?x"}`, "spec.path", "each segment must be plain text"},
		"unknown method":               {"GatiHandler", `spec: {path: /, methods: [FETCH]}`, "spec.methods[0]", "Unsupported value"},
		"no version":                   {"GatiHandler", `spec: {path: /, version: latest}`, "spec.version", "must be a version such as v1"},
		"no image":                     {"GatiHandler", `spec: {path: /, image: "a b"}`, "spec.image", "must be an image reference"},
		"port out of bounds":           {"GatiHandler", `spec: {path: /, port: 65536}`, "spec.port", "less than or equal to 65535"},
		"replicas as text":             {"GatiHandler", `spec: {path: /, replicas: "2"}`, "spec.replicas", "must be of type integer"},
		"PORT":                         {"GatiHandler", `spec: {path: /, env: [{name: PORT, value: "1"}]}`, "spec.env", "set spec.port instead"},
		"a variable twice":             {"GatiHandler", `spec: {path: /, env: [{name: A}, {name: A}]}`, "spec.env[1]", "Duplicate value"},
		"a divisor without a reader":   {"GatiHandler", `spec: {path: /, env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: "1e1.5"}}}]}`, "spec.env", "must have divisors"},
		"request above limit":          {"GatiHandler", `spec: {path: /, resources: {requests: {cpu: "2"}, limits: {cpu: 1500m}}}`, "spec.resources.requests", "must not be above the limit"},
		"an amount without a reader":   {"GatiHandler", `spec: {path: /, resources: {requests: {cpu: "1e1.5"}}}`, "spec.resources.requests", "must be quantities such as"},
		"a limit without a reader":     {"GatiModule", `spec: {type: node, resources: {limits: {memory: "1e1.5"}}}`, "spec.resources.limits", "must be quantities such as"},
		"a size without a reader":      {"GatiHandler", `spec: {path: /, pod: {volumes: [{name: v, emptyDir: {sizeLimit: "1e1.5"}}]}}`, "spec.pod.volumes[0].emptyDir.sizeLimit", "must be a quantity"},
		"a tolerance without a reader": {"GatiHandler", `spec: {path: /, autoscaling: {behavior: {scaleUp: {tolerance: "1e1.5"}}}}`, "spec.autoscaling.behavior.scaleUp.tolerance", "must be a quantity"},
		"no duration":                  {"GatiHandler", `spec: {path: /, healthCheck: {interval: "10"}}`, "spec.healthCheck.interval", "such as 10s, 5m, 1h30m or 7d"},
		"no length of time":            {"GatiHandler", `spec: {path: /, rollout: {progressDeadline: 0s}}`, "spec.rollout.progressDeadline", "must be at least 1s"},
		"unknown strategy":             {"GatiHandler", `spec: {path: /, rollout: {strategy: BlueGreen}}`, "spec.rollout.strategy", "Unsupported value"},
		"crossed bounds":               {"GatiHandler", `spec: {path: /, autoscaling: {minReplicas: 3, maxReplicas: 2}}`, "spec.autoscaling.minReplicas", "lower minReplicas or raise maxReplicas"},
		"route without parents":        {"GatiHandler", `spec: {path: /, route: {parentRefs: []}}`, "spec.route.parentRefs", "at least 1 items"},
		"a tag that is a number":       {"GatiHandler", `spec: {path: /, versions: {protectedTags: ["1"]}}`, "spec.versions.protectedTags[0]", "the runtime reads numbers as times"},
		"schema that is no object":     {"GatiHandler", `spec: {path: /, schema: {input: []}}`, "spec.schema.input", "must be of type object"},
		"label of the controller":      {"GatiHandler", `spec: {path: /, pod: {labels: {gati.dev/handler: x}}}`, "spec.pod.labels", "belong to the controller"},
		"root":                         {"GatiHandler", `spec: {path: /, pod: {runAsUser: 0}}`, "spec.pod.runAsUser", "greater than or equal to 1"},
		"a volume of two kinds":        {"GatiHandler", `spec: {path: /, pod: {volumes: [{name: v, emptyDir: {}, secret: {secretName: s}}]}}`, "spec.pod.volumes[0]", "must have exactly one of"},
		"a volume of the controller":   {"GatiHandler", `spec: {path: /, pod: {volumes: [{name: gati-tmp, emptyDir: {}}]}}`, "spec.pod.volumes[0].name", "belong to the controller"},
		"module of unknown type":       {"GatiModule", `spec: {type: vm}`, "spec.type", "Unsupported value"},
		"a capability of Linux":        {"GatiModule", `spec: {type: node, capabilities: [NET_ADMIN]}`, "spec.capabilities[0]", "Linux capabilities cannot be granted"},
		"a setting without a name":     {"GatiModule", `spec: {type: node, config: {a-b: x}}`, "spec.config", "each key must be a name"},
		"traffic out of bounds":        {"GatiVersion", `spec: {traffic: 101}`, "spec.traffic", "less than or equal to 100"},
		"a time without a reader":      {"GatiVersion", `spec: {timestamp: "2025-11-22t10:00:00z"}`, "spec.timestamp", "should match"},
		"transformer of nothing":       {"GatiVersion", `spec: {transformers: [{request: f}]}`, "spec.transformers[0]", "must have either a name, or from and to"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := admin.Create(t.Context(), object(t, tc.kind, tc.spec), client.DryRunAll)
			wantCause(t, err, tc.field, tc.message)
		})
	}
}

// TestNamesRefused checks the rule about metadata.name, which generated names
// follow by themselves.
func TestNamesRefused(t *testing.T) {
	for _, name := range []string{"1a", "a--b", "a.b", strings.Repeat("a", 41)} {
		for kind, spec := range map[string]string{"GatiHandler": `spec: {path: /}`, "GatiModule": `spec: {type: node}`} {
			obj := object(t, kind, spec)
			obj.SetName(name)
			wantCause(t, admin.Create(t.Context(), obj, client.DryRunAll), "metadata", "metadata.name must start with a letter")
		}
	}
}

// TestChangesRefused checks what of a record must not change once it is set.
func TestChangesRefused(t *testing.T) {
	const stored = `spec: {handler: users, version: v1, timestamp: "2025-11-22T10:00:00Z", transformers: [{name: a}]}`
	tests := map[string]struct{ spec, field string }{
		"handler":              {`spec: {handler: orders, version: v1, timestamp: "2025-11-22T10:00:00Z", transformers: [{name: a}]}`, "spec.handler"},
		"version":              {`spec: {handler: users, version: v2, timestamp: "2025-11-22T10:00:00Z", transformers: [{name: a}]}`, "spec.version"},
		"version removed":      {`spec: {handler: users, timestamp: "2025-11-22T10:00:00Z", transformers: [{name: a}]}`, "spec.version"},
		"timestamp":            {`spec: {handler: users, version: v1, timestamp: "2025-11-22T10:00:01Z", transformers: [{name: a}]}`, "spec.timestamp"},
		"transformers":         {`spec: {handler: users, version: v1, timestamp: "2025-11-22T10:00:00Z", transformers: [{name: a}, {name: b}]}`, "spec.transformers"},
		"transformers removed": {`spec: {handler: users, version: v1, timestamp: "2025-11-22T10:00:00Z", transformers: []}`, "spec.transformers"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := create(t, "GatiVersion", stored)
			obj.Object["spec"] = object(t, "GatiVersion", tc.spec).Object["spec"]
			wantCause(t, admin.Update(t.Context(), obj), tc.field, "is immutable once set")
		})
	}
}

// wantCause checks that a request was refused as invalid, at a field, with a
// sentence.
func wantCause(t *testing.T, err error, field, message string) {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		t.Fatalf("want the object refused as invalid, got %v", err)
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Field == field && strings.Contains(cause.Message, message) {
			return
		}
	}
	t.Errorf("want %s: %q, got %v", field, message, err)
}
