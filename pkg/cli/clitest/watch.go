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

func kindOf(resource string) (kind, version string) {
	switch resource {
	case status.ResourceHandlers:
		return "GatiHandler", "gati.dev/v1"
	case status.ResourceModules:
		return "GatiModule", "gati.dev/v1"
	case status.ResourceVersions:
		return "GatiVersion", "gati.dev/v1"
	case status.ResourceDeployments:
		return "Deployment", "apps/v1"
	case status.ResourceAutoscalers:
		return "HorizontalPodAutoscaler", "autoscaling/v2"
	default:
		return "Pod", "v1"
	}
}

func gvk(version, kind string) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(version, kind)
}
