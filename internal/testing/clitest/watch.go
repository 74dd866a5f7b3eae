package clitest

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/status"
)

// watchObjects streams events until the client or the server goes. One that begins at no
// version begins with all that there is.
func (s *Server) watchObjects(w http.ResponseWriter, r *http.Request, namespace, resource string) {
	events := make(chan metav1.WatchEvent, 100)
	s.mu.Lock()
	s.watchers[resource] = append(s.watchers[resource], events)
	s.mu.Unlock()
	var there []client.Object
	if q := r.URL.Query(); q.Get("resourceVersion") == "" {
		own, err := labels.Parse(q.Get("labelSelector"))
		if err != nil {
			writeStatusError(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error(), "")
			return
		}
		there = s.selectObjects(namespace, resource, own, fields.Everything())
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	stream := http.NewResponseController(w)
	for _, o := range there {
		_ = json.NewEncoder(w).Encode(metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Object: o}})
	}
	_ = stream.Flush()
	kind, version := kindOf(resource)
	for {
		select {
		case <-s.closing:
			return
		case <-r.Context().Done():
			return
		case e := <-events:
			e.Object.Object = e.Object.Object.DeepCopyObject()
			e.Object.Object.GetObjectKind().SetGroupVersionKind(gvk(version, kind))
			_ = json.NewEncoder(w).Encode(e)
			_ = stream.Flush()
		}
	}
}

// Watched reports whether a watch of the resource is open.
func (s *Server) Watched(resource string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watchers[resource]) > 0
}

// kinds are those that the server knows, by resource.
var kinds = map[string][2]string{
	status.ResourceHandlers:    {"GatiHandler", "gati.dev/v1"},
	status.ResourceModules:     {"GatiModule", "gati.dev/v1"},
	status.ResourceVersions:    {"GatiVersion", "gati.dev/v1"},
	status.ResourceDeployments: {"Deployment", "apps/v1"},
	status.ResourceAutoscalers: {"HorizontalPodAutoscaler", "autoscaling/v2"},
	status.ResourcePods:        {"Pod", "v1"},
	status.ResourceEvents:      {"Event", "v1"},
	"services":                 {"Service", "v1"},
	"configmaps":               {"ConfigMap", "v1"},
	"namespaces":               {"Namespace", "v1"},
	"controllerrevisions":      {"ControllerRevision", "apps/v1"},
	"poddisruptionbudgets":     {"PodDisruptionBudget", "policy/v1"},
	"networkpolicies":          {"NetworkPolicy", "networking.k8s.io/v1"},
	"endpointslices":           {"EndpointSlice", "discovery.k8s.io/v1"},
	"httproutes":               {"HTTPRoute", "gateway.networking.k8s.io/v1"},
}

func kindOf(resource string) (kind, version string) {
	return kinds[resource][0], kinds[resource][1]
}

func gvk(version, kind string) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(version, kind)
}
