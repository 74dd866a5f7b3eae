package admission

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/records"
)

// idled refuses to take the stable version out of service: something has to serve.
func (v *Validator) idled(ctx context.Context, obj, old client.Object) (field.ErrorList, error) {
	if !inactive(obj) || inactive(old) {
		return nil, nil
	}
	record := obj.(*v1.GatiVersion)
	h, err := v.handlerOf(ctx, v.Live, record)
	if err != nil || h == nil {
		return nil, err
	}
	if _, version := records.About(record); version == "" || version != compat.StableOf(h.Status) {
		return nil, nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "active"), false,
		"is the record of the stable version of "+h.Name+", and something has to serve; let another version take its place first")}, nil
}

// inactive reports whether an object is a record that takes its version out of service.
func inactive(obj client.Object) bool {
	r, is := obj.(*v1.GatiVersion)
	return is && r != nil && r.Spec.Active != nil && !*r.Spec.Active
}
