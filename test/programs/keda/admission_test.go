package keda

import (
	"context"
	"net/http"
	"testing"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// objects is a manager with objects in place of a cluster.
type objects struct {
	ctrl.Manager
	builder *fake.ClientBuilder
}

func (o *objects) GetClient() client.Client             { return o.builder.Build() }
func (o *objects) GetFieldIndexer() client.FieldIndexer { return o }

// IndexField implements client.FieldIndexer.
func (o *objects) IndexField(_ context.Context, obj client.Object, field string, keys client.IndexerFunc) error {
	o.builder.WithIndex(obj, field, keys)
	return nil
}

// prepareAdmission lets KEDA's admission see these objects: it keeps its client in a variable.
func prepareAdmission(t *testing.T, beside []client.Object) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kedav1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(appsv1.SchemeGroupVersion.WithKind("Deployment"), meta.RESTScopeNamespace)
	mapper.Add(autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"), meta.RESTScopeNamespace)
	mapper.Add(kedav1alpha1.SchemeGroupVersion.WithKind("ScaledObject"), meta.RESTScopeNamespace)
	mgr, err := ctrl.NewManager(&rest.Config{Host: "127.0.0.1:1"}, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return mapper, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	o := &objects{Manager: mgr, builder: fake.NewClientBuilder().WithScheme(scheme).WithObjects(beside...)}
	if err := (&kedav1alpha1.ScaledObject{}).SetupWebhookWithManager(o, false); err != nil {
		t.Fatal(err)
	}
}
