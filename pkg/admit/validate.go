package admit

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit/crd"
	"gati.dev/gati/pkg/validation"
)

// OriginSchema is the origin of errors of the CRD's schema. Errors of rules have the name
// of their check.
const OriginSchema = "schema"

// validateHandler returns the errors of the CRD's schema and of the rules beside it.
// Documents of a version schema are checked on their own.
func validateHandler(h, old *v1.GatiHandler) field.ErrorList {
	spec := h.Spec
	spec.Schema = nil
	return bySchema("GatiHandler", &spec, func() field.ErrorList { return validation.ValidateHandler(h, old) })
}

func validateModule(m, old *v1.GatiModule) field.ErrorList {
	return bySchema("GatiModule", &m.Spec, func() field.ErrorList { return validation.ValidateModule(m, old) })
}

func validateVersion(v, old *v1.GatiVersion) field.ErrorList {
	spec := v.Spec
	spec.Schema = nil
	return bySchema("GatiVersion", &spec, func() field.ErrorList { return validation.ValidateVersion(v, old) })
}

// bySchema returns the errors of a spec by the CRD's schema, and those of the rules at
// other fields, for a spec within its bounds. The API server has checked a request by the schema of its own version
// only, and a stored object by that of its day.
func bySchema(kind string, spec any, rules func() field.ErrorList) field.ErrorList {
	schemas, err := crd.Shipped()
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	out, within := schemas.CheckSpec(v1.GroupVersion.WithKind(kind), spec)
	for _, e := range out {
		e.Origin = OriginSchema
	}
	if !within {
		return out
	}
	bySchema := out
	for _, e := range rules() {
		if !crd.Covers(bySchema, e.Field) {
			out = append(out, e)
		}
	}
	return out
}
