package integration

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// A dry run is answered like the real thing and leaves nothing.
func TestServerDryRunLeavesNothing(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	for _, name := range []string{sampleReadme, sampleSummary, sampleCRDs} {
		m := inVersion(t, name, ns, "v1")
		out := m.runKubectl(t, "apply", "--dry-run=server")
		if err := checkContains(out, "user-handler created (server dry run)"); err != nil {
			t.Error(err)
		}
	}
	awaitSettled(t, ns)
	left, err := listChildren(t.Context(), ns)
	if err != nil || len(left) > 0 {
		t.Errorf("children are left: %v (%v)", left, err)
	}
	if n := len(listObjects[v1.GatiHandler, v1.GatiHandlerList](t, ns)) + len(listObjects[v1.GatiVersion, v1.GatiVersionList](t, ns)); n > 0 {
		t.Errorf("%d objects are stored", n)
	}
	if events := listObjects[corev1.Event, corev1.EventList](t, ns); len(events) > 0 {
		t.Errorf("an Event tells of it: %s", events[0].Message)
	}
}

// "Errors at kubectl apply": what is wrong is refused, with its
// field, whoever finds it: the CRD's schema, its CEL or the webhook.
func TestInvalidObjectIsRefusedWithItsField(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	ok := func() *builders.Handler { return builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0") }
	cases := map[string]struct {
		obj   client.Object
		texts []string
	}{
		"schema":      {ok().Port(70000).Obj(), []string{"spec.port", "65535"}},
		"CEL":         {ok().Autoscale(5, 2).Obj(), []string{"spec.autoscaling.minReplicas", "maxReplicas"}},
		"path":        {ok().Path("no/slash").Obj(), []string{"spec.path", "slash"}},
		"name":        {builders.MakeHandler("a--b").Namespace(ns).Image("app:v1.0.0").Obj(), []string{"metadata.name"}},
		"webhook":     {builders.MakeHandler("a").Namespace(ns).Obj(), []string{"spec.image", "kubectl annotate namespace " + ns}},
		"capability":  {builders.MakeModule("m").Namespace(ns).ModuleName("m").Runtime("node:20").Image("m:v1").Capabilities("CAP_NET_ADMIN").Obj(), []string{"spec.capabilities[0]", "network:egress"}},
		"transformer": {builders.MakeVersion("v").Namespace(ns).Spec(halfPair).Obj(), []string{"spec.transformers[0]", "from and to"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := admin.Create(context.Background(), tc.obj)
			if !apierrors.IsInvalid(err) {
				t.Fatalf("it was not refused as invalid: %v", err)
			}
			if err := checkContains(err.Error(), tc.texts...); err != nil {
				t.Error(err)
			}
		})
	}
}

func halfPair(s *v1.GatiVersionSpec) { s.Transformers = []v1.Transformer{{From: "v1"}} }

// "Immutable once set", in either version.
func TestRecordKeepsWhatIsImmutable(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeVersion("a-mine").Namespace(ns).Handler("a").Version("v1.0.0").Obj())
	for _, version := range []string{"v1", "v1alpha1"} {
		resource := "gativersions." + version + ".gati.dev/a-mine"
		field := map[string]string{"v1": "version", "v1alpha1": "versionId"}[version]
		out, err := cluster.Run(t.Context(), "", "-n", ns, "patch", resource, "--type=merge", "-p", `{"spec":{"`+field+`":"v2.0.0"}}`)
		if err == nil {
			t.Fatalf("%s: the version was changed: %s", version, out)
		}
		if err := errors.Join(checkContains(out, "spec."+field, "immutable")); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}
