package integration

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

var spaces = regexp.MustCompile(` +`)

// readTable returns what kubectl get prints, without the ages and the padding.
func readTable(t *testing.T, ns string, args ...string) string {
	t.Helper()
	out := runKubectl(t, ns, "", append([]string{"get"}, args...)...)
	out = regexp.MustCompile(`\b(\d+[smh])+\b`).ReplaceAllString(out, "AGE")
	var lines []string
	for line := range strings.Lines(out) {
		lines = append(lines, strings.TrimSpace(spaces.ReplaceAllString(line, " ")))
	}
	return strings.Join(lines, "\n")
}

// "kubectl wait, get columns, scale work".
func TestKubectlWaitAndColumns(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.2.0").Path("/a/:id").Replicas(2).Obj())
	createObject(t, builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj())

	runKubectl(t, ns, "", "wait", "--for=condition=Ready", "--timeout=90s", "gh/a", "gm/m", "gv/a-v1-2-0")
	runKubectl(t, ns, "", "wait", "--for=condition=Reconciling=False", "--timeout=90s", "gh/a")
	runKubectl(t, ns, "", "wait", "--for=jsonpath={.status.phase}=Running", "--timeout=90s", "gh/a", "gm/m")
	awaitSettled(t, ns)

	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"handlers":       {[]string{"gh"}, "NAME VERSION READY STATUS AGE\na v1.2.0 2/2 Healthy AGE"},
		"handlers, wide": {[]string{"gh", "-o", "wide"}, "NAME VERSION READY STATUS AGE DECLARED PATH WEIGHTS REASON\na v1.2.0 2/2 Healthy AGE v1.2.0 /a/:id v1.2.0=100% Version v1.2.0 serves with 2 of 2 pods ready."},
		"records":        {[]string{"gv"}, "NAME HANDLER VERSION PHASE STATUS AGE\na-v1-2-0 a v1.2.0 Active Serving AGE"},
	} {
		if got := readTable(t, ns, tc.args...); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tc.want)
		}
	}
	if err := checkContains(readTable(t, ns, "gm"), "\nm ", "1/1", "Healthy"); err != nil {
		t.Error("modules: ", err)
	}
	if err := checkContains(readTable(t, ns, "gati"), "gatihandler.gati.dev/a", "gatimodule.gati.dev/m", "gativersion.gati.dev/a-v1-2-0"); err != nil {
		t.Error("the category gati: ", err)
	}
}

// The scale subresource: kubectl scale writes spec.replicas, and its status and
// selector are those of the workload, as kubectl autoscale needs them.
func TestScaleSubresource(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
	readyHandler(t, ns, "a")

	runKubectl(t, ns, "", "scale", "gh/a", "--replicas=3")

	readyHandler(t, ns, "a")
	awaitReplicas(t, ns, "handler-a", 3)
	await.Eventually(t, "three pods in the scale", func() error {
		out := runKubectl(t, ns, "", "get", "--raw", "/apis/gati.dev/v1/namespaces/"+ns+"/gatihandlers/a/scale")
		return checkContains(out, `"spec":{"replicas":3}`, `"replicas":3,"selector":"`)
	})
	selector, err := labels.Parse(readObject[v1.GatiHandler](t, ns, "a").Status.Selector)
	if err != nil {
		t.Fatal(err)
	}
	fits := 0
	for _, p := range listObjects[corev1.Pod, corev1.PodList](t, ns) {
		if selector.Matches(labels.Set(p.Labels)) {
			fits++
		}
	}
	if fits != 3 {
		t.Errorf("the selector %q fits %d pods, want 3", selector, fits)
	}
	if n := len(listRevisions(t, ns, "a")); n != 1 {
		t.Errorf("%d revisions after scaling, want 1", n)
	}
	runKubectl(t, ns, "", "scale", "gh/a", "--replicas=0")
	h := readyHandler(t, ns, "a")
	if err := checkContains(h.Status.Conditions[1].Message+h.Status.Conditions[0].Message, "scaled to 0"); err != nil {
		t.Error(err)
	}
}

// Events tell what was made and when a handler became ready or needs a user.
func TestEventsTellWhatHappened(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, &corev1.Service{
		ObjectMeta: builders.MakeHandler("handler-b").Namespace(ns).Obj().ObjectMeta,
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	})
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
	createObject(t, builders.MakeHandler("b").Namespace(ns).Image("app:v1.0.0").Obj())
	readyHandler(t, ns, "a")
	stalledHandler(t, ns, "b", "Service handler-b")
	if err := admin.Delete(t.Context(), readObject[corev1.Service](t, ns, "handler-a")); err != nil {
		t.Fatal(err)
	}

	await.Eventually(t, "Events", func() error {
		var seen []string
		for _, e := range listObjects[corev1.Event, corev1.EventList](t, ns) {
			if e.InvolvedObject.Kind == "GatiHandler" {
				seen = append(seen, fmt.Sprintf("%s %s %s: %s", e.InvolvedObject.Name, e.Type, e.Reason, e.Message))
			}
		}
		return checkContains(strings.Join(seen, "\n"), "a Normal Applied: created Service handler-a",
			"a Normal Ready: Version v1.0.0 serves", "b Warning ForeignObject: Service handler-b already exists")
	})
}

// The status names the children and the values that were derived.
func TestStatusNamesWhatWasDerived(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.2.0").Obj())
	h := readyHandler(t, ns, "a")
	d := readObject[appsv1.Deployment](t, ns, "handler-a")
	var names []string
	for _, c := range h.Status.Children {
		names = append(names, c.Kind+" "+c.Name)
	}
	if err := checkContains(strings.Join(names, ", "), "Deployment.apps "+d.Name, "Service handler-a", "ConfigMap handler-a-"); err != nil {
		t.Error("children: ", err)
	}
	if h.Status.Resolved == nil || h.Status.Resolved.Resources != "100m/128Mi to 500m/512Mi" {
		t.Errorf("resolved: %+v, want the resources 100m/128Mi to 500m/512Mi", h.Status.Resolved)
	}
	if h.Spec.Resources != nil || h.Spec.Version != "" {
		t.Errorf("derived values are in the spec: %+v, %q", h.Spec.Resources, h.Spec.Version)
	}
}
