package validation

import (
	"bytes"
	"encoding/json"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// validateSchemas rejects documents that are not a JSON object. Their content is
// checked in the next step of the pipeline, which can cache the result.
func validateSchemas(p *field.Path, s *v1.VersionSchema) field.ErrorList {
	if s == nil {
		return nil
	}
	return joinErrors(validateDocument(p.Child("input"), s.Input), validateDocument(p.Child("output"), s.Output))
}

func validateDocument(p *field.Path, doc *apiextensionsv1.JSON) field.ErrorList {
	if isEmptyDocument(doc) {
		return nil
	}
	if !bytes.HasPrefix(bytes.TrimSpace(doc.Raw), []byte("{")) || !json.Valid(doc.Raw) {
		return field.ErrorList{field.TypeInvalid(p, string(doc.Raw[:min(len(doc.Raw), 64)]), "must be a JSON Schema, which is an object")}
	}
	return nil
}

// isEmptyDocument reports whether there is no document.
func isEmptyDocument(doc *apiextensionsv1.JSON) bool {
	return doc == nil || len(doc.Raw) == 0 || bytes.Equal(bytes.TrimSpace(doc.Raw), []byte("null"))
}

// validateSchemaUnchanged rejects a change of the schema that callers rely on. The
// CRD cannot compare the content of documents.
func validateSchemaUnchanged(p *field.Path, new, old *v1.VersionSchema) field.ErrorList {
	if old == nil {
		return nil
	}
	if new == nil {
		new = &v1.VersionSchema{}
	}
	const sentence = "is immutable once set; record a new version for a new schema"
	var errs field.ErrorList
	if !isEmptyDocument(old.Input) && !equalJSON(new.Input, old.Input) {
		errs = append(errs, field.Invalid(p.Child("input"), omitValue, sentence))
	}
	if !isEmptyDocument(old.Output) && !equalJSON(new.Output, old.Output) {
		errs = append(errs, field.Invalid(p.Child("output"), omitValue, sentence))
	}
	return errs
}

// equalJSON reports whether two documents have the same content.
func equalJSON(a, b *apiextensionsv1.JSON) bool {
	if isEmptyDocument(a) || isEmptyDocument(b) {
		return isEmptyDocument(a) && isEmptyDocument(b)
	}
	if bytes.Equal(a.Raw, b.Raw) {
		return true
	}
	x, errX := decodeJSON(a.Raw)
	y, errY := decodeJSON(b.Raw)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// decodeJSON decodes JSON with its numbers as text: large ones would lose digits.
func decodeJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}
