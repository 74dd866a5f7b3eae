package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// manager is the field manager of Argo CD's application controller.
const manager = "argocd-controller"

// cluster reaches the kind of one manifest.
type cluster struct {
	config    *rest.Config
	resources dynamic.ResourceInterface
}

// toCluster returns how the cluster is reached. A discovery without a timeout of its own ends
// after 32 seconds, in which a busy API server does not render its OpenAPI.
func toCluster() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.Timeout = within
	return config, nil
}

func connectCluster(of *unstructured.Unstructured) (*cluster, error) {
	config, err := toCluster()
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	gvk := of.GroupVersionKind()
	gvr := schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: strings.ToLower(gvk.Kind) + "s"}
	return &cluster{config, client.Resource(gvr).Namespace(of.GetNamespace())}, nil
}

// applyObject writes as Argo CD does with ServerSideApply=true.
func (c *cluster) applyObject(ctx context.Context, config *unstructured.Unstructured, isDryRun bool) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	force := true
	options := metav1.PatchOptions{FieldManager: manager, Force: &force}
	if isDryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return c.resources.Patch(ctx, config.GetName(), types.ApplyPatchType, text, options)
}

// Run implements diff.ServerSideDryRunner.
func (c *cluster) Run(ctx context.Context, config *unstructured.Unstructured, _ string) (string, error) {
	predicted, err := c.applyObject(ctx, config, true)
	if err != nil {
		return "", err
	}
	text, err := predicted.MarshalJSON()
	return string(text), err
}

// newParser returns the types that the API server publishes.
func (c *cluster) newParser() (*managedfields.GvkParser, error) {
	kubectl := kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}
	_, parser, err := kubectl.LoadOpenAPISchema(c.config)
	return parser, err
}
