package admission

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
)

// tagged refuses the tags that a request adds to a record and that lead to another
// version of the handler already. It asks the API server: two records may have
// been applied a moment after each other.
func (v *Validator) tagged(ctx context.Context, obj, old client.Object) (field.ErrorList, error) {
	record, is := obj.(*v1.GatiVersion)
	if !is || len(record.Spec.Tags) == 0 {
		return nil, nil
	}
	var had []v1.Tag
	if was, ok := old.(*v1.GatiVersion); ok && was != nil {
		had = was.Spec.Tags
	}
	var others v1.GatiVersionList
	var errs field.ErrorList
	for i, tag := range record.Spec.Tags {
		if slices.Contains(had, tag) {
			continue
		}
		if others.Items == nil {
			if err := v.Live.List(ctx, &others, client.InNamespace(record.Namespace)); err != nil {
				return nil, err
			}
		}
		if why := records.TagTaken(record, tag, others.Items); why != "" {
			errs = append(errs, field.Invalid(field.NewPath("spec", "tags").Index(i), tag, why))
		}
	}
	return errs, nil
}
