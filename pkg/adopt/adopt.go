package adopt

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "gati.dev/gati/api/v1"
)

// Kind is the kind of workload that can be adopted.
const Kind = "Deployment"

// Source is what runs.
type Source struct {
	// Workload is the object to adopt.
	Workload unstructured.Unstructured
	// Others are objects of its namespace. Those that belong to the workload are found
	// among them.
	Others []unstructured.Unstructured
}

// Options are what a source does not say.
type Options struct {
	// Name is the handler's; the workload's where it is empty.
	Name string
	// Path is the handler's; that of the route, else every path, where it is empty.
	Path string
	// Port is the handler's; zero for the one that the Service or the container names.
	Port int32
	// Service is the one of several that the port and the route are taken from.
	Service string
	// Gateway is the parent of the handler's route where an Ingress names none.
	Gateway, GatewayNamespace string
}

// Adoption is a handler, and what it does not take over.
type Adoption struct {
	Handler *v1.GatiHandler
	// Services are the names of those that lead to the workload's pods.
	Services []string
	Items    []Item
}

// translation is one adoption in progress.
type translation struct {
	source  Source
	options Options
	handler *v1.GatiHandler
	pod     *v1.PodSettings
	// labels are those of the workload's pods, selectors those by which they are selected.
	labels    map[string]string
	selectors []map[string]string
	service   *service
	objects   []*object
	added     []Item
}

// Translate returns the handler that leads to the pods of a workload.
func Translate(source Source, options Options) (Adoption, error) {
	t := &translation{source: source, options: options, pod: &v1.PodSettings{}}
	t.handler = &v1.GatiHandler{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "GatiHandler"},
		ObjectMeta: metav1.ObjectMeta{Name: options.Name, Namespace: source.Workload.GetNamespace()},
	}
	if options.Name == "" {
		t.handler.Name = source.Workload.GetName()
	}
	t.handler.Spec.Path = options.Path
	t.handler.Spec.Pod = t.pod
	if kind := source.Workload.GetKind(); kind != Kind {
		return Adoption{}, fmt.Errorf("%s/%s cannot be adopted; a %s can", kind, source.Workload.GetName(), Kind)
	}
	if err := t.translateDeployment(t.open(source.Workload)); err != nil {
		return Adoption{}, fmt.Errorf("%s/%s: %w", Kind, source.Workload.GetName(), err)
	}
	t.translateAutoscaler()
	t.translateBudget()
	t.translateRoutes()
	if t.handler.Spec.Path == "" {
		t.handler.Spec.Path = "/*"
	}
	return t.finish(), nil
}

// open returns an object to translate, without what the server and kubectl keep in it.
func (t *translation) open(u unstructured.Unstructured) *object {
	o := newObject(u.GetKind(), u.GetName(), u.Object)
	o.root().dropAll("apiVersion", "kind", "status")
	meta := o.root().enter("metadata")
	meta.dropAll("name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink")
	meta.enter("annotations").dropAll("kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision")
	delete(o.opened, "metadata.annotations")
	t.objects = append(t.objects, o)
	return o
}

// addItem reports what the handler's pods have in addition.
func (t *translation) addItem(at tree, name, ours, why, do string) {
	t.added = append(t.added, Item{Object: at.object.title, Field: joinPath(at.path, name), Ours: ours, Why: why, Do: do})
}

func (t *translation) finish() Adoption {
	out := Adoption{Handler: t.handler}
	for _, o := range t.objects {
		out.Items = append(out.Items, o.leftItems()...)
	}
	out.Items = append(out.Items, t.added...)
	for _, s := range t.findServices() {
		out.Services = append(out.Services, s.name)
	}
	return out
}
