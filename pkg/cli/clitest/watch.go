package clitest

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"gati.dev/gati/pkg/status"
)

// watch streams events until the client or the server goes.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, resource string) {
	events := make(chan metav1.WatchEvent, 100)
	s.mu.Lock()
	s.watchers[resource] = append(s.watchers[resource], events)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	stream := http.NewResponseController(w)
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

// Watched tells whether somebody watches the resource.
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
