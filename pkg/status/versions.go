package status

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/records"
)

// viewVersions joins the controller's report of each version with its record and its
// workload. Records of versions that are not admitted follow.
func (b *builder) viewVersions(h *v1.GatiHandler, workloads []Workload) []Version {
	records := b.index.records[ownerKey{KindHandler, h.Namespace, h.Name}]
	used := map[string]bool{}
	var out []Version
	for _, s := range h.Status.Versions {
		v := viewVersion(h, s, workloads)
		if r := findRecord(records, s); r != nil {
			v.Record = viewRecord(r)
			used[r.Name] = true
		}
		if v.Leaving = v.DescribeStay(b.now, formatLength); s.Stays != nil {
			v.GoesAt = s.Stays.NotBefore
		}
		out = append(out, v)
	}
	for _, r := range records {
		if !used[r.Name] {
			view := viewRecord(r)
			out = append(out, Version{Version: view.Version, Phase: view.Phase, Record: view})
		}
	}
	slices.SortFunc(out, compareVersions)
	return out
}

func viewVersion(h *v1.GatiHandler, s v1.VersionStatus, workloads []Workload) Version {
	v := Version{
		Version:        s.Version,
		Declared:       s.Version == h.Status.Version,
		Sequence:       s.Sequence,
		RevisionNumber: s.RevisionNumber,
		Phase:          s.Phase,
		Weight:         s.Weight,
		AcceptedWeight: s.AcceptedWeight,
		Workload:       s.Workload,

		DecommissionedBy: s.DecommissionedBy,
		OverriddenBy:     s.OverriddenBy,

		DrainingSince: s.DrainingSince,
		Stays:         s.Stays,

		Held:   printable.OneLine(s.Held),
		Serves: s.Serves,

		TrafficSource: s.TrafficSource, Evidence: viewEvidence(s.Evidence),
	}
	v.setRole(h.Status.Rollout, &s)
	for _, w := range workloads {
		if s.Workload != "" && w.Name == s.Workload {
			v.Ready, v.Desired = w.Ready, w.Desired
		}
	}
	return v
}

func viewEvidence(e *v1.EvidenceStatus) *Evidence {
	if e == nil {
		return nil
	}
	return &Evidence{
		Source: e.Source, State: e.State, Message: printable.OneLine(e.Message),
		ZeroSince: e.ZeroSince, LastRequest: e.LastRequest, MeasuredAt: e.MeasuredAt,
	}
}

// setRole fills in the version's role in the rollout.
func (v *Version) setRole(ro *v1.RolloutStatus, s *v1.VersionStatus) {
	if ro == nil {
		return
	}
	own := s.Ref()
	v.Contract = ro.Contract != nil && ro.Contract.Version == s.Version
	switch {
	case own.SameUnit(ro.Stable):
		v.Role = RoleStable
	case own.SameUnit(ro.Target):
		v.Role = RoleTarget
	}
	v.Pinned = ro.Pinned != nil && own.SameTemplate(&ro.Pinned.UnitRef)
	for i := range ro.Rejected {
		if own.SameTemplate(&ro.Rejected[i].UnitRef) {
			v.Rejected = printable.OneLine(ro.Rejected[i].Reason)
		}
	}
}

// unusedWorkloads returns the workloads without traffic now and later: they drain, or
// run a rejected version.
func (h *Handler) unusedWorkloads() map[string]bool {
	out := map[string]bool{}
	for i := range h.Versions {
		v := &h.Versions[i]
		inPlace := h.Rollout != nil && h.Rollout.Mode == v1.RolloutInPlace && v.Workload == v1.WorkloadMain
		if v.Workload != "" && v.Weight == 0 && v.Role == "" && !inPlace {
			out[v.Workload] = v.Phase == v1.VersionDraining || v.Rejected != ""
		}
	}
	return out
}

// compareVersions puts the newest first and those never admitted last.
func compareVersions(a, b Version) int {
	return cmp.Or(
		cmp.Compare(b.Sequence, a.Sequence),
		cmp.Compare(a.Version, b.Version),
		cmp.Compare(a.Record.recordName(), b.Record.recordName()),
	)
}

// findRecord returns the record of a version: the one that the controller names.
func findRecord(records []*v1.GatiVersion, s v1.VersionStatus) *v1.GatiVersion {
	for _, r := range records {
		if s.Record != "" && r.Name == s.Record {
			return r
		}
	}
	return nil
}

// viewRecord returns the view of a GatiVersion.
func viewRecord(r *v1.GatiVersion) *Record {
	out := &Record{
		Namespace: r.Namespace,
		Name:      r.Name,
		CreatedAt: r.CreationTimestamp,
		Handler:   handlerFor(r),
		Version:   cmp.Or(string(r.Spec.Version), r.Status.Version),
		Phase:     r.Status.Phase,
		Automatic: records.IsAutomatic(r),
		Tags:      r.Spec.Tags,
		Keep:      r.Spec.Keep != nil && *r.Spec.Keep,
		Traffic:   r.Spec.Traffic,
		Inactive:  r.Spec.Active != nil && !*r.Spec.Active,
		Why:       r.Annotations[v1.AnnotationRequestReason],
	}
	for _, c := range viewConditions(r.Status.Conditions, r.Generation) {
		refuses := c.Type == v1.ConditionAccepted || c.Type == v1.ConditionValid
		if refuses && c.Status == metav1.ConditionFalse && out.Reason == "" {
			out.Reason = c.messageOrReason()
		}
	}
	return out
}

// handlerFor returns the handler that a record belongs to.
func handlerFor(r *v1.GatiVersion) string {
	return cmp.Or(records.HandlerName(r), r.Labels[v1.LabelHandler])
}

func (r *Record) recordName() string {
	if r == nil {
		return ""
	}
	return r.Name
}

// viewUnbound returns the records whose handler is not among the handlers.
func (b *builder) viewUnbound() []Record {
	var out []Record
	for i := range b.objs.Versions {
		r := &b.objs.Versions[i]
		if b.index.owners[ownerKey{KindHandler, r.Namespace, handlerFor(r)}] {
			continue
		}
		view := viewRecord(r)
		view.Reason = cmp.Or(view.Reason, b.orphanReason(view.Handler))
		out = append(out, *view)
	}
	slices.SortFunc(out, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func (b *builder) orphanReason(handler string) string {
	switch {
	case !b.objs.wasRead(ResourceHandlers):
		return "the handlers could not be read"
	case handler == "":
		return "no handler named, and none has claimed it"
	default:
		return "no handler " + handler + " in its namespace"
	}
}
