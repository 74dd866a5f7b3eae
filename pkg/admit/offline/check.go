package offline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/admit/bounds"
	"gati.dev/gati/pkg/admit/crd"
)

// Check returns the findings that an apply of a document would have. before is the
// stored object, or nil; around has the known surroundings.
func Check(doc *admit.Document, before client.Object, schemas *crd.Schemas, around admit.Surroundings) []Finding {
	var excess *bounds.Error
	switch {
	case doc.Content == nil:
		return []Finding{{CodeSyntax, Error, "", doc.Err.Error()}}
	case errors.As(doc.Err, &excess):
		return []Finding{{CodeBounds, Error, excess.Path, excess.Problem}}
	case doc.Kind.Empty():
		return []Finding{{CodeNoObject, Error, "", doc.Err.Error()}}
	case doc.Foreign:
		return nil
	case !schemas.Has(doc.Kind):
		return []Finding{absentKind(doc)}
	}
	var content unstructured.Unstructured
	if err := content.UnmarshalJSON(doc.Content); err != nil {
		return []Finding{{CodeNoObject, Error, "", err.Error()}}
	}
	if costly := admit.FindCostly(doc.Kind, doc.Content, nil); len(costly) > 0 {
		var out []Finding
		for _, e := range costly {
			out = append(out, errorFinding(schemaCode(e), e))
		}
		return out
	}
	out, faulty := bySchema(&content, schemas)
	return append(out, byPipeline(doc, before, around, faulty, len(out) > 0)...)
}

// absentKind returns the finding for a kind without a CRD.
func absentKind(doc *admit.Document) Finding {
	if isKnown(doc.Kind.GroupVersion()) && errors.Is(doc.Err, admit.ErrNotApplied) {
		return Finding{CodeNoObject, Error, "", doc.Err.Error()}
	}
	return Finding{CodeUnknownKind, Error, "kind", fmt.Sprintf("no matches for kind %q in version %q", doc.Kind.Kind, doc.Kind.GroupVersion())}
}

func isKnown(gv schema.GroupVersion) bool {
	return gv == v1.GroupVersion || gv == v1alpha1.GroupVersion
}

// bySchema returns the findings of the CRD's schema, and their fields.
func bySchema(content *unstructured.Unstructured, schemas *crd.Schemas) ([]Finding, field.ErrorList) {
	var out []Finding
	if content.GetName() == "" && content.GetGenerateName() == "" {
		out = append(out, Finding{CodeName, Error, "metadata.name", "Required value: resource name may not be empty"})
	}
	found := schemas.Check(content)
	for _, name := range found.Unknown {
		out = append(out, Finding{CodeUnknownField, Error, name, fmt.Sprintf("unknown field %q", name)})
	}
	var faulty field.ErrorList
	for _, name := range found.Unknown {
		faulty = append(faulty, &field.Error{Field: name})
	}
	for _, e := range found.Errors {
		if e.Field == "metadata.name" && content.GetName() == "" {
			continue // it was said above, as kubectl says it
		}
		out = append(out, errorFinding(schemaCode(e), e))
		faulty = append(faulty, e)
	}
	return out, faulty
}

// byPipeline returns the findings of conversion and of the webhook's pipeline, except at
// fields where the schema has a finding. told is true when the schema has any finding.
func byPipeline(doc *admit.Document, before client.Object, around admit.Surroundings, faulty field.ErrorList, told bool) []Finding {
	if doc.Object == nil {
		return undecodedDocument(doc, faulty, told)
	}
	result := admit.Check(doc.Object, before, around)
	var out []Finding
	for _, e := range result.Errors {
		if e.Field == "metadata.name" && doc.Object.GetName() == "" {
			continue // The missing name is a finding of the schema already.
		}
		named := *e
		if doc.Kind.Version == v1alpha1.GroupVersion.Version {
			named.Field = v1alpha1.FieldPath(doc.Kind.Kind, e.Field)
		}
		if !crd.Covers(faulty, named.Field) {
			out = append(out, errorFinding(ruleCode(&named), &named))
		}
	}
	for _, w := range result.Warnings {
		out = append(out, warningFinding(w))
	}
	return out
}

// undecodedDocument returns the finding for a document that could not be decoded. Conversion
// errors are added to the schema's findings; decoding errors are reported only without
// those, because their messages are worse.
func undecodedDocument(doc *admit.Document, faulty field.ErrorList, told bool) []Finding {
	var content map[string]any
	if doc.Kind.GroupVersion() == v1alpha1.GroupVersion && json.Unmarshal(doc.Content, &content) == nil {
		if _, err := v1alpha1.ToV1(content); err != nil {
			where, what := splitField(err.Error())
			if slices.ContainsFunc(faulty, func(e *field.Error) bool { return e.Field == where }) {
				return nil
			}
			return []Finding{{CodeConversion, Error, where, what}}
		}
	}
	if told {
		return nil
	}
	return []Finding{{CodeConversion, Error, "", doc.Err.Error()}}
}

// ruleCode returns the name of the check that found an error.
func ruleCode(e *field.Error) string {
	switch {
	case e.Origin == admit.OriginSchema:
		return schemaCode(e)
	case e.Origin != "":
		return e.Origin
	case strings.HasPrefix(e.Field, "spec.schema"):
		return CodeSchema
	default:
		return CodeUnresolved
	}
}
