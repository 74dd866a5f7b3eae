package admit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/validation"
)

// Surroundings are the facts and other objects that a check needs beside the object and
// its stored form. With facts alone, the object is checked as if there were no other
// objects.
type Surroundings struct {
	Facts facts.Facts
	// FactsBefore are those that the stored object was applied under, where they are known:
	// the image of a namespace may change with it. Nil is that they are the same.
	FactsBefore *facts.Facts
	// QueriesForbidden is true when the operator does not allow users' Prometheus
	// queries.
	QueriesForbidden bool
	// Handler is the handler of a record; nil when it does not exist yet.
	Handler *v1.GatiHandler
	// Records are the handler's records and those that are not bound yet. Revisions
	// hold the schemas of versions that ran.
	Records   []v1.GatiVersion
	Revisions []expand.Revision
	// Missing names the modules or the handler that the object refers to but that do
	// not exist.
	Missing []string
	// Judge compares the schemas of versions within the caller's time; nil skips the
	// comparison.
	Judge *compat.Judge
}

// Check validates and resolves one v1 object, and checks it against its surroundings. old is
// the stored object, or nil; it determines what may no longer change. Neither object is changed.
func Check(obj, old client.Object, around Surroundings) Result {
	return Pipeline{}.Check(obj, old, around)
}

// Check is the function Check.
func (p Pipeline) Check(obj, old client.Object, around Surroundings) Result {
	out := p.runChecks(obj, old, around.Facts)
	out.Errors = append(out.Errors, checkDuringRollout(obj, old, around)...)
	if len(out.Errors) == 0 {
		checkNeighbours(&out, obj, old, around)
	}
	if len(out.Errors) > 0 {
		out.Hash = ""
	}
	return out
}

// checkDuringRollout refuses requests of a record that conflict with the current state:
// a tag or share that belongs to other versions, or the removal of the serving version.
func checkDuringRollout(obj, old client.Object, around Surroundings) field.ErrorList {
	record, was := asType[v1.GatiVersion](obj), asType[v1.GatiVersion](old)
	if record == nil {
		return nil
	}
	return slices.Concat(
		checkTagConflicts(record, was, around.Records),
		checkTrafficShares(record, was, around.Handler, around.Records),
		checkShareMoves(record, was, around.Handler),
		checkDeactivation(record, was, around.Handler),
	)
}

// checkNeighbours adds the results of the operator's settings and of the comparison
// with other versions, for an object without errors.
func checkNeighbours(out *Result, obj, old client.Object, around Surroundings) {
	h, record := asType[v1.GatiHandler](obj), asType[v1.GatiVersion](obj)
	if h != nil && around.QueriesForbidden {
		out.Errors = checkQueries(h, asType[v1.GatiHandler](old))
	}
	if around.Judge != nil && len(out.Errors) == 0 {
		switch {
		case h != nil:
			out.addComparison(compareHandler(h, asType[v1.GatiHandler](old), *out.Handler, around))
		case record != nil:
			out.addComparison(compareRecord(record, asType[v1.GatiVersion](old), around))
		}
	}
	out.Warnings = append(out.Warnings, warnReferences(h, record, around)...)
}

// addComparison adds the result of comparing versions. Its warnings come first.
func (r *Result) addComparison(c comparison) {
	r.Errors, r.Warnings = append(r.Errors, c.errors...), append(c.warnings, r.Warnings...)
	r.Breaking, r.OverriddenBy, r.Undecided = c.breaking, c.overriddenBy, c.err
}

// AddedTags returns the tags that a request adds to a record.
func AddedTags(record, old *v1.GatiVersion) []v1.Tag {
	if old == nil {
		return record.Spec.Tags
	}
	return slices.DeleteFunc(slices.Clone(record.Spec.Tags), func(tag v1.Tag) bool { return slices.Contains(old.Spec.Tags, tag) })
}

// checkTagConflicts refuses added tags that belong to another version of the handler.
func checkTagConflicts(record, old *v1.GatiVersion, others []v1.GatiVersion) field.ErrorList {
	var errs field.ErrorList
	for _, tag := range AddedTags(record, old) {
		if why := records.TagTaken(record, tag, others); why != "" {
			at := field.NewPath("spec", "tags").Index(slices.Index(record.Spec.Tags, tag))
			errs = append(errs, field.Invalid(at, tag, why))
		}
	}
	return errs
}

// AddsShare reports whether a request gives a share of the traffic to a version without
// one.
func AddsShare(record, old *v1.GatiVersion) bool {
	return hasShare(record) && (old == nil || !hasShare(old))
}

func hasShare(r *v1.GatiVersion) bool { return r.Spec.Traffic != nil && *r.Spec.Traffic > 0 }

// SharesByRecord reports whether records decide how a route splits a handler's traffic.
func SharesByRecord(h *v1.GatiHandler) bool {
	return h.Spec.Route != nil && IsManual(h)
}

// checkTrafficShares refuses a share that would exceed the number of versions a route
// can split traffic among. Two concurrent requests may both pass: the weights then stay
// as they are, and the handler's status gives the reason.
func checkTrafficShares(record, old *v1.GatiVersion, h *v1.GatiHandler, others []v1.GatiVersion) field.ErrorList {
	if h == nil || !AddsShare(record, old) || !SharesByRecord(h) {
		return nil
	}
	have := records.Sharing(record, others, liveVersions(h))
	if len(have) < rollout.MaxShares {
		return nil
	}
	why := fmt.Sprintf("an HTTPRoute shares the traffic among %d versions at most, and %s have a share; set one of theirs to 0 first: %s",
		rollout.MaxShares, strings.Join(have, ", "), remedy.SetTraffic.For(h.Name+" -n "+h.Namespace, have[0], "0"))
	return field.ErrorList{field.Invalid(field.NewPath("spec", "traffic"), *record.Spec.Traffic, why)}
}

// ChangesShare reports whether a request changes the share of an existing record, to more
// than zero.
func ChangesShare(record, old *v1.GatiVersion) bool {
	return old != nil && hasShare(record) && !ptr.Equal(record.Spec.Traffic, old.Spec.Traffic)
}

// IsManual reports whether records decide a handler's weights.
func IsManual(h *v1.GatiHandler) bool {
	return h.Spec.Rollout != nil && h.Spec.Rollout.Strategy == v1.StrategyManual
}

// checkShareMoves refuses a changed share that would move no traffic, because the
// version was rejected, decommissioned, or replaced by a rollback. The comparison
// refuses versions that break callers.
func checkShareMoves(record, old *v1.GatiVersion, h *v1.GatiHandler) field.ErrorList {
	if h == nil || !ChangesShare(record, old) || !IsManual(h) || h.Status.Rollout == nil || h.Status.ObservedGeneration < h.Generation {
		return nil
	}
	in := rollout.InputFor(h, nil, time.Time{})
	clear(in.Records)
	_, version := records.About(record)
	why := rollout.RefuseShare(in, version)
	if why == "" {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "traffic"), *record.Spec.Traffic, why)}
}

// liveVersions returns the versions of a handler that have a workload.
func liveVersions(h *v1.GatiHandler) []string {
	var out []string
	for _, s := range h.Status.Versions {
		if s.Phase != v1.VersionDecommissioned {
			out = append(out, s.Version)
		}
	}
	return out
}

// Deactivates reports whether a request takes a version out of service.
func Deactivates(record, old *v1.GatiVersion) bool {
	return isInactive(record) && (old == nil || !isInactive(old))
}

func isInactive(r *v1.GatiVersion) bool { return r.Spec.Active != nil && !*r.Spec.Active }

// checkDeactivation refuses to take the stable version out of service.
func checkDeactivation(record, old *v1.GatiVersion, h *v1.GatiHandler) field.ErrorList {
	if h == nil || !Deactivates(record, old) {
		return nil
	}
	if _, version := records.About(record); version == "" || version != compat.StableOf(h.Status) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "active"), false,
		"is the record of the stable version of "+h.Name+"; promote another version first")}
}

// checkQueries refuses added queries. Existing ones stay, and the controller reports
// that they have no answer.
func checkQueries(h, old *v1.GatiHandler) field.ErrorList {
	had := queriesOf(old)
	var errs field.ErrorList
	for i, q := range queriesOf(h) {
		if q != nil && !slices.ContainsFunc(had, func(o *v1.AnalysisQuery) bool { return o != nil && *o == *q }) {
			at := field.NewPath("spec", "rollout", "analysis", "metrics").Index(i).Child("query")
			errs = append(errs, field.Forbidden(at, validation.QueriesNotAllowed))
		}
	}
	return errs
}

// queriesOf returns the query of each metric, nil for other metrics.
func queriesOf(h *v1.GatiHandler) []*v1.AnalysisQuery {
	if h == nil || h.Spec.Rollout == nil || h.Spec.Rollout.Analysis == nil {
		return nil
	}
	var out []*v1.AnalysisQuery
	for _, m := range h.Spec.Rollout.Analysis.Metrics {
		out = append(out, m.Query)
	}
	return out
}

// warnReferences returns a sentence for each missing reference. It is no error, because
// GitOps applies in any order, and a condition follows later.
func warnReferences(h *v1.GatiHandler, record *v1.GatiVersion, around Surroundings) []string {
	const missing = "%s: there is no %s %s in this namespace yet"
	var out []string
	if h != nil {
		out = warnUnserved(h, around.Facts)
		for i, name := range h.Spec.Modules {
			if slices.Contains(around.Missing, string(name)) {
				out = append(out, fmt.Sprintf(missing, fmt.Sprintf("spec.modules[%d]", i), "GatiModule", name))
			}
		}
	}
	if record == nil {
		return out
	}
	name := records.NamedHandler(record)
	switch {
	case name == "":
		return nil
	case slices.Contains(around.Missing, name):
		return []string{fmt.Sprintf(missing, "spec.handler", "GatiHandler", name)}
	case around.Handler != nil && around.Handler.Spec.Rollout != nil && !hasRequestedShare(record, around):
		return validation.WarnVersion(record, around.Handler.Spec.Rollout.Strategy)
	}
	return nil
}

// warnUnserved returns a sentence for each child that the cluster has no API for yet.
func warnUnserved(h *v1.GatiHandler, f facts.Facts) []string {
	var out []string
	if unserved := f.Unserved("HTTPRoute"); unserved != nil && h.Spec.Route != nil {
		out = append(out, unserved.Field+": "+unserved.Detail())
	}
	if unserved := f.Unserved("ScaledObject"); unserved != nil && h.Spec.Autoscaling != nil && h.Spec.Autoscaling.Keda != nil {
		out = append(out, unserved.Field+": "+unserved.Detail())
	}
	return out
}

// hasRequestedShare reports whether the version of a record has the share that the
// record requests, or will have it after the current rollout.
func hasRequestedShare(record *v1.GatiVersion, around Surroundings) bool {
	h := around.Handler
	resolved, _ := defaulting.ResolveHandler(&h.Spec, around.Facts)
	b, problem := records.Bind(record, []records.Handler{knownHandler(h, resolved.Version)})
	if record.Spec.Traffic == nil || problem != "" || b.Handler != h.Name {
		return false
	}
	final, now := int32(0), int32(0)
	if b.Version == resolved.Version {
		final = 100
	}
	for _, v := range h.Status.Versions {
		if v.Version == b.Version {
			now += v.Weight
		}
	}
	return *record.Spec.Traffic == final || *record.Spec.Traffic == now
}
