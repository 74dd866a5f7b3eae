package cluster

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/env"
)

// completeWithin bounds a completion: the user waits for it.
const completeWithin = 3 * time.Second

// CompleteNames completes the names of handlers and, unless they are all that is
// meant, modules. Only metadata is read. What cannot be read completes to nothing:
// a shell has no place for errors.
func CompleteNames(e *env.Env, modules bool) func(ctx context.Context, given []string) []cobra.Completion {
	return func(ctx context.Context, given []string) []cobra.Completion {
		ctx, cancel := context.WithTimeout(ctx, completeWithin)
		defer cancel()
		namespace, err := e.Namespace()
		if err != nil {
			return nil
		}
		raw, err := ConnectRaw(e, false)
		if err != nil {
			return nil
		}
		names := raw.listNames(ctx, v1.GroupVersion.WithResource("gatihandlers"), namespace)
		if modules {
			names = append(names, raw.listNames(ctx, v1.GroupVersion.WithResource("gatimodules"), namespace)...)
		}
		slices.Sort(names)
		return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return slices.Contains(given, name) })
	}
}

func (r *Raw) listNames(ctx context.Context, resource schema.GroupVersionResource, namespace string) []string {
	var list metav1.PartialObjectMetadataList
	request := r.client.Get().AbsPath("/apis", resource.Group, resource.Version, "namespaces", namespace, resource.Resource).
		SetHeader("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
	if err := decodeResult(request.Do(ctx), &list); err != nil {
		return nil
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names
}
