package expand

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// Revision is the pod template resolved when the user's inputs were first admitted,
// with its ConfigMap. It never changes.
type Revision struct {
	// Name is the name of the ControllerRevision.
	Name string `json:"-"`
	// Inputs is the hash of the user's inputs.
	Inputs string `json:"inputs"`
	// Version is the version that the inputs declare; empty for a module.
	Version string `json:"version,omitempty"`
	// Sequence is the position of the version in the order of first admission.
	Sequence int64 `json:"sequence,omitempty"`
	// Number counts the templates of one version, from 1.
	Number int64 `json:"number"`
	// Image is the image that the template runs.
	Image string `json:"image"`
	// Derived lists, for messages, the fields that the user left open.
	Derived []string `json:"derived,omitempty"`
	// ConfigName and Config are the immutable ConfigMap that the template reads.
	ConfigName string            `json:"configName"`
	Config     map[string]string `json:"config"`
	// Template is the pod template without the label of its workload.
	Template corev1.PodTemplateSpec `json:"template"`
	// Schema is the contract of the version. It is not part of the frozen data,
	// because it may be set later.
	Schema *v1.VersionSchema `json:"-"`
}

// toObject returns the ControllerRevision that stores the revision.
func (r Revision) toObject(o owner) (*appsv1.ControllerRevision, error) {
	data, err := r.encodeData()
	if err != nil {
		return nil, fmt.Errorf("encode revision %s: %w", r.Name, err)
	}
	meta := o.objectMeta(r.Name, map[string]string{v1.LabelInputs: r.Inputs})
	if r.Schema != nil {
		text, err := EncodeSchema(r.Schema)
		if err != nil {
			return nil, err
		}
		meta.Annotations = map[string]string{v1.AnnotationSchema: text}
	}
	return &appsv1.ControllerRevision{
		ObjectMeta: meta,
		Data:       runtime.RawExtension{Raw: data},
		Revision:   max(r.Sequence*1000+r.Number, 1),
	}, nil
}

// encodeData returns the frozen data as JSON with sorted keys. Kubernetes' own controllers
// patch a ControllerRevision, the garbage collector when owners are orphaned, and the API
// server then encodes the data anew, with sorted keys. Were those other bytes than the stored
// ones, it would refuse the patch as a change of immutable data.
func (r Revision) encodeData() ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var generic map[string]any
	if err := utiljson.Unmarshal(data, &generic); err != nil {
		return nil, err
	}
	return json.Marshal(generic)
}

// EncodeSchema encodes a schema for the annotation of a ControllerRevision.
func EncodeSchema(s *v1.VersionSchema) (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("encode the schema: %w", err)
	}
	return string(text), nil
}

// FindSchemas returns the schemas stored with revisions, by version. A schema that
// cannot be decoded is left out.
func FindSchemas(revisions []Revision) map[string]*v1.VersionSchema {
	out := map[string]*v1.VersionSchema{}
	for _, r := range revisions {
		if r.Schema != nil && out[r.Version] == nil {
			out[r.Version] = r.Schema
		}
	}
	return out
}

// FindRevision returns the kept revision that the spec of an owner leads to, from which
// fresh was resolved: the one of the same inputs, else the one of the same pods in other
// words. A revision with another program or other references than the spec's is not used.
func FindRevision(revisions []Revision, fresh Revision, owner client.Object) (Revision, bool) {
	for _, r := range revisions {
		if r.Inputs == fresh.Inputs {
			return r, CheckInputs(r, fresh, owner) == nil
		}
	}
	if i := slices.IndexFunc(revisions, func(r Revision) bool { return isAlike(r, fresh) }); i >= 0 {
		return revisions[i], true
	}
	return Revision{}, false
}

// SuperfluousRevisions returns the unused revisions beyond the newest limit ones.
func SuperfluousRevisions(revisions []Revision, inUse map[string]bool, limit int) []Revision {
	idle := slices.DeleteFunc(slices.Clone(revisions), func(r Revision) bool { return inUse[r.Name] })
	slices.SortFunc(idle, func(a, b Revision) int {
		return cmp.Or(cmp.Compare(b.Sequence, a.Sequence), cmp.Compare(b.Number, a.Number))
	})
	return idle[min(limit, len(idle)):]
}

// nextNumber returns the number of a further template of a version.
func nextNumber(revisions []Revision, version string) int64 {
	var last int64
	for _, r := range revisions {
		if r.Version == version {
			last = max(last, r.Number)
		}
	}
	return last + 1
}
