package compat

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// document selects the input or the output document of a schema.
type document struct {
	name string
	of   func(*v1.VersionSchema) *apiextensionsv1.JSON
}

var documents = []document{
	{"input", func(s *v1.VersionSchema) *apiextensionsv1.JSON { return s.Input }},
	{"output", func(s *v1.VersionSchema) *apiextensionsv1.JSON { return s.Output }},
}

// documentIn returns the document of a schema, or nil.
func (d document) documentIn(s *v1.VersionSchema) *apiextensionsv1.JSON {
	if s == nil {
		return nil
	}
	doc := d.of(s)
	if doc == nil || len(doc.Raw) == 0 || bytes.Equal(bytes.TrimSpace(doc.Raw), []byte("null")) {
		return nil
	}
	return doc
}

// schemaOf returns the schema of a version: its record's, else the one of the handler
// that declares it. Documents that neither has any more come from the revision.
func (src Source) schemaOf(name string) *v1.VersionSchema {
	var said []*v1.VersionSchema
	if r := src.Records[name]; r != nil {
		said = append(said, r.Spec.Schema)
	}
	if name == src.Resolved.Version {
		said = append(said, src.Handler.Spec.Schema)
	} else if name == src.BeforeDeclares && src.Before != nil {
		said = append(said, src.Before.Schema)
	}
	return Merged(append(said, src.Frozen[name])...)
}

// Merged takes each document from the first schema that has it; nil when there is none.
func Merged(schemas ...*v1.VersionSchema) *v1.VersionSchema {
	var out v1.VersionSchema
	for _, s := range schemas {
		if out.Input == nil {
			out.Input = documents[0].documentIn(s)
		}
		if out.Output == nil {
			out.Output = documents[1].documentIn(s)
		}
	}
	if out.Input == nil && out.Output == nil {
		return nil
	}
	return &out
}

// Conflicts returns errors for a handler whose schema contradicts the schema that its
// version already promised.
func (src Source) Conflicts() field.ErrorList {
	version, spec := src.Resolved.Version, src.Handler.Spec.Schema
	var errs field.ErrorList
	for _, d := range documents {
		at := field.NewPath("spec", "schema", d.name)
		have := d.documentIn(spec)
		said := func(s *v1.VersionSchema, who string) bool {
			other := d.documentIn(s)
			if have == nil || other == nil || sameContent(have, other) {
				return false
			}
			errs = append(errs, field.Invalid(at, field.OmitValueType{}, fmt.Sprintf("differs from that of %s; a version keeps its schema: set a new version", who)))
			return true
		}
		record := src.Records[version]
		switch {
		case record != nil && said(record.Spec.Schema, fmt.Sprintf("GatiVersion %s, the record of %s", record.Name, version)):
		case said(src.Frozen[version], version+" as it was admitted"):
		case src.Before == nil || src.BeforeDeclares != version:
		case said(src.Before.Schema, version+" as it is stored"):
		case have == nil && d.documentIn(src.Before.Schema) != nil && (record == nil || d.documentIn(record.Spec.Schema) == nil):
			errs = append(errs, field.Required(at, fmt.Sprintf("%s has one, and a version keeps its schema: set a new version", version)))
		}
	}
	return errs
}

// RecordConflicts returns errors for a record whose schema contradicts the one that its
// version already promised, in the declaring handler or in a revision.
func (src Source) RecordConflicts(version string, s *v1.VersionSchema) field.ErrorList {
	var errs field.ErrorList
	for _, d := range documents {
		have, said := d.documentIn(s), src.Frozen[version]
		who := version + " as GatiHandler " + src.Handler.Name + " admitted it"
		if d.documentIn(said) == nil && version == src.Resolved.Version {
			said, who = src.Handler.Spec.Schema, "GatiHandler "+src.Handler.Name+", which declares "+version
		}
		if other := d.documentIn(said); have != nil && other != nil && !sameContent(have, other) {
			errs = append(errs, field.Invalid(field.NewPath("spec", "schema", d.name), field.OmitValueType{},
				fmt.Sprintf("differs from that of %s; a version keeps its schema: set a new version", who)))
		}
	}
	return errs
}

// sameContent compares the content of two documents, not their formatting.
func sameContent(a, b *apiextensionsv1.JSON) bool {
	return bytes.Equal(a.Raw, b.Raw) || hashDocument(a) == hashDocument(b)
}

// Shown returns a schema in the form of the status.
func Shown(s *v1.VersionSchema) *v1.SchemaStatus {
	out := v1.SchemaStatus{Input: hashDocument(documents[0].documentIn(s)), Output: hashDocument(documents[1].documentIn(s))}
	if out == (v1.SchemaStatus{}) {
		return nil
	}
	return &out
}

// hashDocument identifies the content of a document: numbers as written, keys in any
// order.
func hashDocument(doc *apiextensionsv1.JSON) string {
	if doc == nil {
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(doc.Raw))
	dec.UseNumber()
	var v any
	text := doc.Raw
	if err := dec.Decode(&v); err == nil {
		if plain, err := json.Marshal(v); err == nil {
			text = plain
		}
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:8])
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
