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
	"gati.dev/gati/pkg/expand"
)

// maxFindings is how many findings the status shows of a version.
const maxFindings = 5

// show writes into the decided versions what was found out about them.
func (s *story) show() {
	schemas := map[string]*v1.VersionSchema{}
	for _, v := range s.Family.Versions {
		schemas[v.Name] = v.Schema
	}
	for i := range s.Decision.Versions {
		v := &s.Decision.Versions[i]
		verdict := s.Verdicts[v.Version]
		v.Schema = compat.Shown(schemas[v.Version])
		v.Breaking, v.Held, v.Findings = len(verdict.Breaks) > 0, "", nil
		if v1.OverriddenBy(s.Decision.Versions, v.Version) == "" {
			v.Held = verdict.Held()
		}
		if b := verdict.Worst(); b != nil {
			v.Findings = b.Lines(maxFindings)
		}
	}
}

// compatible is what there is to report of the declared version.
func (s *story) compatible() *report.Compatibility {
	version := s.Resolved.Version
	verdict, judged := s.Verdicts[version]
	spoken := false
	for _, v := range s.Family.Versions {
		spoken = spoken || v.Schema != nil
	}
	b := verdict.Worst()
	switch {
	case !judged || !spoken && b == nil:
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

// refused tells that the declared version was stored although the table refuses
// it.
func (s *story) refused() bool {
	verdict := s.Verdicts[s.Resolved.Version]
	return s.Family.Policy.Cell(verdict) == compat.Refused && v1.OverriddenBy(s.Decision.Versions, s.Resolved.Version) == ""
}

// keepSchema writes the schema of the declared version beside its template, once
// somebody has told it.
func (r *Reconciler) keepSchema(ctx context.Context, s *story) error {
	var want *v1.VersionSchema
	for _, v := range s.Family.Versions {
		if v.Name == s.Running.Version {
			want = v.Schema
		}
	}
	if s.Cut {
		s.Running.Schema = want
		return nil
	}
	if want == nil || s.Running.Schema != nil && *compat.Shown(s.Running.Schema) == *compat.Shown(want) {
		return nil
	}
	text, err := expand.EncodeSchema(want)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{v1.AnnotationSchema: text}}})
	if err != nil {
		return err
	}
	object := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: s.Handler.Namespace, Name: s.Running.Name}}
	if err := r.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, body), client.FieldOwner(v1.FieldManager)); err != nil {
		return fmt.Errorf("keep the schema of %s: %w", s.Running.Version, err)
	}
	return nil
}
