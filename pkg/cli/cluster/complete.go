package cluster

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/status"
)

// completeWithin bounds a completion: the user waits for it.
const completeWithin = 3 * time.Second

// Names reads what a shell completes. What cannot be read completes to nothing: a shell has
// no place for errors.
type Names struct{ Env *env.Env }

// Objects returns the names of the kinds in the namespace of the flags. Only metadata is read.
func (n Names) Objects(ctx context.Context, kinds ...string) (out []string) {
	resources := map[string]string{status.KindHandler: "gatihandlers", status.KindModule: "gatimodules"}
	n.read(ctx, func(ctx context.Context, raw *Raw, namespace string) {
		for _, kind := range kinds {
			out = append(out, raw.listNames(ctx, "apis", v1.Group, v1.GroupVersion.Version, "namespaces", namespace, resources[kind])...)
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Applications returns the applications of the handlers in the namespace of the flags.
func (n Names) Applications(ctx context.Context) (out []string) {
	n.read(ctx, func(ctx context.Context, raw *Raw, namespace string) {
		for _, h := range raw.listMetadata(ctx, "apis", v1.Group, v1.GroupVersion.Version, "namespaces", namespace, "gatihandlers") {
			if name := h.Labels[v1.LabelApplication]; name != "" {
				out = append(out, name)
			}
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Namespaces returns the names of all namespaces.
func (n Names) Namespaces(ctx context.Context) (out []string) {
	n.read(ctx, func(ctx context.Context, raw *Raw, _ string) { out = raw.listNames(ctx, "api", "v1", "namespaces") })
	return out
}

// Versions returns the versions of a handler, those that serve first.
func (n Names) Versions(ctx context.Context, handler string) (out []string) {
	ref, err := ParseRef(handler)
	if err != nil {
		return nil
	}
	n.read(ctx, func(ctx context.Context, raw *Raw, namespace string) {
		var h v1.GatiHandler
		request := raw.client.Get().AbsPath("apis", v1.Group, v1.GroupVersion.Version, "namespaces", namespace, "gatihandlers", ref.Name)
		if decodeResult(request.Do(ctx), &h) != nil {
			return
		}
		for i := range h.Status.Versions {
			out = append(out, h.Status.Versions[i].Version)
		}
	})
	return out
}

// Contexts returns the contexts of the kubeconfig.
func (n Names) Contexts() (out []string) {
	config, err := n.Env.Config.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil
	}
	for name := range config.Contexts {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (n Names) read(ctx context.Context, do func(ctx context.Context, raw *Raw, namespace string)) {
	ctx, cancel := context.WithTimeout(ctx, completeWithin)
	defer cancel()
	namespace, err := n.Env.Namespace()
	if err != nil {
		return
	}
	if raw, err := ConnectRaw(n.Env, false); err == nil {
		do(ctx, raw, namespace)
	}
}

func (r *Raw) listNames(ctx context.Context, path ...string) []string {
	var names []string
	for _, o := range r.listMetadata(ctx, path...) {
		names = append(names, o.Name)
	}
	return names
}

func (r *Raw) listMetadata(ctx context.Context, path ...string) []metav1.PartialObjectMetadata {
	var list metav1.PartialObjectMetadataList
	request := r.client.Get().AbsPath(path...).SetHeader("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
	if err := decodeResult(request.Do(ctx), &list); err != nil {
		return nil
	}
	return list.Items
}
