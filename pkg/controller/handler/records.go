package handler

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/records"
)

// recordKind is that of a record among the children.
const recordKind = "GatiVersion.gati.dev"

// recordChanges returns the records that are to come and go, so that exactly one counts for
// each version: a user's where there is one, else an automatic one. One of a version that the
// status has forgotten goes, unless others have put something into it.
func (s *story) recordChanges() (out changes[*v1.GatiVersion]) {
	kept := map[string]bool{s.Running.Version: true}
	seen := map[string]bool{}
	for _, v := range s.Decision.Versions {
		e := s.Elections[v.Version]
		if kept[v.Version] = true; seen[v.Version] {
			continue
		}
		seen[v.Version] = true
		out.remove = append(out.remove, e.Yielding...)
		if e.Winner == nil {
			out.create = append(out.create, newAutomaticRecord(s.Handler, v.Version))
		}
	}
	for version, e := range s.Elections {
		if record := e.Winner; !kept[version] && record != nil && s.isForgettable(record) {
			out.remove = append(out.remove, record)
		}
	}
	return out
}

func (s *story) isForgettable(record *v1.GatiVersion) bool {
	return records.IsAutomatic(record) && !records.TakenOver(record) && len(records.Carried(record)) == 0 && metav1.IsControlledBy(record, s.Handler)
}

// keepRecords makes changes of records, and returns the name of each version's.
func (a *application) keepRecords(ctx context.Context, of changes[*v1.GatiVersion]) map[string]string {
	names := map[string]string{}
	for version, e := range a.s.Elections {
		if e.Winner != nil {
			names[version] = e.Winner.Name
		}
	}
	for _, record := range of.remove {
		uid, seen := record.UID, record.ResourceVersion
		err := a.writer.Delete(ctx, record, client.Preconditions{UID: &uid, ResourceVersion: &seen})
		if client.IgnoreNotFound(err) != nil {
			a.noteResult(recordKind, record.Name, fmt.Errorf("delete automatic record %s: %w", record.Name, err))
		}
	}
	for _, record := range of.create {
		name, err := a.createRecord(ctx, record)
		names[string(record.Spec.Version)] = name
		a.noteResult(recordKind, record.Name, err)
	}
	return names
}

// createRecord returns the name of the record that was created.
func (a *application) createRecord(ctx context.Context, record *v1.GatiVersion) (string, error) {
	version := string(record.Spec.Version)
	err := a.writer.Create(ctx, record, client.FieldOwner(v1.FieldManager))
	if apierrors.IsAlreadyExists(err) && a.isOfAnother(ctx, record) {
		record.Name = naming.AlternativeRecordName(a.s.Handler.Name, version)
		err = a.writer.Create(ctx, record, client.FieldOwner(v1.FieldManager))
	}
	if apierrors.IsAlreadyExists(err) {
		// A user's record of that name, not bound yet, or one that the cache does
		// not show yet. Either way its event brings us back. What the status says of
		// the latter stays: taken away and put back, it would be two writes more.
		return a.s.knownRecord(version, record.Name), nil
	}
	if err != nil {
		return "", fmt.Errorf("write record %s: %w", record.Name, err)
	}
	return record.Name, nil
}

// isOfAnother reports whether the name of a record is that of another handler's.
func (r *Reconciler) isOfAnother(ctx context.Context, record *v1.GatiVersion) bool {
	var taken v1.GatiVersion
	if err := r.Client.Get(ctx, client.ObjectKeyFromObject(record), &taken); err != nil {
		return false
	}
	b, ok := records.Bound(&taken)
	return ok && b.Handler != string(record.Spec.Handler)
}

// newAutomaticRecord returns the record that the controller writes itself. It carries the
// author's claims, and its spec binds it from the start.
func newAutomaticRecord(h *v1.GatiHandler, version string) *v1.GatiVersion {
	record := &v1.GatiVersion{
		ObjectMeta: metav1.ObjectMeta{
			Name: naming.RecordName(h.Name, version), Namespace: h.Namespace,
			Labels: map[string]string{
				v1.LabelManagedBy: v1.ManagedBy, v1.LabelAutomatic: "true",
				v1.LabelHandler: h.Name, v1.LabelVersion: naming.Slug(version, 1),
			},
			OwnerReferences: []metav1.OwnerReference{records.OwnerOf(h)},
		},
		Spec: v1.GatiVersionSpec{Handler: v1.ObjectName(h.Name), Version: v1.VersionID(version)},
	}
	if claims := h.Spec.Timescape; claims != nil {
		record.Spec.Breaking, record.Spec.Traffic = claims.Breaking, claims.RoutingWeight
	}
	return record
}

// knownRecord returns a name if the status has it as that of the record of a version.
func (s *story) knownRecord(version, name string) string {
	for _, v := range s.stored.Versions {
		if v.Version == version && v.Record == name {
			return name
		}
	}
	return ""
}
