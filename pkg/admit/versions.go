package admit

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/records"
)

// comparison is the result of comparing versions.
type comparison struct {
	errors                 field.ErrorList
	warnings               []string
	breaking, overriddenBy string
	// err is the reason why there is no comparison.
	err error
}

// compareHandler judges the version that a handler declares. The status is the stored
// handler's, or h's without one.
func compareHandler(h, old *v1.GatiHandler, resolved defaulting.Handler, around Surroundings) comparison {
	src := sourceOf(h, old, resolved, around)
	version := src.Resolved.Version
	out := comparison{errors: src.Conflicts()}
	family := compat.FamilyOf(src)
	verdict, err := around.Judge.Verdict(family, version)
	if out.err = err; err != nil || len(verdict.Breaks) == 0 {
		return out
	}
	stored := slices.ContainsFunc(src.Handler.Status.Versions, func(v v1.VersionStatus) bool { return v.Version == version })
	out.noteVerdict(verdict)
	if verdict.Denied {
		out.errors = append(out.errors, family.Denial(deniedField(h), verdict, stored))
	}
	out.overriddenBy = allowedBy(src.Handler, version)
	cell := family.Policy.Cell(verdict)
	switch {
	case cell == compat.Normal:
		out.overriddenBy = ""
		out.warnings = append(out.warnings, warnTransformers(src.Handler, version)...)
	case out.overriddenBy != "" || cell == compat.HeaderOnly:
		out.warnings = family.Warnings(verdict, out.overriddenBy)
		if e := routingWeight(family, h, verdict, stored); e != nil && out.overriddenBy == "" {
			out.errors = append(out.errors, e)
		}
	case old != nil && !affectsComparison(src, h, old):
		out.warnings = append([]string{"spec.schema: " + version + " is not rolled out: " + verdict.Held() + " (already stored, so not rejected)"}, out.warnings...)
	default:
		out.errors = append(out.errors, family.Refusal(verdict, stored))
	}
	return out
}

// warnTransformers warns of pods that are known to lack a version's transformers.
// Unknown cases, such as a new image, get no warning.
func warnTransformers(h *v1.GatiHandler, version string) []string {
	ro := h.Status.Rollout
	if ro == nil || ro.Declared == nil || ro.Declared.Version != version || ro.WaitingFor == nil || ro.WaitingFor.Reason != v1.WaitingForTransformers {
		return nil
	}
	return []string{version + " waits for its transformers: " + ro.WaitingFor.Message}
}

// sourceOf gathers the objects for the comparison.
func sourceOf(h, old *v1.GatiHandler, resolved defaulting.Handler, around Surroundings) compat.Source {
	shown := *h
	h = &shown // A copy whose status may be replaced.
	src := compat.Source{Handler: h, Resolved: resolved, Frozen: expand.FindSchemas(around.Revisions)}
	if old != nil {
		h.Status = old.Status
		before, _ := defaulting.ResolveHandler(&old.Spec, *cmp.Or(around.FactsBefore, &around.Facts))
		src.Before, src.BeforeDeclares = &old.Spec, before.Version
	}
	src.Records = electRecords(h, src.Resolved.Version, around.Records)
	return src
}

// electRecords returns the elected record of each version of a handler.
func electRecords(h *v1.GatiHandler, declared string, list []v1.GatiVersion) map[string]*v1.GatiVersion {
	known := knownHandler(h, declared)
	byVersion := map[string][]*v1.GatiVersion{}
	for i := range list {
		if b, problem := records.Bind(&list[i], []records.Handler{known}); problem == "" && b.Handler == h.Name {
			byVersion[b.Version] = append(byVersion[b.Version], &list[i])
		}
	}
	out := map[string]*v1.GatiVersion{}
	for version, of := range byVersion {
		if winner := records.Elect(of).Winner; winner != nil {
			out[version] = winner
		}
	}
	return out
}

// knownHandler returns the properties that the binding of a record depends on.
func knownHandler(h *v1.GatiHandler, declared string) records.Handler {
	known := records.Handler{Name: h.Name, Declared: declared}
	for _, v := range h.Status.Versions {
		known.Versions = append(known.Versions, v.Version)
	}
	return known
}

// deniedField returns the field in which the author claims that a version keeps its callers.
func deniedField(h *v1.GatiHandler) *field.Path {
	if t := h.Spec.Timescape; t != nil && t.Breaking != nil && !*t.Breaking {
		return field.NewPath("spec", "timescape", "breaking")
	}
	return schemaPath
}

// allowedBy returns the user who allowed a version traffic, by a handled request or by
// the annotation.
func allowedBy(h *v1.GatiHandler, version string) string {
	return cmp.Or(v1.OverriddenBy(h.Status.Versions, version), compat.AllowedBy(h, version))
}

// routingWeight refuses an initial weight on a version that must not have any.
func routingWeight(f compat.Family, h *v1.GatiHandler, v compat.Verdict, stored bool) *field.Error {
	t := h.Spec.Timescape
	if stored || t == nil || t.RoutingWeight == nil || *t.RoutingWeight == 0 || f.Policy.Strategy != v1.StrategyManual {
		return nil
	}
	return f.WeightRefusal(field.NewPath("spec", "timescape", "routingWeight"), v, *t.RoutingWeight, stored)
}

// affectsComparison reports whether a change affects the comparison. A version that is already
// stored must not block other changes of its handler.
func affectsComparison(src compat.Source, h, old *v1.GatiHandler) bool {
	a, b := &h.Spec, &old.Spec
	policy := func(s *v1.GatiHandlerSpec) any {
		s = s.DeepCopy()
		s.SetDefaults()
		return []any{s.Rollout.Strategy, s.Route != nil, s.Versions.Compatibility, s.Versions.Transitive}
	}
	return src.BeforeDeclares != src.Resolved.Version || !equality.Semantic.DeepEqual(policy(a), policy(b)) ||
		!equality.Semantic.DeepEqual(a.Schema, b.Schema) || !equality.Semantic.DeepEqual(a.Timescape, b.Timescape)
}

func (c *comparison) noteVerdict(v compat.Verdict) {
	b := v.Worst()
	c.breaking = fmt.Sprintf("%s breaks callers of %s, %d findings", v.Version, b.Of, len(b.Findings))
}

// compareRecord judges a record with its handler. Without a handler there is nothing to
// compare.
func compareRecord(record, old *v1.GatiVersion, around Surroundings) comparison {
	var out comparison
	h := around.Handler
	if h == nil {
		return out
	}
	resolved, _ := defaulting.ResolveHandler(&h.Spec, around.Facts)
	src := sourceOf(h, nil, resolved, around)
	b, problem := records.Bind(record, []records.Handler{knownHandler(h, src.Resolved.Version)})
	if problem != "" || b.Handler != h.Name {
		return out
	}
	was, err := around.Judge.Verdict(compat.FamilyOf(src), b.Version)
	if err != nil {
		return comparison{err: err}
	}
	src.Records[b.Version] = record
	family := compat.FamilyOf(src)
	out.errors = src.RecordConflicts(b.Version, record.Spec.Schema)
	faults, notes := family.Transformers(record, compat.HopsOf(src.Records, record.Name))
	out.errors, out.warnings = append(out.errors, faults...), notes
	verdict, err := around.Judge.Verdict(family, b.Version)
	if err != nil {
		return comparison{err: err}
	}
	if len(verdict.Breaks) > 0 {
		out.noteVerdict(verdict)
		out.addBreaks(record, old, family, was, verdict, allowedBy(h, b.Version))
	}
	return out
}

// addBreaks adds the consequences of a record whose version breaks callers.
func (c *comparison) addBreaks(record, old *v1.GatiVersion, f compat.Family, was, now compat.Verdict, by string) {
	spec := field.NewPath("spec")
	if now.Denied && record.Spec.Breaking != nil && !*record.Spec.Breaking {
		c.errors = append(c.errors, f.Denial(spec.Child("breaking"), now, true))
	}
	cell := f.Policy.Cell(now)
	if c.overriddenBy = by; by != "" || cell == compat.Normal {
		return
	}
	asked := record.Spec.Traffic != nil && *record.Spec.Traffic > 0 && f.Policy.Strategy == v1.StrategyManual
	changed := old == nil || !equality.Semantic.DeepEqual(old.Spec.Traffic, record.Spec.Traffic)
	switch {
	case asked && changed:
		c.errors = append(c.errors, f.WeightRefusal(spec.Child("traffic"), now, *record.Spec.Traffic, true))
	case cell == compat.Refused && was.Uncovered() == nil:
		c.errors = append(c.errors, f.Refusal(now, true))
	default:
		c.warnings = append(c.warnings, f.Warnings(now, "")...)
	}
}
