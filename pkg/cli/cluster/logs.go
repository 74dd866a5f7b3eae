package cluster

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/cli/env"
)

// LogSource opens the log of a pod.
type LogSource func(ctx context.Context, namespace, pod string, o *corev1.PodLogOptions) (io.ReadCloser, error)

// Logs returns a source of the server that the flags and the kubeconfig name. A
// stream lasts as long as its context, whatever the request timeout says.
func Logs(e *env.Env) (LogSource, error) {
	config, err := configOf(e)
	if err != nil {
		return nil, err
	}
	config.Timeout = 0
	// A client of the typed clientset would bring every kind of the group along.
	config.APIPath, config.GroupVersion = "/api", &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, namespace, pod string, o *corev1.PodLogOptions) (io.ReadCloser, error) {
		lines, err := c.Get().Namespace(namespace).Resource("pods").Name(pod).SubResource("log").
			VersionedParams(o, scheme.ParameterCodec).Stream(ctx)
		return lines, Explain(err)
	}, nil
}

// Pods reports each existing pod of a handler or module, and then each new or changed one,
// until the watch ends. The watch begins without a resource version, so that changes
// between two watches are reported as well.
func Pods(ctx context.Context, c client.WithWatch, namespace string, of Ref, seen func(*corev1.Pod) error) error {
	w, err := c.Watch(ctx, &corev1.PodList{}, client.InNamespace(namespace), ownerOption(ownerLabels[of.Kind], []string{of.Name}))
	if err != nil {
		return err
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		pod, ok := e.Object.(*corev1.Pod)
		switch {
		case !ok:
			return nil // why it ends is of no use: the next one begins anew
		case e.Type == watch.Deleted:
			continue
		}
		if err := seen(pod); err != nil {
			return err
		}
	}
	return nil
}
