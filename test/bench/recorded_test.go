package bench

import (
	"encoding/json"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
)

// readRecorded returns a Deployment of ours, owned as an API server records it after
// our create or our apply, and what we want of it.
func readRecorded(t *testing.T, operation string) (*appsv1.Deployment, map[string]any) {
	t.Helper()
	var live *appsv1.Deployment
	h := builders.MakeHandler("a").Path("/a").Obj()
	for _, o := range admit.Check(h, nil, admit.Surroundings{Facts: known}).Expand(h) {
		if d, ok := o.(*appsv1.Deployment); ok {
			live = d
		}
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(live)
	if err != nil {
		t.Fatal(err)
	}
	delete(content, "status")
	fields := map[string]any{"f:spec": ownedFields(content["spec"], operation == "created")}
	raw, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	entry := metav1.ManagedFieldsEntry{Manager: v1.FieldManager, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(string(raw))}
	if operation == "created" {
		entry.Operation = metav1.ManagedFieldsOperationUpdate
	}
	live.ManagedFields = []metav1.ManagedFieldsEntry{entry}
	return live, map[string]any{"spec": content["spec"]}
}

// keys are the fields that tell the items of a list apart.
var keys = [][]string{{"name"}, {"mountPath"}, {"containerPort", "protocol"}, {"topologyKey", "whenUnsatisfiable"}}

// ownedFields is the set of fields of a value, as managedFields write it.
func ownedFields(value any, created bool) map[string]any {
	out := map[string]any{}
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			if item == nil {
				continue
			}
			if strings.HasSuffix(key, "elector") {
				out["f:"+key] = map[string]any{} // Selectors are owned as a whole.
				continue
			}
			out["f:"+key] = ownedFields(item, created)
		}
	case []any:
		for _, item := range v {
			if key := keyOf(item); key != "" {
				out["k:"+key] = ownedFields(item, created)
			}
		}
	}
	if created && len(out) > 0 {
		out["."] = map[string]any{}
	}
	return out
}

// keyOf is the key of a list's item, empty for a list that is owned as a whole.
func keyOf(item any) string {
	object, ok := item.(map[string]any)
	if !ok {
		return ""
	}
	for _, names := range keys {
		key := map[string]any{}
		for _, name := range names {
			if value, ok := object[name]; ok {
				key[name] = value
			}
		}
		if len(key) == len(names) {
			text, _ := json.Marshal(key)
			return string(text)
		}
	}
	return ""
}
