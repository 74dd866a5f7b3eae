package clitest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/status"
)

// User is who everybody is to the server.
const User = "jane"

// Server is an API server that serves the objects of a scenario.
type Server struct {
	*httptest.Server
	// Forbidden are resources that may not be read, NotServed those that the
	// server does not know, Dead those on which it never answers.
	Forbidden, NotServed, Dead []string
	// Denied are missing rights, as Used names them.
	Denied []string
	// Last is a resource that is answered only after so many other requests were.
	Last      string
	LastAfter int
	// Logs are what pods have written, by their names, or by pod/container.
	Logs map[string]string
	// Patched is called with each object that a patch has changed, before it is
	// stored: it is the admission and the controllers that this server lacks. What
	// it returns is refused.
	Patched func(client.Object) error

	mu       sync.Mutex
	objects  map[string][]client.Object
	watchers map[string][]chan metav1.WatchEvent
	requests []string
	used     []string
	answered int
	patches  []Patch
	closing  chan struct{}
	once     sync.Once
}

// NewServer starts a server; it ends with the test.
func NewServer(t testing.TB, objs status.Objects) *Server {
	s := &Server{
		objects:  map[string][]client.Object{},
		watchers: map[string][]chan metav1.WatchEvent{},
		closing:  make(chan struct{}),
	}
	storeObjects(s, status.ResourceHandlers, objs.Handlers)
	storeObjects(s, status.ResourceModules, objs.Modules)
	storeObjects(s, status.ResourceVersions, objs.Versions)
	storeObjects(s, status.ResourceDeployments, objs.Deployments)
	storeObjects(s, status.ResourcePods, objs.Pods)
	storeObjects(s, status.ResourceAutoscalers, objs.Autoscalers)
	storeObjects(s, status.ResourceEvents, objs.Events)
	for _, u := range objs.Unread {
		s.Forbidden = append(s.Forbidden, u.Resource)
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Die)
	return s
}

// Set changes how the server answers. A client in a process of its own is no
// sign to the race detector that what was written before it began is there.
func (s *Server) Set(change func(*Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// Die ends the server and all connections to it.
func (s *Server) Die() {
	s.once.Do(func() {
		close(s.closing)
		s.CloseClientConnections()
		s.Close()
	})
}

// object is a pointer to an object type T.
type object[T any] interface {
	*T
	client.Object
}

func storeObjects[T any, P object[T]](s *Server, resource string, list []T) {
	for i := range list {
		s.objects[resource] = append(s.objects[resource], P(&list[i]))
	}
}

// Requests returns the requests so far, each as path and query.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Send sends an event to everyone who watches the resource, and changes what
// the server holds.
func (s *Server) Send(resource, kind string, o client.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.objects[resource][:0:0]
	for _, old := range s.objects[resource] {
		if old.GetName() != o.GetName() || old.GetNamespace() != o.GetNamespace() {
			kept = append(kept, old)
		}
	}
	if kind != "DELETED" {
		kept = append(kept, o)
	}
	s.objects[resource] = kept
	for _, w := range s.watchers[resource] {
		w <- metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Object: o}}
	}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.URL.Path+"?"+r.URL.RawQuery)
	s.mu.Unlock()
	namespace, resource, name := parsePath(r.URL.Path)
	if resource == s.Last {
		s.awaitOtherAnswers(r)
	}
	defer s.countAnswer()
	q := r.URL.Query()
	right := rightOf(r)
	switch allowed := s.useRight(right); {
	case !allowed:
		writeStatusError(w, http.StatusForbidden, metav1.StatusReasonForbidden, `User "`+User+`" cannot `+right, name)
	case contains(s.Dead, resource):
		select {
		case <-s.closing:
		case <-r.Context().Done():
		}
	case contains(s.NotServed, resource):
		http.NotFound(w, r)
	case contains(s.Forbidden, resource):
		writeStatusError(w, http.StatusForbidden, metav1.StatusReasonForbidden, resource+` is forbidden: User "dev" cannot list resource "`+resource+`"`, name)
	case r.Method == http.MethodPost:
		s.handlePost(w, r, namespace, resource)
	case resource == "/version", resource == "/apis":
		writeJSON(w, http.StatusOK, map[string]any{"gitVersion": "v1.37.1", "major": "1", "minor": "37"})
	case r.Method == http.MethodPatch:
		s.patchObject(w, r, namespace, resource, name)
	case r.Method == http.MethodDelete:
		s.deleteObject(w, namespace, resource, name)
	case strings.HasSuffix(r.URL.Path, "/log"):
		s.getLog(w, name, q.Get("container"))
	case name != "":
		s.getObject(w, namespace, resource, name)
	case q.Get("watch") != "":
		s.watchObjects(w, r, namespace, resource)
	default:
		s.listObjects(w, namespace, resource, q.Get("labelSelector"), q.Get("fieldSelector"))
	}
}

// getLog answers with the log of one container, or with the pod's where the test gave one for all.
func (s *Server) getLog(w http.ResponseWriter, pod, container string) {
	text, known := s.Logs[pod+"/"+container]
	if !known {
		text = s.Logs[pod]
	}
	_, _ = io.WriteString(w, text) // the client sees a body that is cut off
}

// handlePost answers what is created to learn something, and what else may be created.
func (s *Server) handlePost(w http.ResponseWriter, r *http.Request, namespace, resource string) {
	switch resource {
	case "selfsubjectreviews":
		writeJSON(w, http.StatusCreated, map[string]any{
			"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1",
			"status": map[string]any{"userInfo": map[string]any{"username": User}},
		})
	case "selfsubjectaccessreviews":
		writeJSON(w, http.StatusCreated, map[string]any{"status": map[string]any{"allowed": true}})
	default:
		s.dryRunCreate(w, r, namespace)
	}
}

// awaitOtherAnswers waits until so many other requests were answered, or the request ends.
func (s *Server) awaitOtherAnswers(r *http.Request) {
	for r.Context().Err() == nil {
		s.mu.Lock()
		enough := s.answered >= s.LastAfter
		s.mu.Unlock()
		if enough {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *Server) countAnswer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answered++
}

// parsePath takes a path apart: /api/v1 or /apis/GROUP/VERSION, then maybe
// namespaces/NAMESPACE, then RESOURCE and maybe NAME.
func parsePath(path string) (namespace, resource, name string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 3 {
		return "", path, ""
	}
	parts = parts[2:]
	if path[:5] == "/apis" {
		parts = parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 1 {
		name = parts[1]
	}
	return namespace, parts[0], name
}

func contains(list []string, one string) bool {
	for _, l := range list {
		if l == one {
			return true
		}
	}
	return false
}

func (s *Server) getObject(w http.ResponseWriter, namespace, resource, name string) {
	for _, o := range s.selectObjects(namespace, resource, labels.Everything(), fields.OneTermEqualSelector("metadata.name", name)) {
		writeJSON(w, http.StatusOK, o)
		return
	}
	writeStatusError(w, http.StatusNotFound, metav1.StatusReasonNotFound, resource+`.gati.dev "`+name+`" not found`, name)
}

// deleteObject deletes an object for good.
func (s *Server) deleteObject(w http.ResponseWriter, namespace, resource, name string) {
	for _, o := range s.selectObjects(namespace, resource, labels.Everything(), fields.OneTermEqualSelector("metadata.name", name)) {
		s.Send(resource, "DELETED", o)
		writeJSON(w, http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
		return
	}
	writeStatusError(w, http.StatusNotFound, metav1.StatusReasonNotFound, resource+`.gati.dev "`+name+`" not found`, name)
}

func (s *Server) listObjects(w http.ResponseWriter, namespace, resource, labelSelector, fieldSelector string) {
	byLabel, err := labels.Parse(labelSelector)
	if err != nil {
		writeStatusError(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error(), "")
		return
	}
	byField, err := fields.ParseSelector(fieldSelector)
	if err != nil {
		writeStatusError(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error(), "")
		return
	}
	kind, version := kindOf(resource)
	writeJSON(w, http.StatusOK, map[string]any{
		"kind": kind + "List", "apiVersion": version,
		"metadata": map[string]any{"resourceVersion": "1"},
		"items":    s.selectObjects(namespace, resource, byLabel, byField),
	})
}

// fieldsOf returns the fields that lists are selected by.
func fieldsOf(o client.Object) fields.Set {
	out := fields.Set{"metadata.name": o.GetName()}
	if e, ok := o.(*corev1.Event); ok {
		out["reason"], out["involvedObject.kind"] = e.Reason, e.InvolvedObject.Kind
	}
	return out
}

func (s *Server) selectObjects(namespace, resource string, byLabel labels.Selector, byField fields.Selector) []client.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []client.Object{}
	kind, version := kindOf(resource)
	for _, o := range s.objects[resource] {
		if namespace != "" && o.GetNamespace() != namespace {
			continue
		}
		if byLabel.Matches(labels.Set(o.GetLabels())) && byField.Matches(fieldsOf(o)) {
			o = o.DeepCopyObject().(client.Object)
			o.GetObjectKind().SetGroupVersionKind(gvk(version, kind))
			out = append(out, o)
		}
	}
	return out
}

func writeJSON(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client sees a body that is cut off
}

func writeStatusError(w http.ResponseWriter, code int, reason metav1.StatusReason, message, name string) {
	writeJSON(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
		Details: &metav1.StatusDetails{Name: name},
	})
}
