package validation

import (
	"bytes"
	"encoding/json"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// schemas refuses documents that are no JSON object. What stands in them is
// checked in the next step of the pipeline, by who may remember what it has read.
func schemas(p *field.Path, s *v1.VersionSchema) field.ErrorList {
	if s == nil {
		return nil
	}
	return join(document(p.Child("input"), s.Input), document(p.Child("output"), s.Output))
}

func document(p *field.Path, doc *apiextensionsv1.JSON) field.ErrorList {
	if empty(doc) {
		return nil
	}
	if !bytes.HasPrefix(bytes.TrimSpace(doc.Raw), []byte("{")) || !json.Valid(doc.Raw) {
		return field.ErrorList{field.TypeInvalid(p, string(doc.Raw[:min(len(doc.Raw), 64)]), "must be a JSON Schema, which is an object")}
	}
	return nil
}

// empty reports whether there is no document.
func empty(doc *apiextensionsv1.JSON) bool {
	return doc == nil || len(doc.Raw) == 0 || bytes.Equal(bytes.TrimSpace(doc.Raw), []byte("null"))
}

// immutableSchema refuses another schema than the one that callers were promised.
// The CRD cannot: it knows nothing of what is in a document.
func immutableSchema(p *field.Path, new, old *v1.VersionSchema) field.ErrorList {
	if old == nil {
		return nil
	}
	if new == nil {
		new = &v1.VersionSchema{}
	}
	const sentence = "is immutable once set; record a new version for a new schema"
	var errs field.ErrorList
	if !empty(old.Input) && !sameJSON(new.Input, old.Input) {
		errs = append(errs, field.Invalid(p.Child("input"), noValue, sentence))
	}
	if !empty(old.Output) && !sameJSON(new.Output, old.Output) {
		errs = append(errs, field.Invalid(p.Child("output"), noValue, sentence))
	}
	return errs
}

// sameJSON compares what two documents say, not how they are written.
func sameJSON(a, b *apiextensionsv1.JSON) bool {
	if empty(a) || empty(b) {
		return empty(a) && empty(b)
	}
	if bytes.Equal(a.Raw, b.Raw) {
		return true
	}
	x, errX := plain(a.Raw)
	y, errY := plain(b.Raw)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// plain decodes JSON with its numbers as text: large ones would lose digits.
func plain(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}
