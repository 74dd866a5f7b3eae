package builders

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "gati.dev/gati/api/v1"
)

// Version builds a GatiVersion.
type Version struct{ obj *v1.GatiVersion }

// MakeVersion starts a record that has nothing set.
func MakeVersion(name string) *Version {
	return &Version{&v1.GatiVersion{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "GatiVersion"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: DefaultNamespace},
	}}
}

// Obj returns the record. Later calls change a copy of it.
func (b *Version) Obj() *v1.GatiVersion { return b.obj.DeepCopy() }

// Namespace sets the namespace.
func (b *Version) Namespace(ns string) *Version { b.obj.Namespace = ns; return b }

// UID sets the uid, as the API server would.
func (b *Version) UID(uid string) *Version { b.obj.UID = types.UID(uid); return b }

// Created sets when the record was created, as the API server would.
func (b *Version) Created(at time.Time) *Version {
	b.obj.CreationTimestamp = metav1.NewTime(at)
	return b
}

// Label sets a label.
func (b *Version) Label(key, value string) *Version {
	metav1.SetMetaDataLabel(&b.obj.ObjectMeta, key, value)
	return b
}

// Handler sets spec.handler.
func (b *Version) Handler(name string) *Version { b.obj.Spec.Handler = v1.ObjectName(name); return b }

// Version sets spec.version.
func (b *Version) Version(v string) *Version { b.obj.Spec.Version = v1.VersionID(v); return b }

// Timestamp sets spec.timestamp.
func (b *Version) Timestamp(at time.Time) *Version {
	b.obj.Spec.Timestamp = ptr(metav1.NewTime(at))
	return b
}

// Active sets spec.active.
func (b *Version) Active(is bool) *Version { b.obj.Spec.Active = &is; return b }

// Traffic sets spec.traffic.
func (b *Version) Traffic(share int32) *Version { b.obj.Spec.Traffic = &share; return b }

// Breaking sets spec.breaking.
func (b *Version) Breaking(is bool) *Version { b.obj.Spec.Breaking = &is; return b }

// Tags sets spec.tags.
func (b *Version) Tags(tags ...v1.Tag) *Version { b.obj.Spec.Tags = tags; return b }

// Keep sets spec.keep.
func (b *Version) Keep(is bool) *Version { b.obj.Spec.Keep = &is; return b }

// Named appends a transformer that is a name.
func (b *Version) Named(name string) *Version {
	b.obj.Spec.Transformers = append(b.obj.Spec.Transformers, v1.Transformer{Name: name})
	return b
}

// Pair appends a transformer that serves the callers of one version on another.
func (b *Version) Pair(from, to string) *Version {
	b.obj.Spec.Transformers = append(b.obj.Spec.Transformers, v1.Transformer{From: v1.VersionID(from), To: v1.VersionID(to)})
	return b
}

// Bound sets the binding, as the controller would.
func (b *Version) Bound(handler, version string) *Version {
	b.Label(v1.LabelHandler, handler)
	b.obj.Status.Handler, b.obj.Status.Version = handler, version
	return b
}

// Spec lets a test change what no method does.
func (b *Version) Spec(change func(*v1.GatiVersionSpec)) *Version { change(&b.obj.Spec); return b }

// Status lets a test set what the controller would.
func (b *Version) Status(change func(*v1.GatiVersionStatus)) *Version {
	change(&b.obj.Status)
	return b
}
