package admit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/schema"
)

// Reader parses the document of a version schema. The error is a schema.Problems.
type Reader func(raw []byte) (*schema.Schema, error)

// Pipeline is the pipeline with its caller's settings. The functions of this package use
// the zero value.
type Pipeline struct {
	// Read is schema.Parse when nil. A caching reader has to agree with it.
	Read Reader
}

// schemaPath is the schema field of handlers and records.
var schemaPath = field.NewPath("spec", "schema")

// checkDocuments adds the errors inside a schema's documents, and returns a sentence for each
// part of them that comparisons know nothing of. Documents that are not objects already have
// an error. Each document is read once.
func (p Pipeline) checkDocuments(faults field.ErrorList, s *v1.VersionSchema) (out field.ErrorList, unchecked []string) {
	out = faults
	if s == nil {
		return out, nil
	}
	for _, d := range []struct {
		at  *field.Path
		doc *apiextensionsv1.JSON
	}{{schemaPath.Child("input"), s.Input}, {schemaPath.Child("output"), s.Output}} {
		known := slices.ContainsFunc(faults, func(e *field.Error) bool { return e.Field == d.at.String() && e.Type == field.ErrorTypeTypeInvalid })
		if isEmpty(d.doc) || known {
			continue
		}
		read, err := p.readDocument(d.doc)
		if err != nil {
			out = append(out, locateProblems(d.at, err)...)
			continue
		}
		unchecked = append(unchecked, describeUnchecked(d.at, read)...)
	}
	return out, unchecked
}

func (p Pipeline) readDocument(doc *apiextensionsv1.JSON) (*schema.Schema, error) {
	if p.Read == nil {
		return schema.Parse(doc.Raw)
	}
	return p.Read(doc.Raw)
}

// locateProblems returns the errors of a document, each at its field.
func locateProblems(at *field.Path, err error) (out field.ErrorList) {
	var problems schema.Problems
	if !errors.As(err, &problems) {
		return field.ErrorList{field.InternalError(at, err)}
	}
	for _, problem := range problems {
		out = append(out, field.Invalid(fieldBelow(at, problem.Pointer), field.OmitValueType{}, problem.Message))
	}
	return out
}

// maxUnchecked is how many patterns of a document are warned of.
const maxUnchecked = 3

func describeUnchecked(at *field.Path, read *schema.Schema) (out []string) {
	notes := read.Unchecked()
	for _, note := range notes[:min(len(notes), maxUnchecked)] {
		out = append(out, fmt.Sprintf("%s: %s", fieldBelow(at, note.Pointer), note.Message))
	}
	return out
}

// fieldBelow follows a JSON pointer from a field.
func fieldBelow(at *field.Path, pointer string) *field.Path {
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = unescape.Replace(part)
		index, err := strconv.Atoi(part)
		switch {
		case err == nil && index >= 0:
			at = at.Index(index)
		case strings.ContainsFunc(part, unlikeField) || part == "":
			at = at.Key(part)
		default:
			at = at.Child(part)
		}
	}
	return at
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// unlikeField reports whether a character cannot be in a name behind a dot.
func unlikeField(r rune) bool {
	return r != '$' && r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

func isEmpty(doc *apiextensionsv1.JSON) bool {
	return doc == nil || len(doc.Raw) == 0 || bytes.Equal(bytes.TrimSpace(doc.Raw), []byte("null"))
}
