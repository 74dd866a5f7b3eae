package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/argoproj/argo-cd/v3/util/lua"
	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/argoproj/gitops-engine/pkg/sync"
	"github.com/argoproj/gitops-engine/pkg/sync/common"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	"github.com/argoproj/gitops-engine/pkg/utils/tracing"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// operation is a sync of an Application as Argo CD keeps it in the Application's status
// between two looks at the cluster.
type operation struct {
	Phase   common.OperationPhase       `json:"phase"`
	Message string                      `json:"message"`
	Results []common.ResourceSyncResult `json:"results"`
	Started metav1.Time                 `json:"started"`
}

// advanceOperation looks at the cluster once, and takes an operation as far as that allows: waves,
// health and pruning are Argo CD's. The Application has every manifest of a folder, in one
// namespace.
func advanceOperation(ctx context.Context, folder, settings, state string) error {
	op := operation{Phase: common.OperationRunning, Started: metav1.Now()}
	switch text, err := os.ReadFile(state); {
	case err == nil:
		if err := json.Unmarshal(text, &op); err != nil {
			return fmt.Errorf("%s: %w", state, err)
		}
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	config, err := toCluster()
	if err != nil {
		return err
	}
	targets, err := readManifests(folder)
	if err != nil {
		return err
	}
	live, err := listTracked(ctx, config, targets[0].GetNamespace())
	if err != nil {
		return err
	}
	if err := op.syncTargets(config, targets, live, settings); err != nil {
		return err
	}
	text, err := json.Marshal(op)
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	return os.WriteFile(state, text, 0o600)
}

func (op *operation) syncTargets(config *rest.Config, targets []*unstructured.Unstructured, live map[kube.ResourceKey]*unstructured.Unstructured, settings string) error {
	health, err := readHealth(settings)
	if err != nil {
		return err
	}
	kubectl := &kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}
	schemas, _, err := kubectl.LoadOpenAPISchema(config)
	if err != nil {
		return err
	}
	namespace := targets[0].GetNamespace()
	foreground := metav1.DeletePropagationForeground
	operation, done, err := sync.NewSyncContext("main", sync.Reconcile(targets, live, namespace, everywhere{}), config, config, kubectl, namespace, schemas,
		sync.WithLogr(logr.Discard()), sync.WithHealthOverride(health), sync.WithPrune(true), sync.WithPrunePropagationPolicy(&foreground),
		sync.WithServerSideApply(true), sync.WithServerSideApplyManager(manager),
		sync.WithInitialState(op.Phase, op.Message, op.Results, op.Started))
	if err != nil {
		return err
	}
	defer done()
	operation.Sync()
	op.Phase, op.Message, op.Results = operation.GetState()
	return nil
}

// readManifests reads the files of a folder, in the order of their names.
func readManifests(folder string) (out []*unstructured.Unstructured, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		object, err := readManifest(file)
		if err != nil {
			return nil, err
		}
		out = append(out, object)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no manifest", folder)
	}
	return out, nil
}

// listTracked returns the objects of our kinds in a namespace that bear Argo CD's annotation.
func listTracked(ctx context.Context, config *rest.Config, namespace string) (map[kube.ResourceKey]*unstructured.Unstructured, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	out := map[kube.ResourceKey]*unstructured.Unstructured{}
	for _, resource := range []string{"gatihandlers", "gatimodules", "gativersions"} {
		list, err := client.Resource(schema.GroupVersionResource{Group: "gati.dev", Version: "v1", Resource: resource}).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			if strings.HasPrefix(list.Items[i].GetAnnotations()[trackingID], "apps:") {
				out[kube.GetResourceKey(&list.Items[i])] = &list.Items[i]
			}
		}
	}
	return out, nil
}

// everywhere says that every kind has a namespace, as ours do.
type everywhere struct{}

func (everywhere) IsNamespaced(schema.GroupKind) (bool, error) { return true, nil }

// scripts are the health scripts of a ConfigMap argocd-cm.
type scripts map[string]string

func readHealth(settings string) (scripts, error) {
	var shipped struct{ Data map[string]string }
	err := readYAML(settings, &shipped)
	return shipped.Data, err
}

// GetResourceHealth implements health.HealthOverride.
func (s scripts) GetResourceHealth(object *unstructured.Unstructured) (*health.HealthStatus, error) {
	script := s["resource.customizations.health.gati.dev_"+object.GetKind()]
	if script == "" {
		return nil, nil
	}
	return lua.VM{}.ExecuteHealthLua(object, script)
}
