package facts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// Targets are the operator's allowed targets of children.
type Targets struct {
	// Default is the target of objects that choose none; empty when the operator's
	// configuration is unknown, as in a plugin without a cluster.
	Default string
	// Allowed are further targets that a namespace, handler or module may choose.
	Allowed []string
}

// Names returns the targets that may be chosen, the default first.
func (t Targets) Names() []string {
	out := []string{t.Default}
	for _, name := range t.Allowed {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// TargetFor returns the target of an object's children: its own choice, else that of its
// namespace, else the operator's default.
func (f Facts) TargetFor(owner metav1.Object) (string, error) {
	own := owner.GetAnnotations()[v1.AnnotationTarget]
	chosen := cmp.Or(own, f.NamespaceTarget, f.Targets.Default)
	if f.Targets.Default == "" || slices.Contains(f.Targets.Names(), chosen) {
		return chosen, nil
	}
	by := "the annotation"
	if own == "" {
		by = "the annotation of namespace " + f.Namespace
	}
	return "", fmt.Errorf("%s asks for target %q; the operator allows %s (--allowed-targets)", by, chosen, strings.Join(f.Targets.Names(), ", "))
}
