package install

import (
	"fmt"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// crdWatch looks at every state that our CRDs go through.
type crdWatch struct {
	mu     sync.Mutex
	states int
	faults []string
}

func watchCRDs(t *testing.T) *crdWatch {
	t.Helper()
	client, err := dynamic.NewForConfig(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	w := &crdWatch{}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informer := factory.ForResource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")).Informer()
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    w.inspectCRD,
		UpdateFunc: func(_, is any) { w.inspectCRD(is) },
		DeleteFunc: func(obj any) { w.recordFault(fmt.Sprintf("%v was deleted", obj)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return w
}

func (w *crdWatch) inspectCRD(obj any) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.(*unstructured.Unstructured).Object, &crd); err != nil {
		w.recordFault(err.Error())
		return
	}
	if crd.Spec.Group != "gati.dev" {
		return
	}
	good := map[apiextensionsv1.CustomResourceDefinitionConditionType]bool{}
	for _, c := range crd.Status.Conditions {
		good[c.Type] = c.Status == apiextensionsv1.ConditionTrue
	}
	if !good[apiextensionsv1.Established] || !good[apiextensionsv1.NamesAccepted] || good[apiextensionsv1.NonStructuralSchema] {
		w.recordFault(fmt.Sprintf("%s of generation %d is %v", crd.Name, crd.Generation, good))
	}
	w.mu.Lock()
	w.states++
	w.mu.Unlock()
}

func (w *crdWatch) recordFault(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, text)
}

// assertEstablished fails the test if a CRD was ever anything else.
func (w *crdWatch) assertEstablished(t *testing.T, when string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.states < 3 {
		t.Errorf("%s: only %d states of CRDs were seen", when, w.states)
	}
	for _, fault := range w.faults {
		t.Errorf("%s: %s", when, fault)
	}
	w.faults = nil
}
