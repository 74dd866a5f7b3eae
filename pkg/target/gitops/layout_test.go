package gitops

import (
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/target/gitops/repository"
	"gati.dev/gati/pkg/target/kubernetes"
)

func users(versions ...v1.VersionStatus) *v1.GatiHandler {
	return &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "users"}, Status: v1.GatiHandlerStatus{Versions: versions}}
}

// objects returns a Deployment and a Service as they are sent.
func objects(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "handler-users"}
	var out []*unstructured.Unstructured
	for _, obj := range []client.Object{
		&appsv1.Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: meta},
		&corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: meta},
	} {
		content, _, err := kubernetes.Desired(obj)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, content)
	}
	return out
}

// TestLayout holds where the files of a plan are, that they are the same each time, and
// that kustomize builds the objects from them.
func TestLayout(t *testing.T) {
	got, err := newChange("clusters/test/", users(), objects(t), []string{"httproute-handler-users.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Folder != "clusters/test/shop/handler-users" || !slices.Equal(got.Keep, []string{"httproute-handler-users.yaml"}) {
		t.Errorf("the change is %+v", got)
	}
	if names := slices.Sorted(maps.Keys(got.Files)); !slices.Equal(names, []string{repository.Marker, "deployment-handler-users.yaml", "service-handler-users.yaml"}) {
		t.Errorf("the files are %q", names)
	}
	marker := string(got.Files[repository.Marker])
	if !strings.HasPrefix(marker, "# gati-webhook writes these files. Change the GatiHandler, not them.\ngatihandler: shop/users\nplan: ") {
		t.Errorf("the marker is\n%s", marker)
	}
	again, err := newChange("clusters/test", users(), objects(t), nil)
	if err != nil || !maps.EqualFunc(got.Files, again.Files, func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Errorf("the second time: %v, %+v", err, again)
	}
	files := filesys.MakeFsInMemory()
	for name, text := range again.Files {
		if err := files.WriteFile("/x/"+name, text); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"deployment-handler-users.yaml", "service-handler-users.yaml"}
	if err := files.WriteFile("/x/"+repository.IndexFile, again.Index(names)); err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/x")
	if err != nil || built.Size() != 2 {
		t.Errorf("kustomize builds %v, %v", built, err)
	}
	module := &v1.GatiModule{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cache"}}
	if folder := newRemoval("", module).Folder; folder != "shop/module-cache" {
		t.Errorf("the folder of a module is %s", folder)
	}
}

// TestSubjects holds the first lines of commits.
func TestSubjects(t *testing.T) {
	module := &v1.GatiModule{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cache"}}
	v := func(name string, weight int32, workload string) v1.VersionStatus {
		return v1.VersionStatus{Version: name, Weight: weight, Workload: workload}
	}
	for want, owner := range map[string]client.Object{
		"GatiModule shop/cache":                          module,
		"GatiHandler shop/users":                         users(),
		"GatiHandler shop/users: v1 at 100 %":            users(v("v0", 0, ""), v("v1", 100, "main")),
		"GatiHandler shop/users: v2 at 10 %, v1 at 90 %": users(v("v1", 90, "v1"), v("v2", 10, "v2")),
	} {
		if got := subjectOf(owner); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := newRemoval("", users()).Message; got != "GatiHandler shop/users is deleted" {
		t.Errorf("a removal is %q", got)
	}
}
