package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// validateTransformers rejects entries that are neither a name nor a pair.
func validateTransformers(p *field.Path, list []v1.Transformer) field.ErrorList {
	var errs field.ErrorList
	pairs := map[[2]v1.VersionID]bool{}
	for i := range list {
		t, at := &list[i], p.Index(i)
		errs = append(errs, validateTransformer(at, t)...)
		// CEL would have to compare each entry with each other.
		pair := [2]v1.VersionID{t.From, t.To}
		if t.Name == "" && pairs[pair] {
			errs = append(errs, field.Duplicate(at, string(t.From)+" to "+string(t.To)))
		}
		pairs[pair] = pairs[pair] || t.Name == ""
	}
	return errs
}

func validateTransformer(p *field.Path, t *v1.Transformer) field.ErrorList {
	errs := joinErrors(
		validateVersionID(p.Child("from"), t.From),
		validateVersionID(p.Child("to"), t.To),
	)
	named, from, to := t.Name != "", t.From != "", t.To != ""
	if named && (from || to) || !named && (!from || !to) {
		errs = append(errs, field.Invalid(p, omitValue, "must have either a name, or from and to"))
	}
	if from && to && t.From == t.To {
		errs = append(errs, field.Invalid(p.Child("to"), t.To, "must not be the version itself; name the version that serves the callers of from"))
	}
	return errs
}

const immutableDetail = "is immutable once set; delete the record and create another"

// validateUnchanged rejects changes of a record's immutable fields. Empty equals
// absent, and an unset field may be set once.
func validateUnchanged(changed, stored *v1.GatiVersion) field.ErrorList {
	if stored == nil {
		return nil
	}
	new, old := &changed.Spec, &stored.Spec
	var errs field.ErrorList
	if old.Handler != "" && new.Handler != old.Handler {
		errs = append(errs, field.Invalid(specPath.Child("handler"), new.Handler, immutableDetail))
	}
	if old.Version != "" && new.Version != old.Version {
		errs = append(errs, field.Invalid(specPath.Child("version"), new.Version, immutableDetail))
	}
	errs = append(errs, validateBinding(changed, stored)...)
	if old.Timestamp != nil && !old.Timestamp.Equal(new.Timestamp) {
		errs = append(errs, field.Invalid(specPath.Child("timestamp"), new.Timestamp, immutableDetail))
	}
	if len(old.Transformers) > 0 && !equalTransformers(new.Transformers, old.Transformers) {
		errs = append(errs, field.Invalid(specPath.Child("transformers"), new.Transformers, "is immutable once set; record a new version for new transformers"))
	}
	return append(errs, validateSchemaUnchanged(specPath.Child("schema"), new.Schema, old.Schema)...)
}

// validateBinding rejects a handler or version, set later, that is not the one that the
// record is bound to: the spec outranks the status, and traffic would move.
func validateBinding(changed, stored *v1.GatiVersion) field.ErrorList {
	var errs field.ErrorList
	if bound := stored.Status.Handler; stored.Spec.Handler == "" && bound != "" && changed.Spec.Handler != "" && string(changed.Spec.Handler) != bound {
		errs = append(errs, field.Invalid(specPath.Child("handler"), changed.Spec.Handler, "must be the handler that the record is bound to, status.handler; delete the record and create another"))
	}
	if bound := stored.Status.Version; stored.Spec.Version == "" && bound != "" && changed.Spec.Version != "" && string(changed.Spec.Version) != bound {
		errs = append(errs, field.Invalid(specPath.Child("version"), changed.Spec.Version, "must be the version that the record is bound to, status.version; delete the record and create another"))
	}
	return errs
}

func equalTransformers(a, b []v1.Transformer) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
