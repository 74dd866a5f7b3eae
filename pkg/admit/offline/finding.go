package offline

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Severity is the effect of a finding on an apply.
type Severity string

// The severities.
const (
	// Error refuses the object.
	Error Severity = "error"
	// Warning applies to an object that is accepted.
	Warning Severity = "warning"
)

// The codes of findings before any rule of Gati. The code of a rule is the name of its
// check in pkg/validation, such as path or scheduling.
const (
	// CodeSyntax: the document is no YAML.
	CodeSyntax = "syntax"
	// CodeNoObject: the document is no Kubernetes object, or not one to apply.
	CodeNoObject = "no-object"
	// CodeUnknownKind: there is no such kind in this API version.
	CodeUnknownKind = "unknown-kind"
	// CodeUnknownField: the kind has no such field.
	CodeUnknownField = "unknown-field"
	// CodeName: the object has no name.
	CodeName = "name"
	// CodeMetadata: labels, annotations or a name that are invalid for every object.
	CodeMetadata = "metadata"
	// CodeRequired, CodeType, CodeValue, CodeBounds and CodeDuplicate: the CRD's schema
	// requires a field, another type, one of some values, another number or length, or
	// unique entries.
	CodeRequired  = "required"
	CodeType      = "type"
	CodeValue     = "value"
	CodeBounds    = "bounds"
	CodeDuplicate = "duplicate"
	// CodeConversion: the v1alpha1 object cannot be converted to v1.
	CodeConversion = "conversion"
	// CodeSchema: a schema of the version is invalid, or breaks callers of the previous
	// version.
	CodeSchema = "schema"
	// CodeUnresolved: an unset value cannot be derived.
	CodeUnresolved = "unresolved"
	// CodeUnusual: valid, but rarely intended.
	CodeUnusual = "unusual"
)

// Finding is one error or warning about a document.
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	// Field is the path as written in the document; empty for the whole document.
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// errorFinding returns the finding for a field error.
func errorFinding(code string, e *field.Error) Finding {
	return Finding{code, Error, fieldOf(e), e.ErrorBody()}
}

// fieldOf returns the field of an error; the libraries write <nil> for none.
func fieldOf(e *field.Error) string {
	if e.Field == "<nil>" {
		return ""
	}
	return e.Field
}

// schemaCode returns the code of a schema's error.
func schemaCode(e *field.Error) string {
	switch {
	case strings.HasPrefix(e.Field, "metadata"):
		return CodeMetadata
	case e.Type == field.ErrorTypeRequired:
		return CodeRequired
	case e.Type == field.ErrorTypeTypeInvalid:
		return CodeType
	case e.Type == field.ErrorTypeNotSupported:
		return CodeValue
	case e.Type == field.ErrorTypeDuplicate:
		return CodeDuplicate
	default:
		return CodeBounds
	}
}

// warningFinding returns the finding for a warning, which begins with its field.
func warningFinding(text string) Finding {
	where, what := splitField(text)
	return Finding{CodeUnusual, Warning, where, what}
}

// splitField splits a sentence into its leading field and the rest.
func splitField(text string) (where, what string) {
	where, what, found := strings.Cut(text, ": ")
	if !found || strings.Contains(where, " ") {
		return "", text
	}
	return where, what
}
