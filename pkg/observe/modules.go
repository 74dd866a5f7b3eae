package observe

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// ModuleIndex finds the handlers of a namespace that name a module.
const ModuleIndex = "gati.module"

// maxUsers is how many handlers the status of a module names.
const maxUsers = 16

// IndexModules prepares a cache, once, for Users.
func IndexModules(ctx context.Context, fields client.FieldIndexer) error {
	if err := fields.IndexField(ctx, &v1.GatiHandler{}, ModuleIndex, ModuleKeys); err != nil {
		return fmt.Errorf("index handlers by their modules: %w", err)
	}
	return nil
}

// ModuleKeys are the keys of a handler in ModuleIndex.
func ModuleKeys(obj client.Object) []string {
	var out []string
	for _, name := range obj.(*v1.GatiHandler).Spec.Modules {
		out = append(out, string(name))
	}
	return out
}

// MissingModules returns the modules that a handler names and that do not exist.
func MissingModules(ctx context.Context, r client.Reader, h *v1.GatiHandler) ([]string, error) {
	var out []string
	for _, name := range h.Spec.Modules {
		err := r.Get(ctx, client.ObjectKey{Namespace: h.Namespace, Name: string(name)}, &v1.GatiModule{})
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("read module %s: %w", name, err)
		}
		if apierrors.IsNotFound(err) {
			out = append(out, string(name))
		}
	}
	return out, nil
}

// Users returns the handlers that name a module, from a cache with ModuleIndex.
func Users(ctx context.Context, r client.Reader, namespace, module string) ([]string, error) {
	var list v1.GatiHandlerList
	err := r.List(ctx, &list, client.InNamespace(namespace), client.MatchingFields{ModuleIndex: module}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("find the handlers that use module %s: %w", module, err)
	}
	out := make([]string, len(list.Items))
	for i := range list.Items {
		out[i] = list.Items[i].Name
	}
	slices.Sort(out)
	return out, nil
}

// FirstUsers returns the handlers that the status of a module names, and whether there
// are more.
func FirstUsers(all []string) (first []string, more bool) {
	if len(all) > maxUsers {
		return all[:maxUsers], true
	}
	return all, false
}
