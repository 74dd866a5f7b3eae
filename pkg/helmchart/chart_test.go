package helmchart_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/helmchart"
)

// plan returns the children of a handler at rest.
func plan(t *testing.T, h *v1.GatiHandler) []client.Object {
	t.Helper()
	result := admit.Check(h, nil, admit.Surroundings{Facts: facts.Facts{Namespace: h.Namespace, HTTPRouteServed: true}})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors)
	}
	return result.Expand(h)
}

func text(c helmchart.Chart) string {
	var out strings.Builder
	for _, f := range c.Files {
		out.WriteString("# " + c.Name + "/" + f.Name + "\n")
		out.Write(f.Data)
	}
	return out.String()
}

// The golden files of a chart.
func TestNewGolden(t *testing.T) {
	h := builders.MakeHandler("users").Namespace("shop").Path("/users").Image("users:v1.2.0").Replicas(2).Obj()
	h.Spec.Env = []corev1.EnvVar{{Name: "GREETING", Value: "{{ hello }}"}}
	chart, err := helmchart.New(plan(t, h))
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "users.txt", text(chart))
}

// Equal children give equal files, in any order. Users' settings are in the values
// only.
func TestNewIsDeterministic(t *testing.T) {
	h := builders.MakeHandler("users").Namespace("shop").Path("/users").Image("users:v1").Replicas(2).Obj()
	chart := func(change func(*v1.GatiHandler)) helmchart.Chart {
		t.Helper()
		changed := h.DeepCopy()
		change(changed)
		children := plan(t, changed)
		slices.Reverse(children)
		out, err := helmchart.New(children)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first, err := helmchart.New(plan(t, h))
	if err != nil {
		t.Fatal(err)
	}
	again := chart(func(*v1.GatiHandler) {})
	if diff := cmp.Diff(first, again); diff != "" || first.Hash() != again.Hash() {
		t.Errorf("the order counts:\n%s", diff)
	}
	scaled := chart(func(h *v1.GatiHandler) { h.Spec.Replicas = new(int32(5)) })
	if got := changedFiles(first, scaled); !slices.Equal(got, []string{"values.yaml"}) {
		t.Errorf("another number of replicas changed %q", got)
	}
	if first.Hash() == scaled.Hash() {
		t.Error("charts with other values have the same hash")
	}
}

func changedFiles(a, b helmchart.Chart) []string {
	var out []string
	for _, f := range a.Files {
		i := slices.IndexFunc(b.Files, func(g helmchart.File) bool { return f.Name == g.Name })
		if i < 0 || string(b.Files[i].Data) != string(f.Data) {
			out = append(out, f.Name)
		}
	}
	return out
}

func TestNewRefuses(t *testing.T) {
	child := func(labels, annotations map[string]string) client.Object {
		return &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: labels, Annotations: annotations},
		}
	}
	users, orders := map[string]string{v1.LabelHandler: "users"}, map[string]string{v1.LabelModule: "orders"}
	for name, tc := range map[string]struct {
		children []client.Object
		want     string
	}{
		"a hook":      {[]client.Object{child(users, map[string]string{"helm.sh/hook": "pre-install"})}, "ConfigMap a has the annotation helm.sh/hook; a chart of Gati has no hooks: remove it"},
		"two owners":  {[]client.Object{child(users, nil), child(orders, nil)}, "a belongs to another chart than handler-users"},
		"no children": {nil, "at least one object"},
	} {
		if _, err := helmchart.New(tc.children); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestByOwner(t *testing.T) {
	a := plan(t, builders.MakeHandler("a").Namespace("shop").Path("/a").Image("a:v1").Obj())
	b := plan(t, builders.MakeHandler("b").Namespace("shop").Path("/b").Image("b:v1").Obj())
	got := helmchart.ByOwner(slices.Concat(a, b, a))
	if len(got) != 2 || len(got[0]) != 2*len(a) || len(got[1]) != len(b) || helmchart.NameFor(got[1][0]) != "handler-b" {
		t.Errorf("got %d groups", len(got))
	}
}
