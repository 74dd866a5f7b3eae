package certificates_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/memory"
)

// largest are the shapes of handlers that take most, with as much of it as asked for: texts
// take what they are written with, the items of lists several times as much.
var largest = map[string]func(h *v1.GatiHandler, size int){
	"texts": func(h *v1.GatiHandler, size int) {
		const variables = 8
		for i := range variables {
			h.Spec.Env = append(h.Spec.Env, corev1.EnvVar{Name: fmt.Sprint("V", i), Value: strings.Repeat("x", size/variables)})
		}
	},
	"items": func(h *v1.GatiHandler, size int) {
		const most = 512 // of the values of an expression
		var terms []corev1.NodeSelectorTerm
		for range min(128, size/most) {
			terms = append(terms, corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: "k", Operator: corev1.NodeSelectorOpNotIn, Values: make([]string, most),
			}}})
		}
		h.Spec.Pod = &v1.PodSettings{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
		}}}
	},
}

// makeLargest returns a handler of a shape, as large as one is admitted.
func makeLargest(shape, name string) *v1.GatiHandler {
	handler := func(size int) *v1.GatiHandler {
		h := builders.MakeHandler(name).Path("/" + name).Image("app:v1").Obj()
		largest[shape](h, size)
		return h
	}
	const defaults = 1 << 10 // what the API server adds
	size := sort.Search(400_000, func(size int) bool {
		result, _ := admit.Handler(handler(size), nil, facts.Facts{})
		return len(result.Errors) > 0
	})
	return handler(size - defaults)
}

// TestStoredObjects stores objects as large as they are admitted. Each
// role then starts, becomes ready and leads within the memory that its Deployment has.
func TestStoredObjects(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	const ns = "stored"
	if err := c.client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.removeStored(t, ns) })
	limited := *c
	limit := soak.Pick[int64]("storedObjects", memoryLimit, memoryLimit/2)
	limited.group = memory.NewGroup(t, limit)
	t.Log("objects  controllers  admission  (MiB at most)")
	for _, number := range soak.Pick("storedObjects", []int{1, 50, 100, 200}, []int{60}) {
		p := startProcess(t, c, port)
		p.awaitReady(t, "ready")
		c.storeLargest(t, ns, number)
		p.killAndAwait(t)
		controllers := limited.startStored(t, "controllers", "gati-controller", func(p *process) {
			await.Eventually(t, "it leads", func() error {
				if p.log.countText("this replica leads") == 0 {
					return errors.New("it waits for the lease")
				}
				return nil
			})
			p.awaitGathering(t)
		})
		admission := limited.startStored(t, "admission", "gati-webhook", func(*process) {})
		t.Logf("%7d  %11d  %9d", number, controllers>>20, admission>>20)
		if most := max(controllers, admission); most > limit {
			t.Errorf("%d objects take %d MiB, want at most %d", number, most>>20, limit>>20)
		}
	}
}

// startStored starts a role over what is stored, and returns the most memory that it took.
func (c *cluster) startStored(t *testing.T, role, account string, more func(*process)) int64 {
	t.Helper()
	p := startRole(t, c, freePort(t), role, account)
	p.awaitReady(t, role)
	more(p)
	most := readHighWater(t, p)
	p.killAndAwait(t)
	return most
}

// storeLargest stores handlers, of each shape as many, until there are so many with their
// children.
func (c *cluster) storeLargest(t *testing.T, ns string, number int) {
	t.Helper()
	shapes := slices.Sorted(maps.Keys(largest))
	var templates []*v1.GatiHandler
	for _, shape := range shapes {
		templates = append(templates, makeLargest(shape, "largest"))
	}
	var applies errgroup.Group
	applies.SetLimit(4)
	for i := range number {
		applies.Go(func() error {
			h := templates[i%len(templates)].DeepCopy()
			h.Namespace, h.Name = ns, fmt.Sprint("largest-", i)
			return client.IgnoreAlreadyExists(c.client.Create(t.Context(), h))
		})
	}
	if err := applies.Wait(); err != nil {
		t.Fatal(err)
	}
	await.Eventually(t, "the Deployments of all", func() error {
		var all metav1.PartialObjectMetadataList
		all.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("DeploymentList"))
		if err := c.client.List(t.Context(), &all, client.InNamespace(ns)); err != nil {
			return err
		}
		if found := len(all.Items); found < number {
			return fmt.Errorf("%d of %d", found, number)
		}
		return nil
	})
}

// removeStored removes what is stored and its children, which no garbage collector removes here.
func (c *cluster) removeStored(t *testing.T, ns string) {
	t.Helper()
	for _, kind := range []client.Object{&v1.GatiHandler{}, &v1.GatiVersion{}, &appsv1.Deployment{}, &appsv1.ControllerRevision{}, &corev1.ConfigMap{}} {
		if err := c.client.DeleteAllOf(context.Background(), kind, client.InNamespace(ns)); err != nil {
			t.Error(err)
		}
	}
}
