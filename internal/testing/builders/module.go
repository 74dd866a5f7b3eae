package builders

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "gati.dev/gati/api/v1"
)

// Module builds a GatiModule.
type Module struct{ obj *v1.GatiModule }

// MakeModule starts a module of type node that has nothing else set.
func MakeModule(name string) *Module {
	return &Module{&v1.GatiModule{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "GatiModule"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: DefaultNamespace},
		Spec:       v1.GatiModuleSpec{Type: v1.ModuleNode},
	}}
}

// Obj returns the module. Later calls change a copy of it.
func (b *Module) Obj() *v1.GatiModule { return b.obj.DeepCopy() }

// Namespace sets the namespace.
func (b *Module) Namespace(ns string) *Module { b.obj.Namespace = ns; return b }

// UID sets the uid, as the API server would.
func (b *Module) UID(uid string) *Module { b.obj.UID = types.UID(uid); return b }

// Generation sets the generation, as the API server would.
func (b *Module) Generation(n int64) *Module { b.obj.Generation = n; return b }

// Type sets spec.type.
func (b *Module) Type(t v1.ModuleType) *Module { b.obj.Spec.Type = t; return b }

// ModuleName sets spec.moduleName.
func (b *Module) ModuleName(name string) *Module { b.obj.Spec.ModuleName = name; return b }

// Runtime sets spec.runtime.
func (b *Module) Runtime(r string) *Module { b.obj.Spec.Runtime = r; return b }

// Image sets spec.image.
func (b *Module) Image(image string) *Module { b.obj.Spec.Image = image; return b }

// Port sets spec.port.
func (b *Module) Port(port int32) *Module { b.obj.Spec.Port = &port; return b }

// Replicas sets spec.replicas.
func (b *Module) Replicas(n int32) *Module { b.obj.Spec.Replicas = &n; return b }

// Resources sets spec.resources.
func (b *Module) Resources(r v1.Resources) *Module { b.obj.Spec.Resources = &r; return b }

// Env appends a plain environment variable.
func (b *Module) Env(name, value string) *Module {
	b.obj.Spec.Env = append(b.obj.Spec.Env, corev1.EnvVar{Name: name, Value: value})
	return b
}

// Config sets one of the module's own settings.
func (b *Module) Config(key, value string) *Module {
	if b.obj.Spec.Config == nil {
		b.obj.Spec.Config = map[string]string{}
	}
	b.obj.Spec.Config[key] = value
	return b
}

// Capabilities sets spec.capabilities.
func (b *Module) Capabilities(list ...v1.Capability) *Module {
	b.obj.Spec.Capabilities = list
	return b
}

// Autoscale enables autoscaling between two bounds.
func (b *Module) Autoscale(least, most int32) *Module {
	a := set(&b.obj.Spec.Autoscaling)
	a.Enabled, a.MinReplicas, a.MaxReplicas = ptr(true), &least, &most
	return b
}

// Pod sets spec.pod.
func (b *Module) Pod(p v1.PodSettings) *Module { b.obj.Spec.Pod = &p; return b }

// Default sets the static defaults, as the API server would.
func (b *Module) Default() *Module { b.obj.Spec.SetDefaults(); return b }

// Spec lets a test change what no method does.
func (b *Module) Spec(change func(*v1.GatiModuleSpec)) *Module { change(&b.obj.Spec); return b }

// Status lets a test set what the controller would.
func (b *Module) Status(change func(*v1.GatiModuleStatus)) *Module {
	change(&b.obj.Status)
	return b
}
