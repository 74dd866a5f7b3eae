package cluster

import (
	"encoding/json"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// ManagerOf returns who owns a field of an object's spec, when that is neither the
// plugin nor the controller: what sets it would set it again. It is empty when
// nobody else does.
func ManagerOf(o client.Object, field string) string {
	for _, m := range o.GetManagedFields() {
		if m.Manager == v1.PluginManager || m.Manager == v1.FieldManager || m.Subresource != "" || m.FieldsV1 == nil {
			continue
		}
		var owned struct {
			Spec map[string]json.RawMessage `json:"f:spec"`
		}
		if err := json.Unmarshal(m.FieldsV1.GetRawBytes(), &owned); err != nil {
			continue // the server wrote it, so this does not happen
		}
		if _, owns := owned.Spec["f:"+field]; owns {
			return m.Manager
		}
	}
	return ""
}
