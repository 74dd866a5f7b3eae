package upgrade

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

// How many there are of each; make soak NAME=newDefaultsRollNothing has fifty together.
var (
	handlers = soak.Pick("newDefaultsRollNothing", 30, 10)
	modules  = soak.Pick("newDefaultsRollNothing", 20, 5)
)

// "A build with every derived default changed is rolled over 50 handlers and
// modules in all strategies that exist: 0 pod templates change; then one env edit
// cuts exactly one revision."
func TestNewDefaultsRollNothing(t *testing.T) {
	other, c := otherBuild(t), newAdminClient(t)
	putBack(t)
	makeNamespace(t, c, "shop")
	makeNamespace(t, c, "twins")
	objects := makeFleet("shop", availableStrategies(t, c, "shop"))
	if len(objects) != handlers+modules {
		t.Fatalf("%d handlers and modules, want %d", len(objects), handlers+modules)
	}
	createObjects(t, c, objects)
	allReady(t, c, "shop")
	before := stateOf(t, c, "shop")
	bounds := readAutoscalers(t, c, "shop")

	replaceBuild(t, other.awaitBuild(t))
	awaitCalm(t, c, "shop")
	assertSame(t, "after the other build has taken over,", before, stateOf(t, c, "shop"))
	if now := readAutoscalers(t, c, "shop"); now == bounds || bounds == "" {
		t.Errorf("the autoscalers are %q as before: it was no other build, or it did nothing", now)
	}

	scaleAll(t, c, "shop")
	allReady(t, c, "shop")
	sameTemplates(t, "after every Deployment was written by the other build,", before, stateOf(t, c, "shop"))

	for _, name := range []string{"bare-http", "bare"} {
		cutsOne(t, c, "shop", name)
	}

	createObjects(t, c, makeBareObjects("twins"))
	await.Eventually(t, "revisions of the twins", func() error {
		if n := len(stateOf(t, c, "twins").Revisions); n != len(makeBareObjects("")) {
			return fmt.Errorf("%d revisions", n)
		}
		return nil
	})
	everyDefaultDiffers(t, revisionLeaves(t, before, makeBareObjects("shop")), revisionLeaves(t, stateOf(t, c, "twins"), makeBareObjects("twins")))

	late := stateOf(t, c, "shop")
	replaceBuild(t, env.Cluster.Tools().Webhook)
	awaitCalm(t, c, "shop")
	sameTemplates(t, "after the first build was put back,", late, stateOf(t, c, "shop"))
}

// scaleAll asks for one pod more of everything, so that every Deployment that no
// autoscaler holds is written.
func scaleAll(t *testing.T, c client.Client, ns string) {
	t.Helper()
	for _, h := range listObjects(t, c, ns, &v1.GatiHandlerList{}).Items {
		editObject(t, c, &h, func() { *h.Spec.Replicas++ })
	}
	for _, m := range listObjects(t, c, ns, &v1.GatiModuleList{}).Items {
		editObject(t, c, &m, func() { *m.Spec.Replicas++ })
	}
}

func editObject(t *testing.T, c client.Client, obj client.Object, change func()) {
	t.Helper()
	before := obj.DeepCopyObject().(client.Object)
	change()
	if err := c.Patch(t.Context(), obj, client.MergeFrom(before)); err != nil {
		t.Fatalf("change %T %s: %v", obj, obj.GetName(), err)
	}
}

// cutsOne adds one variable to a handler or module: one revision is cut, one
// template changes, and it has what the other build derives.
func cutsOne(t *testing.T, c client.Client, ns, name string) {
	t.Helper()
	was := stateOf(t, c, ns)
	key := client.ObjectKey{Namespace: ns, Name: name}
	if name == "bare" {
		var m v1.GatiModule
		getObject(t, c, key, &m)
		editObject(t, c, &m, func() { m.Spec.Env = append(m.Spec.Env, corev1.EnvVar{Name: "EDITED", Value: "1"}) })
	} else {
		var h v1.GatiHandler
		getObject(t, c, key, &h)
		editObject(t, c, &h, func() { h.Spec.Env = append(h.Spec.Env, corev1.EnvVar{Name: "EDITED", Value: "1"}) })
	}
	allReady(t, c, ns)
	is := stateOf(t, c, ns)
	if cut := changedNames(was.Revisions, is.Revisions); len(cut) != 1 || len(is.Revisions) != len(was.Revisions)+1 {
		t.Errorf("the edit of %s has cut the revisions %v, want one", name, cut)
	}
	rolled := changedNames(was.Templates, is.Templates)
	if len(rolled) != 1 || !strings.Contains(is.Templates[rolled[0]], "EDITED") {
		t.Fatalf("the edit of %s has changed the templates %v, want its own", name, rolled)
	}
	var d appsv1.Deployment
	getObject(t, c, client.ObjectKey{Namespace: ns, Name: rolled[0]}, &d)
	if got := d.Spec.Template.Spec.SecurityContext.RunAsUser; got == nil || *got != 1002 {
		t.Errorf("the new template of %s runs as %v, want the user that the other build derives", name, got)
	}
}

func getObject(t *testing.T, c client.Client, key client.ObjectKey, into client.Object) {
	t.Helper()
	if err := c.Get(t.Context(), key, into); err != nil {
		t.Fatal(err)
	}
}

// readAutoscalers returns the bounds and targets of the autoscalers, in one text.
func readAutoscalers(t *testing.T, c client.Client, ns string) string {
	t.Helper()
	var out strings.Builder
	for _, a := range listObjects(t, c, ns, &autoscalingv2.HorizontalPodAutoscalerList{}).Items {
		fmt.Fprintf(&out, "%s to %d at %d; ", a.Name, a.Spec.MaxReplicas, *a.Spec.Metrics[0].Resource.Target.AverageUtilization)
	}
	return out.String()
}

// revisionLeaves are the leaves of the one revision of each object.
func revisionLeaves(t *testing.T, s state, objects []client.Object) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{}
	for _, obj := range objects {
		prefix := "handler-" + obj.GetName() + "-"
		if _, ok := obj.(*v1.GatiModule); ok {
			prefix = "module-" + obj.GetName() + "-"
		}
		name := regexp.MustCompile("^" + prefix + "[0-9a-f]{10}$")
		for revision, data := range s.Revisions {
			if name.MatchString(revision) {
				out[prefix] = readLeaves(t, data)
			}
		}
		if out[prefix] == nil {
			t.Fatalf("there is no revision %s…", prefix)
		}
	}
	return out
}
