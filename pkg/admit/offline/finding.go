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
	// Warning is said of an object that is taken.
	Warning Severity = "warning"
)

// The codes of what is found before any rule of ours is asked. The code of a rule is
// the name of its check in pkg/validation, such as path or scheduling.
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
	// CodeMetadata: labels, annotations or a name that no object may have.
	CodeMetadata = "metadata"
	// CodeRequired, CodeType, CodeValue, CodeBounds and CodeDuplicate: the schema of
	// the CRD wants a field, another type, one of some values, another number or
	// length, or no entry twice.
	CodeRequired  = "required"
	CodeType      = "type"
	CodeValue     = "value"
	CodeBounds    = "bounds"
	CodeDuplicate = "duplicate"
	// CodeConversion: v1alpha1 cannot be turned into v1.
	CodeConversion = "conversion"
	// CodeSchema: a schema of the version is none, or breaks the callers of the version
	// before.
	CodeSchema = "schema"
	// CodeUnresolved: a value that is left open cannot be found.
	CodeUnresolved = "unresolved"
	// CodeUnusual: it is allowed, and seldom meant.
	CodeUnusual = "unusual"
)

// Finding is one thing to say of a document.
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	// Field is where, as it is written in the document; empty for all of it.
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// fault makes a finding of an error of a field.
func fault(code string, e *field.Error) Finding {
	return Finding{code, Error, fieldOf(e), e.ErrorBody()}
}

// fieldOf is the field of an error; the libraries write <nil> for none.
func fieldOf(e *field.Error) string {
	if e.Field == "<nil>" {
		return ""
	}
	return e.Field
}

// schemaCode is the code of what a schema finds.
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

// unusual makes a finding of a warning, which begins with its field.
func unusual(text string) Finding {
	where, what := placed(text)
	return Finding{CodeUnusual, Warning, where, what}
}

// placed takes a sentence apart that begins with a field.
func placed(text string) (where, what string) {
	where, what, found := strings.Cut(text, ": ")
	if !found || strings.Contains(where, " ") {
		return "", text
	}
	return where, what
}
