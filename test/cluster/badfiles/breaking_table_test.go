package badfiles

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/kube"
)

// The schemas of v1, of a v2 that breaks its callers and of one that keeps them.
const (
	before   = `{type: object, properties: {name: {type: string}}}`
	breaking = `{type: object, required: [name], properties: {name: {type: string, maxLength: 8}}}`
	keeping  = `{type: object, properties: {name: {type: [string, "null"]}}}`
)

// row is one of the table.
type row struct {
	name, rollout, route string
}

var rows = []row{
	{"rolling", "{strategy: RollingUpdate}", ""},
	{"canary-gateway", "{strategy: Canary, steps: [{weight: 50, pause: 1s}]}", "route: {parentRefs: [{name: web}]}"},
	{"manual-gateway", "{strategy: Manual}", "route: {parentRefs: [{name: web}]}"},
	{"canary-pods", "{strategy: Canary, steps: [{weight: 50, pause: 1s}]}", ""},
	{"manual-pods", "{strategy: Manual}", ""},
}

func (r row) hasGateway() bool { return r.route != "" }

// handlerManifest returns the handler that declares a version with a schema of its input.
func (r row) handlerManifest(version, input string) string {
	return fmt.Sprintf(`apiVersion: gati.dev/v1
kind: GatiHandler
metadata: {name: users}
spec:
  path: /users-%s
  image: registry.example.com/users:%s
  replicas: 2
  rollout: %s
  %s
  schema:
    input: %s
`, r.name, version, r.rollout, r.route, input)
}

// recordManifest returns that of v2.
func recordManifest(spec string) string {
	return "apiVersion: gati.dev/v1\nkind: GatiVersion\nmetadata: {name: users-v2}\nspec:\n  handler: users\n  version: v2\n" + spec
}

const transformers = "  transformers: [{from: v1, to: v2, request: up, response: down}]\n"

// openNamespace makes the namespace of a row, in which v1 serves.
func (r row) openNamespace(t *testing.T, c client.Client) string {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	ns := strings.ToLower(test) + "-" + r.name + "-" + rand.String(5)
	env.Namespace(t, ns)
	mustApply(t, ns, r.handlerManifest("v1", before))
	await.Eventually(t, "v1 that serves", func() error {
		h := readHandler(t, c, ns)
		v := kube.VersionStatus(h, "v1")
		if v == nil || v.Weight != 100 || v.Schema == nil || h.Status.Rollout == nil || h.Status.Rollout.Phase != v1.RolloutStable || !meta.IsStatusConditionTrue(h.Status.Conditions, v1.ConditionReady) {
			return errors.New(describeHandler(h))
		}
		return nil
	})
	return ns
}

// awaitWeight waits until a version has at least that weight.
func awaitWeight(t *testing.T, c client.Client, ns, version string, least int32) {
	t.Helper()
	await.Eventually(t, fmt.Sprintf("%s with %d %%", version, least), func() error {
		h := readHandler(t, c, ns)
		if v := kube.VersionStatus(h, version); v == nil || v.Weight < least || v.Held != "" {
			return errors.New(describeHandler(h))
		}
		return nil
	})
}

// awaitHeld waits until a version is held, says why, and has no weight.
func awaitHeld(t *testing.T, c client.Client, ns string) *v1.GatiHandler {
	t.Helper()
	var h *v1.GatiHandler
	await.Eventually(t, "v2 that is held", func() error {
		h = readHandler(t, c, ns)
		c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionCompatible)
		switch v := kube.VersionStatus(h, "v2"); {
		case c == nil || c.Status != metav1.ConditionFalse || c.Reason != "Breaking" || !strings.Contains(c.Message, "v2 breaks callers of v1"):
			return errors.New("the condition is another" + describeHandler(h))
		case v != nil && v.Weight != 0:
			t.Fatalf("a held version has %d %%%s", v.Weight, describeHandler(h))
		case h.Status.Rollout == nil || h.Status.Rollout.Stable == nil:
			return errors.New("no version is stable" + describeHandler(h))
		case h.Status.Rollout.Stable.Version != "v1":
			t.Fatalf("v1 is not stable%s", describeHandler(h))
		}
		return nil
	})
	return h
}

// TestTheTableOfBreakingVersions applies each row and cell. The short form has every
// second row, "make soak NAME=theTableOfBreakingVersions" each.
func TestTheTableOfBreakingVersions(t *testing.T) {
	chosen := soak.Share(t, "theTableOfBreakingVersions", 2)
	c := newAdminClient(t)
	serveRoutes(t, c)
	for _, r := range rows {
		if !chosen() {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			ns := r.openNamespace(t, c)
			out, ok := applyText(t, ns, r.handlerManifest("v2", breaking))
			t.Log(out)
			if lines := strings.Count(out, "\n"); !strings.Contains(out, "v2 breaks callers of v1") || lines > 8 || !strings.Contains(out, "kubectl gati version diff users -n "+ns+" v1 v2") {
				t.Errorf("%d lines:\n%s", lines, out)
			}
			if ok != r.hasGateway() {
				t.Fatalf("taken: %v, want %v", ok, r.hasGateway())
			}
			if r.hasGateway() {
				r.byHeaderAlone(t, c, ns)
				// kubectl reads before it creates: the record would come in between.
				await.Eventually(t, "record of v2", func() error {
					return c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "users-v2"}, &v1.GatiVersion{})
				})
			}
			recordTransformers(t, c, ns)
			mustApply(t, ns, r.handlerManifest("v2", breaking))
			if strings.Contains(r.rollout, "Manual") {
				env.Must(t, "", "patch", "-n", ns, "gativersion", "users-v2", "--type=merge", "-p", `{"spec":{"traffic":100}}`)
			}
			awaitWeight(t, c, ns, "v2", 100)
			keepsContract(t, c, ns)
		})
	}
}

// recordTransformers records those between v1 and v2.
func recordTransformers(t *testing.T, c client.Client, ns string) {
	t.Helper()
	mustApply(t, ns, recordManifest(transformers))
	await.Eventually(t, "transformers that are bound", func() error {
		var gv v1.GatiVersion
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "users-v2"}, &gv); err != nil || gv.Labels[v1.LabelHandler] != "users" {
			return errors.New(fmt.Sprint(gv.Labels, err))
		}
		return nil
	})
}

// keepsContract holds that callers without a version still speak v1, and that the pods
// are told.
func keepsContract(t *testing.T, c client.Client, ns string) {
	t.Helper()
	await.Eventually(t, "pods that are told the contract", func() error {
		var file corev1.ConfigMap
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "handler-users-transformers"}, &file); err != nil {
			return err
		}
		var told expand.Transformers
		if err := json.Unmarshal([]byte(file.Data[expand.TransformersKey]), &told); err != nil {
			return err
		}
		h := readHandler(t, c, ns)
		at := h.Status.Rollout.Contract
		if at == nil || at.Version != "v1" || told.Contract != "v1" || !slices.Equal(told.Run, []string{"v1"}) || len(told.Pairs) != 1 || !slices.Contains(told.Live, "v2") {
			return fmt.Errorf("contract %+v, told %+v", at, told)
		}
		return nil
	})
}

// byHeaderAlone holds that v2 is reached by its header and by nothing else, and
// that it is given no weight when a user asks.
func (r row) byHeaderAlone(t *testing.T, c client.Client, ns string) {
	t.Helper()
	awaitHeld(t, c, ns)
	await.Eventually(t, "rule for the header of v2", func() error {
		var route gatewayv1.HTTPRoute
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "handler-users"}, &route); err != nil {
			return err
		}
		for _, rule := range route.Spec.Rules {
			for _, ref := range rule.BackendRefs {
				pinned := len(rule.Matches) > 0 && len(rule.Matches[0].Headers) > 0
				if string(ref.Name) != "handler-users--v2" {
					continue
				}
				if !pinned && (ref.Weight == nil || *ref.Weight > 0) {
					t.Fatalf("v2 has weight in the rule for everybody: %+v", rule)
				}
				if pinned {
					return nil
				}
			}
		}
		return fmt.Errorf("%+v", route.Spec.Rules)
	})
	if strings.Contains(r.rollout, "Manual") {
		await.Eventually(t, "the record of v2", func() error { // It is written after the children.
			return c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "users-v2"}, &v1.GatiVersion{})
		})
		out, ok := env.Kubectl(t.Context(), "", "patch", "-n", ns, "gativersion", "users-v2", "--type=merge", "-p", `{"spec":{"traffic":50}}`)
		if ok || !strings.Contains(out, "spec.traffic") || !strings.Contains(out, "v2 breaks callers of v1") {
			t.Errorf("a weight is taken: %s", out)
		}
	}
}

// TestASchemaStays holds that a version keeps what it promised, wherever that
// stands.
func TestASchemaStays(t *testing.T) {
	c := newAdminClient(t)
	r := rows[0]
	ns := r.openNamespace(t, c)
	for what, text := range map[string]string{
		"another schema": r.handlerManifest("v1", keeping),
		"no schema":      strings.Split(r.handlerManifest("v1", before), "  schema:")[0],
		"the record's":   strings.ReplaceAll(recordManifest("  schema: {input: {type: object, maxProperties: 3}}\n"), "v2", "v1"),
	} {
		if out, ok := applyText(t, ns, text); ok || !strings.Contains(out, "set a new version") {
			t.Errorf("%s is taken, or refused otherwise: %s", what, out)
		}
	}
	if out, ok := applyText(t, ns, r.handlerManifest("v2", breaking)+"  timescape: {breaking: false}\n"); ok || !strings.Contains(out, "spec.timescape.breaking") {
		t.Errorf("its author denies it: %s", out)
	}
}

// TestABreakingVersionIsStoredUnchecked removes the webhook configurations: what breaks
// callers is stored, held at weight 0, and says as a condition what apply would have said.
func TestABreakingVersionIsStoredUnchecked(t *testing.T) {
	c := newAdminClient(t)
	stories := map[string]string{}
	for _, r := range []row{rows[0], rows[3]} {
		stories[r.name] = r.openNamespace(t, c)
	}
	said := map[string]string{}
	for _, r := range []row{rows[0], rows[3]} {
		out, ok := applyText(t, stories[r.name], r.handlerManifest("v2", breaking))
		if ok {
			t.Fatalf("%s: taken", r.name)
		}
		said[r.name] = out
	}
	removeWebhooks(t, c)
	for _, r := range []row{rows[0], rows[3]} {
		await.Eventually(t, "handler that is stored unchecked", func() error {
			out, ok := applyText(t, stories[r.name], r.handlerManifest("v2", breaking))
			if !ok {
				return errors.New(out)
			}
			return nil
		})
		h := awaitHeld(t, c, stories[r.name])
		message := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionCompatible).Message
		for _, line := range strings.Split(message, "\n") {
			if !strings.Contains(line, "all of it:") && !strings.Contains(said[r.name], strings.TrimSpace(line)) {
				t.Errorf("the condition says %q, and apply said\n%s", line, said[r.name])
			}
		}
		await.Eventually(t, "a handler that waits for its author", func() error {
			if h := readHandler(t, c, stories[r.name]); !meta.IsStatusConditionTrue(h.Status.Conditions, v1.ConditionStalled) || h.Status.Phase != v1.PhaseRunning {
				return errors.New(string(h.Status.Phase) + describeHandler(h))
			}
			return nil
		})
	}
}
