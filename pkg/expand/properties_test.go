package expand_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	psaapi "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
)

// owners makes handlers and modules with random specs.
func owners(t *testing.T, count int) []client.Object {
	t.Helper()
	source := random.New(t)
	var out []client.Object
	for range count {
		h, m := builders.MakeHandler("users").UID("u1").Obj(), builders.MakeModule("db").UID("u2").Obj()
		h.Spec, m.Spec = source.HandlerSpec(), source.ModuleSpec()
		out = append(out, h, m)
	}
	return append(out, everything().Obj())
}

func TestPlansAreDeterministicAndLeaveTheirInput(t *testing.T) {
	for _, o := range owners(t, 50) {
		before := encoded(t, o)
		first := text(t, plan(t, o).Objects)
		for range 3 {
			if diff := cmp.Diff(first, text(t, plan(t, o.DeepCopyObject().(client.Object)).Objects)); diff != "" {
				t.Fatalf("another plan for the same %T:\n%s", o, diff)
			}
		}
		if after := encoded(t, o); after != before {
			t.Fatalf("the input changed:\n%s", cmp.Diff(before, after))
		}
	}
}

// A plan may be changed without changing the user's object.
func TestPlansShareNothingWithTheUsersObject(t *testing.T) {
	for _, o := range owners(t, 50) {
		for _, child := range plan(t, o).Objects {
			if path := random.SharedMemory(o, child); path != "" {
				t.Fatalf("%T%s is the user's own", child, path)
			}
		}
	}
}

func TestTemplatesSatisfyTheRestrictedStandard(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := psaapi.LevelVersion{Level: psaapi.LevelRestricted, Version: psaapi.LatestVersion()}
	for _, o := range owners(t, 80) {
		template := find[*appsv1.Deployment](t, plan(t, o)).Spec.Template
		for _, result := range evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec) {
			// The kubelet's probes and hooks have a host field that we never set.
			if !result.Allowed {
				t.Fatalf("%T: %s: %s", o, result.ForbiddenReason, result.ForbiddenDetail)
			}
		}
	}
}

func TestNamesFit(t *testing.T) {
	long := strings.Repeat("a", 40)
	version := "v999999999.999999999.999999999-" + strings.Repeat("x", 90)
	h := everything().Version(version).Obj()
	h.Name = long
	m := builders.MakeModule(long).Replicas(3).Autoscale(2, 4).Obj()
	for _, o := range []client.Object{h, m} {
		p := plan(t, o)
		for _, child := range append(p.Objects, revisionObject(t, o, cut(t, o))) {
			if errs := validation.IsDNS1035Label(child.GetName()); len(errs) > 0 {
				t.Errorf("%T %q: %v", child, child.GetName(), errs)
			}
			for key, value := range child.GetLabels() {
				if errs := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(errs) > 0 {
					t.Errorf("%T: label %s=%s: %v", child, key, value, errs)
				}
			}
		}
	}
}

func revisionObject(t *testing.T, o client.Object, r expand.Revision) *appsv1.ControllerRevision {
	t.Helper()
	var out *appsv1.ControllerRevision
	var err error
	if h, ok := o.(*v1.GatiHandler); ok {
		out, err = expand.HandlerRevisionObject(h, r)
	} else {
		out, err = expand.ModuleRevisionObject(o.(*v1.GatiModule), r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Deployment, Service, budget, policy and autoscaler speak of the same pods.
func TestSelectorsMatchTheTemplate(t *testing.T) {
	for _, o := range owners(t, 50) {
		p := plan(t, o)
		d := find[*appsv1.Deployment](t, p)
		pods := labels.Set(d.Spec.Template.Labels)
		want := d.Spec.Selector.MatchLabels
		if !labels.SelectorFromSet(want).Matches(pods) || len(want) != 2 || want[v1.LabelWorkload] == "" {
			t.Fatalf("selector %v, pods %v", want, pods)
		}
		for _, child := range p.Objects {
			var got map[string]string
			switch c := child.(type) {
			case *corev1.Service:
				got = c.Spec.Selector
			case *policyv1.PodDisruptionBudget:
				got = c.Spec.Selector.MatchLabels
			case *networkingv1.NetworkPolicy:
				got = c.Spec.PodSelector.MatchLabels
			case *autoscalingv2.HorizontalPodAutoscaler:
				if c.Spec.ScaleTargetRef.Name != d.Name {
					t.Errorf("the autoscaler scales %s", c.Spec.ScaleTargetRef.Name)
				}
				continue
			default:
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%T (-want +got):\n%s", child, diff)
			}
		}
	}
}

// Every port that is asked for by name is one of the container's, and every mount
// has its volume.
func TestReferencesInsideThePlanHold(t *testing.T) {
	for _, o := range owners(t, 50) {
		p := plan(t, o)
		d, c := find[*appsv1.Deployment](t, p), container(t, p)
		target, having := find[*corev1.Service](t, p).Spec.Ports[0].TargetPort.StrVal, 0
		for _, each := range append(slices.Clone(d.Spec.Template.Spec.InitContainers), c) {
			if slices.ContainsFunc(each.Ports, func(port corev1.ContainerPort) bool { return port.Name == target }) {
				having++
			}
		}
		if having == 0 || having > 1 && c.Ports[0].Name == target {
			t.Errorf("the Service goes to port %q, which %d containers have", target, having)
		}
		configs := map[string]bool{}
		for _, child := range p.Objects {
			if cm, ok := child.(*corev1.ConfigMap); ok {
				configs[cm.Name] = true
			}
		}
		if name := c.EnvFrom[0].ConfigMapRef.Name; !configs[name] {
			t.Errorf("ConfigMap %s is not planned", name)
		}
		for _, m := range c.VolumeMounts {
			ours := strings.HasPrefix(m.Name, "gati-")
			if ours && !slices.ContainsFunc(d.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) {
				t.Errorf("mount %s has no volume", m.Name)
			}
		}
	}
}

// What the user lists comes through entire, in the user's order, after ours.
func TestUsersListsComeThrough(t *testing.T) {
	for _, o := range owners(t, 50) {
		h, ok := o.(*v1.GatiHandler)
		if !ok {
			continue
		}
		resolved, _ := defaulting.ResolveHandler(&h.Spec, cluster)
		spec, c := find[*appsv1.Deployment](t, plan(t, h)).Spec.Template.Spec, container(t, plan(t, h))
		tail := func(what string, got, want any, n, of int) {
			if diff := cmp.Diff(encoded(t, want), encoded(t, got)); n < of || diff != "" {
				t.Fatalf("%s (-want +got):\n%s", what, diff)
			}
		}
		env, from, set := resolved.Spec.Env, resolved.Spec.EnvFrom, resolved.Spec.Pod
		tail("env", last(c.Env, len(env)), last(env, len(env)), len(c.Env), len(env))
		tail("envFrom", last(c.EnvFrom, len(from)), last(from, len(from)), len(c.EnvFrom), len(from))
		tail("tolerations", spec.Tolerations, set.Tolerations, 0, 0)
		tail("imagePullSecrets", spec.ImagePullSecrets, set.ImagePullSecrets, 0, 0)
		tail("affinity", spec.Affinity, set.Affinity, 0, 0)
		tail("nodeSelector", spec.NodeSelector, set.NodeSelector, 0, 0)
		tail("command", c.Command, set.Command, 0, 0)
		tail("args", c.Args, set.Args, 0, 0)
	}
}

func last[T any](list []T, n int) []T { return append([]T{}, list[max(0, len(list)-n):]...) }

// Two owners in one namespace never plan the same object.
func TestChildrenOfDifferentOwnersHaveDifferentNames(t *testing.T) {
	source := rand.New(rand.NewSource(1))
	taken := map[string]string{}
	var names []string
	for range 400 {
		name := randomName(source)
		if len(names) > 0 && source.Intn(2) == 0 {
			// Names made of other names and of what we append are the likeliest to meet.
			name = names[source.Intn(len(names))] + []string{"-transformers", "-main", "-v1", "-0a1b2c3d", "-0a1b2c3d4e"}[source.Intn(5)]
		}
		if slices.Contains(names, name) || len(name) > 40 {
			continue
		}
		names = append(names, name)
		handler := builders.MakeHandler(name).Autoscale(2, 4).Gateway("g").Obj()
		module := builders.MakeModule(name).Autoscale(2, 4).Obj()
		for _, o := range []client.Object{handler, module} {
			p, owner := plan(t, o), fmt.Sprintf("%T %s", o, name)
			for _, child := range append(p.Objects, revisionObject(t, o, cut(t, o))) {
				key := fmt.Sprintf("%T %s", child, child.GetName())
				if other, ok := taken[key]; ok && other != owner {
					t.Fatalf("%s is planned for %s and for %s", key, other, owner)
				}
				taken[key] = owner
			}
		}
	}
}

func randomName(r *rand.Rand) string {
	words := []string{"handler", "module", "a", "users", "v1", "main", "x9"}
	name := words[r.Intn(len(words))]
	for range r.Intn(3) {
		name += "-" + words[r.Intn(len(words))]
	}
	return name
}
