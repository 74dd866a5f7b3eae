// Command flux applies a file as Flux's kustomize-controller does, and prints what that
// changed and what Flux makes of the object's health.
//
//	KUBECONFIG=file flux handler.yaml
//
// It is a Go module of its own: only tests need Flux. The options are those of
// kustomize-controller (internal/controller/kustomization_controller.go).
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/polling"
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	"github.com/fluxcd/pkg/ssa/utils"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// controller is the field manager.
	controller = "kustomize-controller"
	group      = "kustomize.toolkit.fluxcd.io"
	// within bounds a run, also on a machine that compiles beside it.
	within = 5 * time.Minute
)

// answer is what the program prints.
type answer struct {
	// Action is created, configured, unchanged or skipped.
	Action string `json:"action"`
	// Health is the status of the object, and Message its reason.
	Health  string `json:"health"`
	Message string `json:"message"`
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := applyFile(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "flux:", err)
		os.Exit(1)
	}
}

func applyFile(ctx context.Context) error {
	if len(os.Args) != 2 {
		return errors.New("name one file to apply")
	}
	c, manager, err := newManager()
	if err != nil {
		return err
	}
	objects, err := readObjects(os.Args[1])
	if err != nil {
		return err
	}
	changes, err := manager.ApplyAllStaged(ctx, objects, applyOptions())
	if err != nil {
		return err
	}
	if len(changes.Entries) != 1 {
		return fmt.Errorf("%d changes, want that of one object", len(changes.Entries))
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(objects[0].GroupVersionKind())
	if err := c.Get(ctx, client.ObjectKeyFromObject(objects[0]), live); err != nil {
		return err
	}
	health, err := status.Compute(live)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(answer{string(changes.Entries[0].Action), health.Status.String(), health.Message})
}

func newManager() (client.Client, *ssa.ResourceManager, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, nil, err
	}
	config.Timeout = within
	c, err := client.New(config, client.Options{})
	if err != nil {
		return nil, nil, err
	}
	poller := polling.NewStatusPoller(c, c.RESTMapper(), polling.Options{})
	return c, ssa.NewResourceManager(c, poller, ssa.Owner{Field: controller, Group: group}), nil
}

// readObjects reads a file with the labels that a Kustomization named apps adds.
func readObjects(path string) ([]*unstructured.Unstructured, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	objects, err := utils.ReadObjects(file)
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		labels := object.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[group+"/name"], labels[group+"/namespace"] = "apps", "flux-system"
		object.SetLabels(labels)
	}
	return objects, normalize.UnstructuredList(objects)
}

// applyOptions are those of a Kustomization without options of its own.
func applyOptions() ssa.ApplyOptions {
	o := ssa.DefaultApplyOptions()
	o.ExclusionSelector = map[string]string{group + "/reconcile": "disabled", group + "/ssa": "Ignore"}
	o.IfNotPresentSelector = map[string]string{group + "/ssa": "IfNotPresent"}
	o.ForceSelector = map[string]string{group + "/force": "enabled"}
	o.Cleanup = ssa.ApplyCleanupOptions{
		Annotations: []string{corev1.LastAppliedConfigAnnotation, group + "/checksum", "fluxcd.io/sync-checksum"},
		Labels:      []string{"fluxcd.io/sync-gc-mark"},
		FieldManagers: []ssa.FieldManager{
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: controller, OperationType: metav1.ManagedFieldsOperationUpdate},
		},
		Exclusions: map[string]string{group + "/ssa": "Merge"},
	}
	return o
}
