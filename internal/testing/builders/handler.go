package builders

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
)

// Handler builds a GatiHandler.
type Handler struct{ obj *v1.GatiHandler }

// MakeHandler starts a handler that serves / and has nothing else set.
func MakeHandler(name string) *Handler {
	return &Handler{&v1.GatiHandler{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "GatiHandler"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: DefaultNamespace},
		Spec:       v1.GatiHandlerSpec{Path: "/"},
	}}
}

// Obj returns the handler. Later calls change a copy of it.
func (b *Handler) Obj() *v1.GatiHandler { return b.obj.DeepCopy() }

// Namespace sets the namespace.
func (b *Handler) Namespace(ns string) *Handler { b.obj.Namespace = ns; return b }

// UID sets the uid, as the API server would.
func (b *Handler) UID(uid string) *Handler { b.obj.UID = types.UID(uid); return b }

// Generation sets the generation, as the API server would.
func (b *Handler) Generation(n int64) *Handler { b.obj.Generation = n; return b }

// Label sets a label.
func (b *Handler) Label(key, value string) *Handler {
	metav1.SetMetaDataLabel(&b.obj.ObjectMeta, key, value)
	return b
}

// Annotation sets an annotation.
func (b *Handler) Annotation(key, value string) *Handler {
	metav1.SetMetaDataAnnotation(&b.obj.ObjectMeta, key, value)
	return b
}

// Path sets spec.path.
func (b *Handler) Path(path string) *Handler { b.obj.Spec.Path = path; return b }

// Methods sets spec.methods.
func (b *Handler) Methods(methods ...v1.HTTPMethod) *Handler { b.obj.Spec.Methods = methods; return b }

// Version sets spec.version.
func (b *Handler) Version(v string) *Handler { b.obj.Spec.Version = v1.VersionID(v); return b }

// Image sets spec.image.
func (b *Handler) Image(image string) *Handler { b.obj.Spec.Image = image; return b }

// Port sets spec.port.
func (b *Handler) Port(port int32) *Handler { b.obj.Spec.Port = &port; return b }

// Replicas sets spec.replicas.
func (b *Handler) Replicas(n int32) *Handler { b.obj.Spec.Replicas = &n; return b }

// Resources sets spec.resources.
func (b *Handler) Resources(r v1.Resources) *Handler { b.obj.Spec.Resources = &r; return b }

// Env appends a plain environment variable.
func (b *Handler) Env(name, value string) *Handler {
	b.obj.Spec.Env = append(b.obj.Spec.Env, corev1.EnvVar{Name: name, Value: value})
	return b
}

// Autoscale enables autoscaling between two bounds.
func (b *Handler) Autoscale(least, most int32) *Handler {
	a := set(&b.obj.Spec.Autoscaling)
	a.Enabled, a.MinReplicas, a.MaxReplicas = ptr(true), &least, &most
	return b
}

// Strategy sets spec.rollout.strategy.
func (b *Handler) Strategy(s v1.Strategy) *Handler { set(&b.obj.Spec.Rollout).Strategy = s; return b }

// Step appends a step to spec.rollout.steps.
func (b *Handler) Step(weight int32, pause v1.Duration) *Handler {
	r := set(&b.obj.Spec.Rollout)
	r.Steps = append(r.Steps, v1.RolloutStep{Weight: weight, Pause: pause})
	return b
}

// Gateway adds a Gateway of the handler's namespace to spec.route.
func (b *Handler) Gateway(name string) *Handler {
	r := set(&b.obj.Spec.Route)
	r.ParentRefs = append(r.ParentRefs, gatewayv1.ParentReference{Name: gatewayv1.ObjectName(name)})
	return b
}

// GatewayIn adds a Gateway of any namespace to spec.route.
func (b *Handler) GatewayIn(namespace, name string) *Handler {
	r, ns := set(&b.obj.Spec.Route), gatewayv1.Namespace(namespace)
	r.ParentRefs = append(r.ParentRefs, gatewayv1.ParentReference{Namespace: &ns, Name: gatewayv1.ObjectName(name)})
	return b
}

// Hostname adds a host name to spec.route.
func (b *Handler) Hostname(host string) *Handler {
	r := set(&b.obj.Spec.Route)
	r.Hostnames = append(r.Hostnames, gatewayv1.Hostname(host))
	return b
}

// PathMatch sets spec.route.pathMatch.
func (b *Handler) PathMatch(m v1.PathMatch) *Handler { set(&b.obj.Spec.Route).PathMatch = m; return b }

// Modules sets spec.modules.
func (b *Handler) Modules(names ...v1.ObjectName) *Handler { b.obj.Spec.Modules = names; return b }

// Pod sets spec.pod.
func (b *Handler) Pod(p v1.PodSettings) *Handler { b.obj.Spec.Pod = &p; return b }

// Default sets the static defaults, as the API server would.
func (b *Handler) Default() *Handler { b.obj.Spec.SetDefaults(); return b }

// Spec lets a test change what no method does.
func (b *Handler) Spec(change func(*v1.GatiHandlerSpec)) *Handler { change(&b.obj.Spec); return b }

// Status lets a test set what the controller would.
func (b *Handler) Status(change func(*v1.GatiHandlerStatus)) *Handler {
	change(&b.obj.Status)
	return b
}
