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

// compare finds out what each version that is in use, or is to be, means for the
// callers of the others. Admission has done the same, unless it was passed by.
func (s *story) compare(j *compat.Judge) {
	if len(s.result.Errors) > 0 {
		return // Nothing can be said of a spec that says nothing.
	}
	src := s.source()
	s.result.Errors = append(s.result.Errors, src.Conflicts()...)
	s.family = compat.FamilyOf(src)
	s.verdicts = map[string]compat.Verdict{}
	for _, v := range s.family.Versions {
		if v.Live || v.Name == s.resolved.Version {
			s.verdicts[v.Name] = j.Verdict(s.family, v.Name)
		}
	}
}

func (s *story) source() compat.Source {
	src := compat.Source{
		Handler: s.handler, Resolved: s.resolved, Stable: s.stableVersion(),
		Records: map[string]*v1.GatiVersion{}, Frozen: expand.SchemasOf(s.revisions),
	}
	for version, e := range s.records {
		if e.Winner != nil {
			src.Records[version] = e.Winner
		}
	}
	return src
}

// stableVersion is the version that serves: by the status, and where that was lost by
// the pods.
func (s *story) stableVersion() string {
	if stable := compat.StableOf(s.handler.Status); stable != "" {
		return stable
	}
	version, most := "", int32(-1)
	for _, w := range s.workloads {
		if w.Deployment == nil {
			continue
		}
		if u := s.unitOf(w.Deployment.Annotations[v1.AnnotationRevision]); u.Version != "" && w.Deployment.Status.ReadyReplicas > most {
			version, most = u.Version, w.Deployment.Status.ReadyReplicas
		}
	}
	return version
}

// maxFindings is how many findings the status shows of a version.
const maxFindings = 5

// show writes into the decided versions what was found out about them.
func (s *story) show() {
	schemas := map[string]*v1.VersionSchema{}
	for _, v := range s.family.Versions {
		schemas[v.Name] = v.Schema
	}
	for i := range s.decision.Versions {
		v := &s.decision.Versions[i]
		verdict := s.verdicts[v.Version]
		v.Schema = compat.Shown(schemas[v.Version])
		v.Breaking, v.Held, v.Findings = len(verdict.Breaks) > 0, "", nil
		if s.overriddenBy(v.Version) == "" {
			v.Held = verdict.Held()
		}
		if b := verdict.Worst(); b != nil {
			v.Findings = b.Lines(maxFindings)
		}
	}
}

func (s *story) overriddenBy(version string) string {
	for _, v := range s.decision.Versions {
		if v.Version == version && v.OverriddenBy != "" {
			return v.OverriddenBy
		}
	}
	return ""
}

// compatible is what there is to report of the declared version.
func (s *story) compatible() *report.Compatibility {
	version := s.resolved.Version
	verdict, judged := s.verdicts[version]
	spoken := false
	for _, v := range s.family.Versions {
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
	out := &report.Compatibility{Reason: report.ReasonBreaking, Message: s.family.Told(verdict, true)}
	if by := s.overriddenBy(version); by != "" {
		out.Reason, out.Message = report.ReasonOverridden, fmt.Sprintf("Allowed by %s. %s", by, out.Message)
	}
	return out
}

// refused tells that the declared version was stored although the table refuses
// it.
func (s *story) refused() bool {
	verdict := s.verdicts[s.resolved.Version]
	return s.family.Policy.Cell(verdict) == compat.Refused && s.overriddenBy(s.resolved.Version) == ""
}

// keepSchema writes the schema of the declared version beside its template, once
// somebody has told it.
func (r *Reconciler) keepSchema(ctx context.Context, s *story) error {
	var want *v1.VersionSchema
	for _, v := range s.family.Versions {
		if v.Name == s.running.Version {
			want = v.Schema
		}
	}
	if s.cut {
		s.running.Schema = want
		return nil
	}
	if want == nil || s.running.Schema != nil && *compat.Shown(s.running.Schema) == *compat.Shown(want) {
		return nil
	}
	text, err := expand.SchemaText(want)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{v1.AnnotationSchema: text}}})
	if err != nil {
		return err
	}
	object := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Namespace: s.handler.Namespace, Name: s.running.Name}}
	if err := r.Client.Patch(ctx, object, client.RawPatch(types.MergePatchType, body), client.FieldOwner(v1.FieldManager)); err != nil {
		return fmt.Errorf("keep the schema of %s: %w", s.running.Version, err)
	}
	return nil
}
