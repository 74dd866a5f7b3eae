package v1alpha1

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	kjson "sigs.k8s.io/json"

	v1 "gati.dev/gati/api/v1"
)

// kind has the conversion rules of one kind.
type kind struct {
	// fields are those of v1alpha1's spec.
	fields []fieldMap
	// defaults are the static defaults of fields that only v1 has. v1alpha1 cannot
	// express them, so an object without FieldsAnnotation gets them.
	defaults map[string]any
	// carriable names the fields of v1's spec that FieldsAnnotation may hold.
	carriable []string
	// newSpec returns an empty v1 spec, to check the annotation against.
	newSpec func() any

	// visible and mayCarry are the names above as sets. lists are the partly visible
	// fields, by their v1 names.
	visible, mayCarry map[string]bool
	lists             map[string]*fieldMap
}

// fieldMap is the same field in both versions.
type fieldMap struct {
	// old and new are its names in v1alpha1 and v1.
	old, new string
	// list converts the value where the versions write it differently.
	list *listMap
}

// sharedFields lists fields whose name and form both versions share.
func sharedFields(names ...string) []fieldMap {
	var fields []fieldMap
	for _, name := range names {
		fields = append(fields, fieldMap{old: name, new: name})
	}
	return fields
}

// kinds are built at the first conversion: most programs that import the types convert
// nothing.
var kinds = sync.OnceValue(func() map[string]*kind {
	all := newKinds()
	for _, k := range all {
		k.indexFields()
	}
	return all
})

func newKinds() map[string]*kind {
	return map[string]*kind{
		"GatiHandler": {
			fields: append(sharedFields("version", "image", "port", "replicas", "resources", "timescape"),
				fieldMap{old: "handlerPath", new: "path"},
				fieldMap{old: "env", new: "env", list: envMap}),
			defaults:  handlerDefaults(),
			carriable: []string{"methods", "env", "envFrom", "healthCheck", "autoscaling", "rollout", "contract", "route", "versions", "schema", "modules", "pod"},
			newSpec:   func() any { return &v1.GatiHandlerSpec{} },
		},
		"GatiModule": {
			fields: append(sharedFields("moduleName", "runtime", "image", "port", "replicas", "resources", "capabilities"),
				fieldMap{old: "moduleType", new: "type"},
				fieldMap{old: "env", new: "env", list: envMap}),
			defaults:  moduleDefaults(),
			carriable: []string{"env", "config", "autoscaling", "healthCheck", "rollout", "pod"},
			newSpec:   func() any { return &v1.GatiModuleSpec{} },
		},
		"GatiVersion": {
			fields: append(sharedFields("breaking", "deploymentName", "serviceName"),
				fieldMap{old: "versionId", new: "version"},
				fieldMap{old: "routingWeight", new: "traffic"},
				fieldMap{old: "transformers", new: "transformers", list: transformerMap}),
			carriable: []string{"handler", "timestamp", "active", "transformers", "tags", "keep", "schema"},
			newSpec:   func() any { return &v1.GatiVersionSpec{} },
		},
	}
}

func (k *kind) indexFields() {
	k.visible, k.mayCarry, k.lists = map[string]bool{}, map[string]bool{}, map[string]*fieldMap{}
	for i, f := range k.fields {
		k.visible[f.old] = true
		if f.list != nil {
			k.lists[f.new] = &k.fields[i]
		}
	}
	for _, name := range k.carriable {
		k.mayCarry[name] = true
	}
}

// handlerDefaults are the static defaults of v1 that are objects; v1alpha1 has the
// other fields.
func handlerDefaults() map[string]any {
	var spec v1.GatiHandlerSpec
	spec.SetDefaults()
	return toUnstructured(map[string]any{
		"healthCheck": spec.HealthCheck,
		"rollout":     spec.Rollout,
		"versions":    spec.Versions,
	})
}

// moduleDefaults is handlerDefaults for modules.
func moduleDefaults() map[string]any {
	var spec v1.GatiModuleSpec
	spec.SetDefaults()
	return toUnstructured(map[string]any{"healthCheck": spec.HealthCheck})
}

// toUnstructured converts typed values to unstructured content. Only this program's own
// defaults are passed, so a failure is a bug.
func toUnstructured(values map[string]any) map[string]any {
	raw, err := json.Marshal(values)
	if err != nil {
		panic(fmt.Sprintf("static defaults: %v", err))
	}
	var out map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &out); err != nil {
		panic(fmt.Sprintf("static defaults: %v", err))
	}
	return out
}

// FieldPath translates a v1 path such as spec.path to the path of the same field in
// v1alpha1. A field that v1alpha1 does not have keeps its path.
//
// Messages about an object of v1alpha1 use it.
func FieldPath(kindName, path string) string {
	rest, inSpec := strings.CutPrefix(path, "spec.")
	k, known := kinds()[kindName]
	if !inSpec || !known {
		return path
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	for _, f := range k.fields {
		if f.new == rest[:end] {
			return "spec." + f.old + rest[end:]
		}
	}
	return path
}
