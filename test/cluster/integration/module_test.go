package integration

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// "NetworkPolicy for every module … egress is denied unless granted",
// and it follows the capabilities.
func TestModulePolicyFollowsItsCapabilities(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1.0.0").Obj())
	readyModule(t, ns, "m")

	for _, tc := range []struct {
		capabilities []v1.Capability
		open         bool
		egress       string
	}{
		{nil, false, "none"},
		{[]v1.Capability{"network"}, true, "anywhere"},
		{[]v1.Capability{"network:egress"}, false, "anywhere"},
		{[]v1.Capability{"network:ingress"}, true, "none"},
		{[]v1.Capability{"database:read"}, false, "2 rules"},
		{nil, false, "none"},
	} {
		changeObject(t, ns, "m", func(m *v1.GatiModule) { m.Spec.Capabilities = tc.capabilities })
		await.Eventually(t, fmt.Sprintf("policy of the capabilities %v", tc.capabilities), func() error {
			p, err := findObject[networkingv1.NetworkPolicy](t, ns, "module-m")
			if err != nil {
				return err
			}
			if len(p.Spec.PolicyTypes) != 2 || len(p.Spec.Ingress) != 1 {
				return fmt.Errorf("it is about %v and has %d rules for calls in", p.Spec.PolicyTypes, len(p.Spec.Ingress))
			}
			if open := len(p.Spec.Ingress[0].From) == 0; open != tc.open {
				return fmt.Errorf("open to all is %v, want %v", open, tc.open)
			}
			if got := describeEgress(p); got != tc.egress {
				return fmt.Errorf("calls out go to %s, want %s", got, tc.egress)
			}
			return nil
		})
	}
	readyModule(t, ns, "m")
}

func describeEgress(p *networkingv1.NetworkPolicy) string {
	switch {
	case len(p.Spec.Egress) == 0:
		return "none"
	case len(p.Spec.Egress) == 1 && len(p.Spec.Egress[0].To) == 0 && len(p.Spec.Egress[0].Ports) == 0:
		return "anywhere"
	default:
		return fmt.Sprintf("%d rules", len(p.Spec.Egress))
	}
}

// The image of a namespace is an input of those that name none, "changing that is
// a user's change", and of those alone.
func TestImageOfTheNamespaceRollsThoseThatNameNone(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t, v1.AnnotationImage, "app:v1.0.0")
	createObject(t, builders.MakeHandler("follows").Namespace(ns).Obj())
	createObject(t, builders.MakeHandler("own").Namespace(ns).Image("own:v1.0.0").Obj())
	readyHandler(t, ns, "follows")
	readyHandler(t, ns, "own")
	awaitSettled(t, ns)
	before := readObject[appsv1.Deployment](t, ns, "handler-own").Generation

	runKubectl(t, ns, "", "annotate", "--overwrite", "namespace", ns, v1.AnnotationImage+"=app:v2.0.0")

	await.Eventually(t, "handler that runs app:v2.0.0", func() error {
		h := readObject[v1.GatiHandler](t, ns, "follows")
		if h.Status.Image != "app:v2.0.0" || h.Status.Version != "v2.0.0" {
			return fmt.Errorf("it runs %s as %s", h.Status.Image, h.Status.Version)
		}
		return nil
	})
	readyHandler(t, ns, "follows")
	checkServed(t, ns, "handler-follows", "app:v2.0.0", 1, 3000)
	awaitSettled(t, ns)
	if now := readObject[appsv1.Deployment](t, ns, "handler-own").Generation; now != before {
		t.Errorf("the Deployment of the handler with an image is at generation %d, before it was at %d", now, before)
	}
	if n := len(listRevisions(t, ns, "follows")); n != 2 {
		t.Errorf("%d revisions, want one for each image", n)
	}
}
