package facts_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
)

func TestTargetFor(t *testing.T) {
	both := facts.Targets{Default: v1.TargetKubernetes, Allowed: []string{v1.TargetHelm, v1.TargetKubernetes}}
	tests := map[string]struct {
		targets        facts.Targets
		namespace, own string
		want, wantErr  string
	}{
		"the operator's":                {targets: both, want: v1.TargetKubernetes},
		"the namespace's":               {targets: both, namespace: v1.TargetHelm, want: v1.TargetHelm},
		"its own before all":            {targets: both, namespace: v1.TargetHelm, own: v1.TargetKubernetes, want: v1.TargetKubernetes},
		"one that is not allowed":       {targets: both, own: v1.TargetGitOps, wantErr: `the annotation asks for target "gitops"; the operator allows kubernetes, helm (--allowed-targets)`},
		"a namespace's not allowed":     {targets: facts.Targets{Default: v1.TargetHelm}, namespace: v1.TargetKubernetes, wantErr: `the annotation of namespace shop asks for target "kubernetes"; the operator allows helm (`},
		"its own cures the namespace's": {targets: facts.Targets{Default: v1.TargetHelm}, namespace: v1.TargetKubernetes, own: v1.TargetHelm, want: v1.TargetHelm},
		"no operator is known":          {own: v1.TargetGitOps, want: v1.TargetGitOps},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := facts.Facts{Namespace: "shop", Targets: tc.targets, NamespaceTarget: tc.namespace}
			owner := &metav1.ObjectMeta{}
			if tc.own != "" {
				owner.Annotations = map[string]string{v1.AnnotationTarget: tc.own}
			}
			got, err := f.TargetFor(owner)
			if got != tc.want || (err == nil) != (tc.wantErr == "") || err != nil && !strings.HasPrefix(err.Error(), tc.wantErr) {
				t.Errorf("got %q and %v", got, err)
			}
		})
	}
}
