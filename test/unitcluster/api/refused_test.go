package api

import (
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRefused checks that the CRDs alone refuse a fault of each kind that a schema can
// have, and say where and why. test/cluster/badfiles has what they say of every rule and
// bound; pkg/validation has the values that break one.
func TestRefused(t *testing.T) {
	tests := map[string]struct{ kind, spec, field, message string }{
		"a field that is missing":     {"GatiHandler", `spec: {}`, "spec.path", "Required value"},
		"another type":                {"GatiHandler", `spec: {path: /, replicas: "2"}`, "spec.replicas", "must be of type integer"},
		"a bound":                     {"GatiHandler", `spec: {path: /, port: 65536}`, "spec.port", "less than or equal to 65535"},
		"an enumeration":              {"GatiModule", `spec: {type: vm}`, "spec.type", "Unsupported value"},
		"a list with a key":           {"GatiHandler", `spec: {path: /, env: [{name: A}, {name: A}]}`, "spec.env[1]", "Duplicate value"},
		"a rule of a text":            {"GatiHandler", `spec: {path: users}`, "spec.path", "must start with a slash, such as /users/:id"},
		"a rule of several fields":    {"GatiHandler", `spec: {path: /, autoscaling: {minReplicas: 3, maxReplicas: 2}}`, "spec.autoscaling.minReplicas", "lower minReplicas or raise maxReplicas"},
		"an amount without a reader":  {"GatiHandler", `spec: {path: /, pod: {volumes: [{name: v, emptyDir: {sizeLimit: "1e1.5"}}]}}`, "spec.pod.volumes[0].emptyDir.sizeLimit", "should match"},
		"a rule of a list's entry":    {"GatiVersion", `spec: {transformers: [{request: f}]}`, "spec.transformers[0]", "must have either a name, or from and to"},
		"a time without a reader":     {"GatiVersion", `spec: {timestamp: "2025-11-22t10:00:00z"}`, "spec.timestamp", "should match"},
		"an amount that is a truth":   {"GatiHandler", `spec: {path: /, resources: {requests: {cpu: true}}}`, "<nil>", `"spec.resources.requests.cpu" must not validate`},
		"an amount that is an object": {"GatiHandler", `spec: {path: /, resources: {requests: {cpu: {}}}}`, "spec.resources.requests.cpu", "at least 1 properties"},
		"an amount that has fields":   {"GatiHandler", `spec: {path: /, resources: {requests: {cpu: {a: 1}}}}`, "spec.resources.requests.cpu", "must have at most 0 items"},
		"an amount that is a list":    {"GatiHandler", `spec: {path: /, resources: {requests: {cpu: []}}}`, "spec.resources.requests.cpu", "at least 1 items"},
		"an amount that has items":    {"GatiHandler", `spec: {path: /, resources: {requests: {cpu: [1]}}}`, "spec.resources.requests.cpu", "must have at most 0 items"},
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
	for kind, spec := range map[string]string{"GatiHandler": `spec: {path: /}`, "GatiModule": `spec: {type: node}`} {
		obj := object(t, kind, spec)
		obj.SetName("a--b")
		wantCause(t, admin.Create(t.Context(), obj, client.DryRunAll), "metadata", "metadata.name must start with a letter")
	}
}

// TestChangesRefused checks that the CRD refuses to change and to remove what a record has
// set.
func TestChangesRefused(t *testing.T) {
	for name, tc := range map[string]struct{ spec, field string }{
		"version":              {`spec: {version: v2, transformers: [{name: a}]}`, "spec.version"},
		"version removed":      {`spec: {transformers: [{name: a}]}`, "spec.version"},
		"transformers removed": {`spec: {version: v1, transformers: []}`, "spec.transformers"},
	} {
		t.Run(name, func(t *testing.T) {
			obj := create(t, "GatiVersion", `spec: {version: v1, transformers: [{name: a}]}`)
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
