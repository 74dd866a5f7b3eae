// Command argocd treats a file as Argo CD does. "sync" applies it with
// ServerSideApply=true; "judge" prints what each of Argo CD's three ways to compare finds
// different, and the health that our script gives the live object. "advance" takes the sync
// of a folder as far as one look at the cluster allows, and keeps its state in a file.
//
//	KUBECONFIG=file argocd judge handler.yaml manifests/argocd/argocd-cm.yaml
//	KUBECONFIG=file argocd advance folder manifests/argocd/argocd-cm.yaml state.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// within bounds a run, also on a machine that compiles beside it.
const within = 5 * time.Minute

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := runCommand(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "argocd:", err)
		os.Exit(1)
	}
}

func runCommand(ctx context.Context, args []string) error {
	if len(args) == 4 && args[0] == "advance" {
		return advanceOperation(ctx, args[1], args[2], args[3])
	}
	if len(args) != 3 {
		return errors.New("usage: argocd sync|judge FILE ARGOCD-CM, or argocd advance FOLDER ARGOCD-CM STATE")
	}
	config, err := readManifest(args[1])
	if err != nil {
		return err
	}
	c, err := connectCluster(config)
	if err != nil {
		return err
	}
	if args[0] == "sync" {
		_, err := c.applyObject(ctx, config, false)
		return err
	}
	judged, err := c.judgeObject(ctx, config, args[2])
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(judged)
}

// trackingID is the annotation by which Argo CD knows its objects.
const trackingID = "argocd.argoproj.io/tracking-id"

// readManifest reads what Git has, with the annotation by which Argo CD tracks it.
func readManifest(path string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := readYAML(path, &object.Object); err != nil {
		return nil, err
	}
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[trackingID] = fmt.Sprintf("apps:gati.dev/%s:%s/%s", object.GetKind(), object.GetNamespace(), object.GetName())
	object.SetAnnotations(annotations)
	return object, nil
}

func readYAML(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}
