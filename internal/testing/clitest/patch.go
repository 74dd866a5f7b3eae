package clitest

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"

	jsonpatch "github.com/evanphx/json-patch/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Patch is a merge patch that the server has taken.
type Patch struct {
	Resource, Name, Manager, Body string
	DryRun                        bool
}

// Patches returns the patches so far.
func (s *Server) Patches() []Patch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Patch(nil), s.patches...)
}

// patchObject applies a merge patch, and stores what comes of it unless it is a dry run.
func (s *Server) patchObject(w http.ResponseWriter, r *http.Request, namespace, resource, name string) {
	found := s.selectObjects(namespace, resource, labels.Everything(), fields.OneTermEqualSelector("metadata.name", name))
	if len(found) == 0 {
		writeStatusError(w, http.StatusNotFound, metav1.StatusReasonNotFound, resource+`.gati.dev "`+name+`" not found`, name)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		writeStatusError(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error(), name)
		return
	}
	for _, wish := range rightsForPatch(resource, body) {
		if !s.useRight(wish) {
			writeStatusError(w, http.StatusForbidden, metav1.StatusReasonForbidden, resource+`.gati.dev "`+name+`" is forbidden: this needs the right to `+wish, name)
			return
		}
	}
	q := r.URL.Query()
	s.mu.Lock()
	s.patches = append(s.patches, Patch{resource, name, q.Get("fieldManager"), string(body), q.Get("dryRun") != ""})
	s.mu.Unlock()
	changed, err := applyMergePatch(found[0], body)
	if err != nil {
		writeStatusError(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error(), name)
		return
	}
	if s.Patched != nil {
		if err := s.Patched(changed); err != nil {
			writeStatusError(w, http.StatusForbidden, metav1.StatusReasonForbidden, resource+`.gati.dev "`+name+`" is forbidden: `+err.Error(), name)
			return
		}
	}
	if q.Get("dryRun") == "" {
		s.Send(resource, "MODIFIED", changed)
	}
	writeJSON(w, http.StatusOK, changed)
}

// dryRunCreate judges a new object and says what would be stored. It stores nothing: the
// commands create objects in dry runs alone.
func (s *Server) dryRunCreate(w http.ResponseWriter, r *http.Request, namespace string) {
	u := &unstructured.Unstructured{}
	if err := json.NewDecoder(r.Body).Decode(&u.Object); err != nil || r.URL.Query().Get("dryRun") == "" {
		writeStatusError(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "no dry run", u.GetName())
		return
	}
	u.SetNamespace(namespace)
	u.SetUID("of-the-dry-run")
	if s.Patched != nil {
		if err := s.Patched(u); err != nil {
			writeStatusError(w, http.StatusForbidden, metav1.StatusReasonForbidden, u.GetName()+" is forbidden: "+err.Error(), u.GetName())
			return
		}
	}
	writeJSON(w, http.StatusCreated, u.Object)
}

// applyMergePatch returns a copy of an object with a merge patch applied.
func applyMergePatch(o client.Object, patch []byte) (client.Object, error) {
	before, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	after, err := jsonpatch.MergePatch(before, patch)
	if err != nil {
		return nil, err
	}
	out := reflect.New(reflect.TypeOf(o).Elem()).Interface().(client.Object)
	return out, json.Unmarshal(after, out)
}
