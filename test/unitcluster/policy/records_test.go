package policy

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// account is the name under which the controllers are known to the API server.
const account = "system:serviceaccount:gati-system:gati-controller"

// TestRecords holds that each field asks for its own verb, that what is not
// changed asks for nothing, and that gati-webhook is no exception and needs none.
func TestRecords(t *testing.T) {
	const ns = "records"
	makeNamespace(t, ns)
	verbs := []string{"traffic", "activate", "tag", "keep"}
	write := []string{"get", "create", "update", "patch"}
	for _, verb := range verbs {
		grantRights(t, ns, "only-"+verb, makeRule("gati.dev", []string{"gativersions"}, append(append([]string{}, write...), verb)))
	}
	grantRights(t, ns, "writer", makeRule("gati.dev", []string{"gativersions"}, write))
	grantRole(t, ns, "editor", "gati-edit")

	v := makeObject("v1", "GatiVersion", ns, "users-v1", "{handler: users, version: v1, traffic: 10, active: true, tags: [a, b], keep: false}")
	if err := clientOf("writer").Create(t.Context(), v); err != nil {
		t.Fatalf("creating a record allows all of its fields: %v", err)
	}
	patches := []struct{ name, version, patch string }{
		{"traffic set", "v1", `{"spec":{"traffic":20}}`},
		{"traffic set", "v1alpha1", `{"spec":{"routingWeight":20}}`},
		{"traffic removed", "v1", `{"spec":{"traffic":null}}`},
		{"traffic set to what it is", "v1", `{"spec":{"traffic":10}}`},
		{"active set", "v1", `{"spec":{"active":false}}`},
		{"active removed", "v1", `{"spec":{"active":null}}`},
		{"tag added", "v1", `{"spec":{"tags":["a","b","c"]}}`},
		{"tag removed", "v1", `{"spec":{"tags":["a"]}}`},
		{"tags removed", "v1", `{"spec":{"tags":null}}`},
		{"tags in another order", "v1", `{"spec":{"tags":["b","a"]}}`},
		{"tags removed by the annotation that carries them", "v1alpha1", `{"metadata":{"annotations":{"gati.dev/v1-fields":null}}}`},
		{"keep set", "v1", `{"spec":{"keep":true}}`},
		{"traffic and tags", "v1", `{"spec":{"traffic":0,"tags":[]}}`},
		{"breaking claimed", "v1", `{"spec":{"breaking":true}}`},
		{"label set", "v1", `{"metadata":{"labels":{"a":"b"}}}`},
		{"label set", "v1alpha1", `{"metadata":{"labels":{"a":"b"}}}`},
	}
	out := &record{}
	for _, who := range []string{"writer", "only-traffic", "only-activate", "only-tag", "only-keep", "editor", account} {
		c := clientOf(who)
		for _, p := range patches {
			if who == account && p.version != "v1" {
				continue // it writes the storage version alone
			}
			o := makeObject(p.version, "GatiVersion", ns, "users-v1", "{}")
			got := describeOutcome(c.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(p.patch)), client.DryRunAll))
			if who == account && got != "admitted" {
				got = "refused" // Two policies refuse it, and the API server tells of one.
			}
			out.addLine(who+", "+p.version+", "+p.name, got)
		}
	}
	out.compareGolden(t, "records.txt")
}

// TestTheAccountIsNeverInTheWay writes as the controllers do: the binding and the
// status of a record, and the status of a handler that carries a request.
func TestTheAccountIsNeverInTheWay(t *testing.T) {
	const ns = "account"
	makeNamespace(t, ns)
	h := makeHandler("v1", ns, "users", "{path: /a, image: 'app:v1', env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]}")
	if err := rootClient().Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if err := patchRequest(t.Context(), rootClient(), "v1", ns, "users", "pause/"+nthUUID(1), rootName); err != nil {
		t.Fatal(err)
	}
	c := clientOf(account, "system:serviceaccounts", "system:serviceaccounts:gati-system")
	automatic := makeObject("v1", "GatiVersion", ns, "users-v1", "{handler: users, version: v1, traffic: 10}")
	automatic.SetLabels(map[string]string{"gati.dev/automatic": "true"})
	automatic.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(h, v1.GroupVersion.WithKind("GatiHandler"))})
	if err := c.Create(t.Context(), automatic); err != nil {
		t.Fatal(err)
	}
	writes := []struct {
		name, patch string
		to          *unstructured.Unstructured
		status      bool
	}{
		{"binding", `{"metadata":{"labels":{"gati.dev/handler":"users","gati.dev/automatic":null}}}`, automatic, false},
		{"status of a record", `{"status":{"phase":"Active"}}`, automatic, true},
		{"status of a handler", `{"status":{"phase":"Running"}}`, h, true},
	}
	for _, w := range writes {
		patch := client.RawPatch(types.MergePatchType, []byte(w.patch))
		var err error
		if w.status {
			err = c.Status().Patch(t.Context(), w.to.DeepCopy(), patch)
		} else {
			err = c.Patch(t.Context(), w.to.DeepCopy(), patch)
		}
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
	}
	if err := c.Delete(t.Context(), automatic); err != nil {
		t.Error(err)
	}
}
