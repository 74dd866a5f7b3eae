package main

import (
	"bytes"
	"os"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"sigs.k8s.io/yaml"
)

// TestObjectsForFlux reads the GitRepository and the Kustomization of the target gitops
// with the types of Flux, which know every field of them.
func TestObjectsForFlux(t *testing.T) {
	text, err := os.ReadFile("../../../pkg/target/gitops/testdata/flux.yaml")
	if err != nil {
		t.Fatal(err)
	}
	first, second, found := bytes.Cut(text, []byte("---\n"))
	if !found {
		t.Fatalf("one object:\n%s", text)
	}
	var source sourcev1.GitRepository
	if err := yaml.UnmarshalStrict(first, &source); err != nil {
		t.Fatal(err)
	}
	if source.Kind != sourcev1.GitRepositoryKind || source.APIVersion != sourcev1.GroupVersion.String() || source.Spec.Reference.Branch != "main" || source.Spec.SecretRef.Name != "gati-git" {
		t.Errorf("read as %+v", source)
	}
	var plans kustomizev1.Kustomization
	if err := yaml.UnmarshalStrict(second, &plans); err != nil {
		t.Fatal(err)
	}
	if plans.APIVersion != kustomizev1.GroupVersion.String() || plans.Spec.SourceRef.Kind != source.Kind || plans.Spec.SourceRef.Name != source.Name || !plans.Spec.Prune || plans.Spec.Path != "./clusters/test" {
		t.Errorf("read as %+v", plans)
	}
}
