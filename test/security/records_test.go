package security

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
)

// TestMetadataMovesNothing changes the labels and annotations of records as a user who
// may update records, and has none of the verbs traffic, activate, tag and keep.
func TestMetadataMovesNothing(t *testing.T) {
	const ns = "records"
	gateways.Set("records", gateway.Behavior{})
	owner, labeller := makeTenant(t, ns), makeLabeller(t, ns)
	mayRoute(t, ns)
	runTwoVersions(t, owner, ns)
	before := awaitWeights(t, ns, map[string]int32{"v1.0.0": 90, "v2.0.0": 10})
	first := readRecord(t, ns, "shop-first").UID

	logAttempt(t, "the annotation and the label gati.dev/version of two records are swapped, and both are given to another handler")
	for name, version := range map[string]string{"shop-first": "v2.0.0", "shop-second": "v1.0.0"} {
		patchRecord(t, labeller, ns, name, fmt.Sprintf(
			`{"metadata":{"annotations":{"gati.dev/version":%q},"labels":{"gati.dev/version":"v9","gati.dev/handler":"other"}}}`, version), "")
	}
	awaitLabels(t, ns, "shop-first", "shop-second")
	if after := readPins(t, ns); !slices.Equal(before, after) {
		t.Errorf("pins %v, before %v", after, before)
	}
	patchRecord(t, owner, ns, "shop-first", `{"spec":{"traffic":80}}`, "")
	patchRecord(t, owner, ns, "shop-second", `{"spec":{"traffic":20}}`, "")
	after := awaitWeights(t, ns, map[string]int32{"v1.0.0": 80, "v2.0.0": 20})
	if !slices.Equal(before, after) {
		t.Errorf("pins %v, before %v", after, before)
	}
	logDefence(t, "the shares that the records ask for later are those of their versions; the pins are the same; the labels are put back")

	logAttempt(t, "a record without spec.version, bound to v2.0.0, is given spec.version v1.0.0")
	patchRecord(t, labeller, ns, "shop-second", `{"spec":{"version":"v1.0.0"}}`, "must be the version that the record is bound to")
	logAttempt(t, "it is given an owner that does not exist, for the garbage collector to delete it")
	patchRecord(t, labeller, ns, "shop-second", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":"none"}]}}`, "needs the verb delete")
	logAttempt(t, "its traffic is changed outright")
	patchRecord(t, labeller, ns, "shop-second", `{"spec":{"traffic":100}}`, "needs the verb traffic")
	logDefence(t, "all three are refused")

	logAttempt(t, "a user's record is labelled gati.dev/automatic, and another one for its version is created, which an automatic one would yield to")
	patchRecord(t, labeller, ns, "shop-first", `{"metadata":{"labels":{"gati.dev/automatic":"true"}}}`, "")
	mustCreate(t, owner, builders.MakeVersion("shop-third").Namespace(ns).Handler("shop").Version("v1.0.0").Traffic(80).Tags("blue").Obj())
	await.Eventually(t, "refusal of the second record of v1.0.0", func() error {
		c := meta.FindStatusCondition(readRecord(t, ns, "shop-third").Status.Conditions, v1.ConditionAccepted)
		if c == nil || c.Status != metav1.ConditionFalse || !strings.Contains(c.Message, "shop-first is older") {
			return fmt.Errorf("the condition is %+v", c)
		}
		return nil
	})
	awaitLabels(t, ns, "shop-first")
	if got := readRecord(t, ns, "shop-first").UID; got != first {
		t.Errorf("the record was deleted and made again: uid %s, before %s", got, first)
	}
	logDefence(t, "the older record counts and stays; the label is gone")
}

// makeLabeller returns the client of a user who may update records and has no verb of theirs.
func makeLabeller(t *testing.T, ns string) client.Client {
	t.Helper()
	user := "labeller-of-" + ns
	mustCreate(t, admin, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: user},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"gati.dev"}, Resources: []string{"gativersions"}, Verbs: []string{"get", "update", "patch"}}},
	})
	bindRole(t, ns, user, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user})
	awaitRight(t, user, authorizationv1.ResourceAttributes{Namespace: ns, Group: "gati.dev", Resource: "gativersions", Verb: "patch"})
	return clientOf(t, user)
}

// runTwoVersions brings up two versions of a handler that share its traffic as the
// records of the user say. The second record names no version.
func runTwoVersions(t *testing.T, c client.Client, ns string) {
	t.Helper()
	mustCreate(t, c, builders.MakeHandler("shop").Namespace(ns).Image("app:v1.0.0").Path("/shop").GatewayIn("infra", "records").
		Strategy(v1.StrategyManual).Obj())
	mustCreate(t, c, builders.MakeVersion("shop-first").Namespace(ns).Handler("shop").Version("v1.0.0").Traffic(90).Tags("blue").Obj())
	awaitWeights(t, ns, map[string]int32{"v1.0.0": 100})
	h := readHandler(t, ns, "shop")
	change := h.DeepCopy()
	change.Spec.Image = "app:v2.0.0"
	if err := c.Patch(t.Context(), change, client.MergeFrom(h)); err != nil {
		t.Fatal(err)
	}
	awaitWeights(t, ns, map[string]int32{"v1.0.0": 100, "v2.0.0": 0})
	mustCreate(t, c, builders.MakeVersion("shop-second").Namespace(ns).Handler("shop").Traffic(10).Tags("green").Obj())
}

// awaitWeights waits until the gateway has accepted the weights, and returns the pins.
func awaitWeights(t *testing.T, ns string, want map[string]int32) []string {
	t.Helper()
	await.Eventually(t, fmt.Sprintf("weights %v", want), func() error {
		got := map[string]int32{}
		for _, v := range readHandler(t, ns, "shop").Status.Versions {
			got[v.Version] = ptr.Deref(v.AcceptedWeight, -1)
		}
		if !maps.Equal(got, want) {
			return fmt.Errorf("they are %v", got)
		}
		return nil
	})
	return readPins(t, ns)
}

// readPins returns the headers of the route with the Services that they lead to.
func readPins(t *testing.T, ns string) []string {
	t.Helper()
	var route gatewayv1.HTTPRoute
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "handler-shop"}, &route); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, rule := range route.Spec.Rules {
		for _, m := range rule.Matches {
			for _, header := range m.Headers {
				out = append(out, header.Value+" leads to "+string(rule.BackendRefs[0].Name))
			}
		}
	}
	return out
}

// awaitLabels waits until records have the labels of their binding again.
func awaitLabels(t *testing.T, ns string, names ...string) {
	t.Helper()
	for _, name := range names {
		await.Eventually(t, "labels of "+name, func() error {
			labels := readRecord(t, ns, name).Labels
			if _, automatic := labels[v1.LabelAutomatic]; automatic || labels[v1.LabelHandler] != "shop" {
				return errors.New("they are " + fmt.Sprint(labels))
			}
			return nil
		})
	}
}

// patchRecord patches a record, and wants a refusal with that text, or none.
func patchRecord(t *testing.T, c client.Client, ns, name, patch, refusal string) {
	t.Helper()
	record := &v1.GatiVersion{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
	err := c.Patch(t.Context(), record, client.RawPatch(types.MergePatchType, []byte(patch)))
	switch {
	case refusal == "" && err != nil:
		t.Fatal(err)
	case refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal)):
		t.Errorf("%s got through, or was refused for something else than %q: %v", patch, refusal, err)
	}
}

func readRecord(t *testing.T, ns, name string) *v1.GatiVersion {
	t.Helper()
	var record v1.GatiVersion
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, &record); err != nil {
		t.Fatal(err)
	}
	return &record
}
