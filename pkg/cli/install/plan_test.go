package install

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/doctor/checkup"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOf(t *testing.T) {
	wanted := object(t, "{kind: Service, metadata: {name: s}, spec: {a: 1}}")
	stored := object(t, "{kind: Service, metadata: {name: s, resourceVersion: '7', generation: 1, managedFields: [{manager: x}]}, spec: {a: 1}, status: {b: 1}}")
	noted := object(t, "{kind: Service, metadata: {name: s, resourceVersion: '8', generation: 2}, spec: {a: 1}}")
	changed := object(t, "{kind: Service, metadata: {name: s, labels: {a: b}}, spec: {a: 1}}")
	cases := map[string]struct {
		stored, applied *unstructured.Unstructured
		want            action
	}{
		"nothing stored":         {nil, nil, create},
		"only notes differ":      {stored, noted, keep},
		"a label is to be added": {stored, changed, change},
	}
	for name, tc := range cases {
		if got := stepFor(wanted, tc.stored, tc.applied); got.action != tc.want {
			t.Errorf("%s: %s, want %s", name, got.action, tc.want)
		}
	}
}

// TestPlan holds how a plan reads, and which command it is for.
func TestPlan(t *testing.T) {
	crd := object(t, "{kind: CustomResourceDefinition, metadata: {name: x.gati.dev}}")
	service := object(t, "{kind: Service, metadata: {name: s, namespace: shop}}")
	cases := map[string]struct {
		plan             plan
		install, upgrade bool
	}{
		"new":     {plan{{action: create, object: crd}, {action: create, object: service}}, true, false},
		"partial": {plan{{action: keep, object: crd}, {action: create, object: service}}, true, true},
		"other":   {plan{{action: keep, object: crd}, {action: change, object: service}}, false, true},
		"same":    {plan{{action: keep, object: crd}, {action: keep, object: service}}, true, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := tc.plan.printSteps(&out); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, name+".txt", out.String()+tc.plan.summary()+"\n")
			for upgrade, want := range map[bool]bool{false: tc.install, true: tc.upgrade} {
				if err := tc.plan.checkFits(upgrade, ""); (err == nil) != want {
					t.Errorf("upgrade %v: %v", upgrade, err)
				}
			}
		})
	}
}

func TestPath(t *testing.T) {
	for text, want := range map[string]string{
		"{apiVersion: v1, kind: Namespace, metadata: {name: shop}}":                                                  "/api/v1/namespaces/shop",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: shop}}":                              "/apis/apps/v1/namespaces/shop/deployments/d",
		"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}}":                               "/apis/scheduling.k8s.io/v1/priorityclasses/p",
		"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}}":        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p",
		"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: p}}": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/p",
	} {
		if got := pathOf(object(t, text)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestExport holds that what is exported can be applied, and says nothing of the
// cluster that it comes from.
func TestExport(t *testing.T) {
	stored := []*unstructured.Unstructured{
		object(t, `{apiVersion: gati.dev/v1, kind: GatiHandler, spec: {path: /u}, status: {phase: Running}, metadata: {name: u, namespace: shop, uid: x,
			labels: {team: a}, annotations: {gati.dev/plan: x, mine: kept, gati.dev/request: pause/1, gati.dev/requested-by: me}}}`),
		object(t, `{apiVersion: gati.dev/v1, kind: GatiVersion, spec: {version: v1}, metadata: {name: u-v1, namespace: shop, labels: {gati.dev/automatic: "true"}}}`),
		object(t, `{apiVersion: gati.dev/v1, kind: GatiVersion, spec: {version: v2}, metadata: {name: u-v2, namespace: shop, annotations: {gati.dev/plan: x}}}`),
		object(t, `{apiVersion: gati.dev/v1, kind: GatiVersion, spec: {tags: [blue]}, status: {handler: u, version: v3, automatic: false}, metadata: {name: u-v3, namespace: shop, labels: {gati.dev/automatic: "true"}}}`),
		object(t, `{apiVersion: gati.dev/v1, kind: GatiVersion, spec: {version: v4}, status: {automatic: true}, metadata: {name: u-v4, namespace: shop}}`),
	}
	var out strings.Builder
	if err := writeManifests(&out, manifestsOf(stored)); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "export.yaml", out.String())
}

func TestSetImage(t *testing.T) {
	for url, want := range map[string]bool{"": true, "https://10.0.0.1:9443": false} {
		o := &options{url: url, image: "r.example/w:v9"}
		objects, err := o.bundledObjects()
		if (err == nil) != want {
			t.Errorf("with the address %q: %v", url, err)
			continue
		}
		var out strings.Builder
		if err := writeManifests(&out, objects); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "image: r.example/w:v9\n") == 2; got != want {
			t.Errorf("with the address %q the image is set: %v", url, got)
		}
	}
}

func TestLost(t *testing.T) {
	elsewhere := object(t, "{kind: GatiHandler, metadata: {name: a, namespace: shop}}")
	inside := object(t, "{kind: GatiHandler, metadata: {name: b, namespace: gati-system}}")
	if err := checkNothingLost([]*unstructured.Unstructured{elsewhere}); err != nil {
		t.Error(err)
	}
	if err := checkNothingLost([]*unstructured.Unstructured{elsewhere, inside}); err == nil || !strings.Contains(err.Error(), "gatihandler/b -n gati-system") {
		t.Errorf("got %v", err)
	}
}

// TestObstacle holds that a wait is for the installation, not for what its user
// lacks or the cluster has besides.
func TestObstacle(t *testing.T) {
	found := []checkup.Finding{
		{Check: "rights", Level: checkup.Problem, Message: "no"},
		{Check: "hooks", Level: checkup.Unknown, Message: "no"},
	}
	if got := findObstacle(found); got != "" {
		t.Errorf("got %q", got)
	}
	found = append(found, checkup.Finding{Check: "ca-bundle", Level: checkup.Problem, Object: "crd/x", Message: "has no caBundle"})
	if got := findObstacle(found); got != "crd/x has no caBundle" {
		t.Errorf("got %q", got)
	}
}
