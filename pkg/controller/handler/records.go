package handler

import (
	"context"
	"errors"
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

// keepRecords keeps exactly one record that counts for each version: a user's where
// there is one, else an automatic one.
func (r *Reconciler) keepRecords(ctx context.Context, s *story) error {
	var errs []error
	names := map[string]string{}
	for i := range s.Decision.Versions {
		v := &s.Decision.Versions[i]
		if _, kept := names[v.Version]; !kept {
			name, err := r.keepRecord(ctx, s, v.Version, s.Elections[v.Version])
			names[v.Version] = name
			errs = append(errs, s.noteFailure(recordKind, naming.RecordName(s.Handler.Name, v.Version), err))
		}
		v.Record = names[v.Version]
	}
	for version, e := range s.Elections {
		if _, kept := names[version]; !kept && version != s.Running.Version {
			errs = append(errs, r.dropRecord(ctx, s, e.Winner))
		}
	}
	return errors.Join(errs...)
}

// dropRecord deletes the automatic record of a version that the status has forgotten. One
// that others have put something into stays.
func (r *Reconciler) dropRecord(ctx context.Context, s *story, record *v1.GatiVersion) error {
	if record == nil || !records.IsAutomatic(record) || records.TakenOver(record) || len(records.Carried(record)) > 0 || !metav1.IsControlledBy(record, s.Handler) {
		return nil
	}
	uid, seen := record.UID, record.ResourceVersion
	if err := s.writer.Delete(ctx, record, client.Preconditions{UID: &uid, ResourceVersion: &seen}); client.IgnoreNotFound(err) != nil {
		return s.noteFailure(recordKind, record.Name, fmt.Errorf("delete automatic record %s: %w", record.Name, err))
	}
	return nil
}

// keepRecord returns the name of the record of one version.
func (r *Reconciler) keepRecord(ctx context.Context, s *story, version string, e records.Election) (string, error) {
	for _, auto := range e.Yielding {
		uid := auto.UID
		if err := s.writer.Delete(ctx, auto, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
			return "", fmt.Errorf("delete automatic record %s: %w", auto.Name, err)
		}
	}
	if e.Winner != nil {
		r.memory.noteRecordSeen(s.Handler, version)
		return e.Winner.Name, nil
	}
	name, left := r.memory.unseenRecord(s.Handler, version, r.Clock.Now())
	if left > 0 {
		s.unseen = left // It may have been deleted already.
		return name, nil
	}
	record := automatic(s.Handler, version)
	err := s.writer.Create(ctx, record, client.FieldOwner(v1.FieldManager))
	if apierrors.IsAlreadyExists(err) && r.isOfAnother(ctx, record) {
		record.Name = naming.AlternativeRecordName(s.Handler.Name, version)
		err = s.writer.Create(ctx, record, client.FieldOwner(v1.FieldManager))
	}
	if apierrors.IsAlreadyExists(err) {
		// A user's record of that name, not bound yet, or one that the cache does
		// not show yet. Either way its event brings us back. What the status says of
		// the latter stays: taken away and put back, it would be two writes more.
		return s.knownRecord(version, record.Name), nil
	}
	if err != nil {
		return "", fmt.Errorf("write record %s: %w", record.Name, err)
	}
	r.memory.noteRecord(s.Handler, version, record.Name, r.Clock.Now())
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

// automatic returns the record that the controller writes itself. It carries the
// author's claims, and its spec binds it from the start.
func automatic(h *v1.GatiHandler, version string) *v1.GatiVersion {
	yes := true
	record := &v1.GatiVersion{
		ObjectMeta: metav1.ObjectMeta{
			Name: naming.RecordName(h.Name, version), Namespace: h.Namespace,
			Labels: map[string]string{
				v1.LabelManagedBy: v1.ManagedBy, v1.LabelAutomatic: "true",
				v1.LabelHandler: h.Name, v1.LabelVersion: naming.Slug(version, 1),
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: v1.GroupVersion.String(), Kind: "GatiHandler", Name: h.Name, UID: h.UID,
				Controller: &yes, BlockOwnerDeletion: &yes,
			}},
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
	for _, v := range s.versionsBefore {
		if v.Version == version && v.Record == name {
			return name
		}
	}
	return ""
}
