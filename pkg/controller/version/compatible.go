package version

import (
	"context"
	"maps"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
)

// otherRecords returns the other records that count of a handler and have tags or transformers,
// by version: those that may conflict with the record's.
func (r *Reconciler) otherRecords(ctx context.Context, record *v1.GatiVersion, handler string) (map[string]*v1.GatiVersion, error) {
	out := map[string]*v1.GatiVersion{}
	if !records.HasShared(record) || handler == "" {
		return out, nil
	}
	shared, err := observe.SharedRecords(ctx, r.Client, record.Namespace, handler)
	if err != nil {
		return nil, err
	}
	for i := range shared {
		b, bound := records.Bound(&shared[i])
		if _, known := out[b.Version]; known || !bound {
			continue
		}
		list, err := observe.VersionRecords(ctx, r.Client, record.Namespace, handler, b.Version)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(v v1.GatiVersion) bool { return v.Name == record.Name })
		out[b.Version] = records.ByVersion(handler, list)[b.Version].Winner
	}
	maps.DeleteFunc(out, func(_ string, winner *v1.GatiVersion) bool { return winner == nil })
	return out, nil
}

// describeCompatibility describes the version and its transformers, as the handler's controller has found it.
func (v view) describeCompatibility(record *v1.GatiVersion) *report.Compatibility {
	if v.handler == nil {
		return nil
	}
	if problems := v.describeTransformers(record); len(problems) > 0 {
		return &report.Compatibility{Reason: report.ReasonTransformers, Message: strings.Join(problems, "; ") + "."}
	}
	at := slices.IndexFunc(v.handler.Status.Versions, func(s v1.VersionStatus) bool { return s.Version == v.binding.Version })
	if at < 0 {
		return nil
	}
	s := v.handler.Status.Versions[at]
	findings := strings.Join(s.Findings, "\n")
	switch {
	case s.Held != "":
		return &report.Compatibility{Reason: report.ReasonBreaking, Message: "It gets no weighted traffic: " + s.Held + ".\n" + findings}
	case s.OverriddenBy != "" && s.Breaking:
		return &report.Compatibility{Reason: report.ReasonOverridden, Message: "Allowed by " + s.OverriddenBy + ".\n" + findings}
	case s.Breaking:
		return &report.Compatibility{Holds: true, Reason: report.ReasonCovered, Message: "It breaks callers, and transformers serve them.\n" + findings}
	case s.Schema != nil || len(record.Spec.Transformers) > 0:
		return &report.Compatibility{Holds: true, Reason: report.ReasonCompatible, Message: "It breaks no callers of the serving version."}
	}
	return nil
}

// describeTransformers returns the reasons why the record's transformers do not serve.
func (v view) describeTransformers(record *v1.GatiVersion) []string {
	resolved := defaulting.Handler{Version: declaredVersion(v.handler)}
	resolved.Spec = *v.handler.Spec.DeepCopy()
	resolved.Spec.SetDefaults()
	family := compat.FamilyOf(compat.Source{Handler: v.handler, Resolved: resolved})
	errs, notes := family.Transformers(record, compat.HopsOf(v.others, record.Name))
	var out []string
	for _, e := range errs {
		out = append(out, e.Error())
	}
	return append(out, notes...)
}
