package handler

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/expand"
)

// reportCompatibility returns the compatibility of the declared version; nil where no
// version has a schema.
func (s *story) reportCompatibility() *report.Compatibility {
	version := s.Running.Version
	verdict, judged := s.Verdicts[version]
	hasSchemas := false
	for _, v := range s.Family.Versions {
		hasSchemas = hasSchemas || v.Schema != nil
	}
	b := verdict.Worst()
	switch {
	case !judged || !hasSchemas && b == nil:
		return nil
	case b == nil:
		return &report.Compatibility{Holds: true, Reason: report.ReasonCompatible, Message: fmt.Sprintf("Version %s breaks no callers.", version)}
	case b.Uncovered == "":
		return &report.Compatibility{Holds: true, Reason: report.ReasonCovered, Message: fmt.Sprintf("Version %s breaks callers of %s, and transformers serve them.", version, b.Of)}
	}
	out := &report.Compatibility{Reason: report.ReasonBreaking, Message: s.Family.Told(verdict, true)}
	if by := v1.OverriddenBy(s.Decision.Versions, version); by != "" {
		out.Reason, out.Message = report.ReasonOverridden, fmt.Sprintf("Allowed by %s. %s", by, out.Message)
	}
	return out
}

// isRefused reports whether the declared version was stored although its strategy
// refuses it.
func (s *story) isRefused() bool {
	verdict := s.Verdicts[s.Running.Version]
	return s.Family.Policy.Cell(verdict) == compat.Refused && v1.OverriddenBy(s.Decision.Versions, s.Running.Version) == ""
}

// missingSchema returns the schema of the declared version where its template was cut before
// the schema was known; nil where nothing is missing.
func (s *story) missingSchema() *v1.VersionSchema {
	var want *v1.VersionSchema
	for _, v := range s.Family.Versions {
		if v.Name == s.Running.Version {
			want = v.Schema
		}
	}
	if s.IsCut || want == nil || s.Running.Schema != nil && *compat.Shown(s.Running.Schema) == *compat.Shown(want) {
		return nil
	}
	return want
}

// keepSchema writes a schema beside the template of the declared version.
func (a *application) keepSchema(ctx context.Context, schema *v1.VersionSchema) {
	if schema == nil {
		return
	}
	version := a.s.Running
	text, err := expand.EncodeSchema(schema)
	if err == nil {
		object := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: a.s.Handler.Namespace, Name: version.Name}}
		var body []byte
		if body, err = json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{v1.AnnotationSchema: text}}}); err == nil {
			err = a.writer.Patch(ctx, object, client.RawPatch(types.MergePatchType, body), client.FieldOwner(v1.FieldManager))
		}
	}
	if err != nil {
		a.noteResult(revision.Kind, version.Name, fmt.Errorf("keep the schema of %s: %w", version.Version, err))
	}
}
