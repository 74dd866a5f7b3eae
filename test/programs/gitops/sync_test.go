package gitops

import (
	"os"
	"testing"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"sigs.k8s.io/yaml"
)

// TestApplicationSet reads the ApplicationSet of the target gitops with the types of Argo
// CD, which know every field of it.
func TestApplicationSet(t *testing.T) {
	text, err := os.ReadFile("../../../pkg/target/gitops/testdata/argocd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var set v1alpha1.ApplicationSet
	if err := yaml.UnmarshalStrict(text, &set); err != nil {
		t.Fatal(err)
	}
	source := set.Spec.Template.Spec.Source
	if set.Kind != "ApplicationSet" || source == nil || source.Path != "{{.path.path}}" || !set.Spec.Template.Spec.SyncPolicy.Automated.Prune {
		t.Errorf("read as %+v", set.Spec)
	}
	git := set.Spec.Generators[0].Git
	if git == nil || git.RepoURL != source.RepoURL || git.Revision != source.TargetRevision || git.Directories[0].Path != "clusters/test/*/*" {
		t.Errorf("the generator is read as %+v", git)
	}
}
