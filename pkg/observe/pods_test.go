package observe_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/observe"
)

// TestForeignPodsDoNotCount holds that a pod which a user made with the labels of a handler
// or module, however often it restarted, is none of its pods.
func TestForeignPodsDoNotCount(t *testing.T) {
	pod := func(name, label, owner string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{label: owner, v1.LabelWorkload: "v2", v1.LabelManagedBy: v1.ManagedBy}},
			Status:     corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "handler", RestartCount: 9}}},
		}
	}
	reader := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(
		pod("forged", v1.LabelHandler, "users"), builders.MakePodOf("handler-other", pod("borrowed", v1.LabelHandler, "users")),
		builders.MakePodOf("handler-users--v2", pod("real", v1.LabelHandler, "users")),
		pod("forged-module", v1.LabelModule, "db"), builders.MakePodOf("module-db", pod("real-module", v1.LabelModule, "db")),
	).Build()
	workloads, err := observe.Workloads(t.Context(), reader, &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "users"}})
	if err != nil || len(workloads) != 1 || len(workloads["v2"].Pods) != 1 || workloads["v2"].Pods[0].Name != "real" {
		t.Errorf("pods of the handler: %+v, %v", workloads["v2"], err)
	}
	pods, err := observe.ModulePods(t.Context(), reader, &v1.GatiModule{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db"}})
	if err != nil || len(pods) != 1 || pods[0].Name != "real-module" {
		t.Errorf("pods of the module: %+v, %v", pods, err)
	}
}
