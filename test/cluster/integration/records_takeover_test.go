package integration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// onlyRecords waits until the records of a namespace are these, name to version.
func onlyRecords(t *testing.T, ns string, want map[string]string) {
	t.Helper()
	await.Eventually(t, fmt.Sprintf("records %v alone", want), func() error {
		if got := readRecords(t, ns); !maps.Equal(got, want) {
			return fmt.Errorf("they are %v", got)
		}
		return nil
	})
}

// servedHandler makes a handler a of version v1.0.0 and waits for it and its
// automatic record.
func servedHandler(t *testing.T, ns string) {
	t.Helper()
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
	readyHandler(t, ns, "a")
	acceptedRecord(t, ns, "a-v1-0-0", true)
}

// "… user-handler-v1 is the one record of v1.0.0": the automatic one yields, and
// the workload does not notice. The user's stays while the version runs.
func TestUsersRecordTakesThePlaceOfTheAutomaticOne(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	servedHandler(t, ns)
	before := readObject[appsv1.Deployment](t, ns, "handler-a")

	createObject(t, builders.MakeVersion("a-mine").Namespace(ns).Handler("a").Obj())
	onlyRecords(t, ns, map[string]string{"a-mine": "v1.0.0"})
	await.Eventually(t, "the user's record in the handler's status", func() error {
		if got := readObject[v1.GatiHandler](t, ns, "a").Status.Versions[0].Record; got != "a-mine" {
			return fmt.Errorf("the status names %q", got)
		}
		return nil
	})

	mine := readObject[v1.GatiVersion](t, ns, "a-mine")
	if err := admin.Delete(t.Context(), mine); err == nil || !strings.Contains(err.Error(), "which GatiHandler a runs with 100 % of the traffic") {
		t.Errorf("the record of a running version went: %v", err)
	}
	after := readObject[appsv1.Deployment](t, ns, "handler-a")
	if after.UID != before.UID || after.Generation != before.Generation {
		t.Errorf("the Deployment was touched: uid %s and generation %d, before %s and %d", after.UID, after.Generation, before.UID, before.Generation)
	}
}

// The user's record applied first: there never is an automatic one beside it.
func TestUsersRecordAppliedFirst(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	createObject(t, builders.MakeVersion("a-mine").Namespace(ns).Handler("a").Version("v1.0.0").Obj())
	createObject(t, builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj())
	readyHandler(t, ns, "a")
	acceptedRecord(t, ns, "a-mine", true)
	onlyRecords(t, ns, map[string]string{"a-mine": "v1.0.0"})
}

// "A user who applies over an automatic record owns it: label and ownerReference
// go."
func TestAutomaticRecordThatAUserAppliesOver(t *testing.T) {
	t.Parallel()
	manifest := "apiVersion: gati.dev/v1\nkind: GatiVersion\nmetadata:\n  name: a-v1-0-0\nspec:\n  tags: [stable]\n"
	for name, args := range map[string][]string{
		"client-side": {"apply", "-f", "-"},
		"server-side": {"apply", "--server-side", "-f", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t)
			servedHandler(t, ns)
			uid := readObject[v1.GatiVersion](t, ns, "a-v1-0-0").UID

			runKubectl(t, ns, manifest, args...)

			await.Eventually(t, "record that is the user's", func() error {
				r := readObject[v1.GatiVersion](t, ns, "a-v1-0-0")
				if r.Labels[v1.LabelAutomatic] != "" || len(r.OwnerReferences) > 0 {
					return fmt.Errorf("labels %v, owners %v", r.Labels, r.OwnerReferences)
				}
				return nil
			})
			r := acceptedRecord(t, ns, "a-v1-0-0", true)
			if r.UID != uid || len(r.Spec.Tags) != 1 || r.Labels[v1.LabelHandler] != "a" {
				t.Errorf("uid %s, want %s; tags %v, want stable; labels %v, want the binding", r.UID, uid, r.Spec.Tags, r.Labels)
			}
			// It is no child any more: it stays when the handler goes.
			removeObject[v1.GatiHandler](t, ns, "a")
			noChildren(t, ns)
			readObject[v1.GatiVersion](t, ns, "a-v1-0-0")
		})
	}
}

// "Among users' records … the oldest wins; the other is … Accepted=False."
func TestOldestOfTwoUsersRecordsWins(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	servedHandler(t, ns)
	// Its name comes last, so that age alone can make it win.
	createObject(t, builders.MakeVersion("z-first").Namespace(ns).Handler("a").Obj())
	acceptedRecord(t, ns, "z-first", true)
	first := readObject[v1.GatiVersion](t, ns, "z-first").CreationTimestamp
	await.Eventually(t, "a later second of the server's clock", func() error {
		probe := builders.MakeVersion("b-second").Namespace(ns).Handler("a").Obj()
		if err := admin.Create(t.Context(), probe, client.DryRunAll); err != nil {
			return err
		}
		if !probe.CreationTimestamp.After(first.Time) {
			return errors.New("it is the same second")
		}
		return nil
	})

	createObject(t, builders.MakeVersion("b-second").Namespace(ns).Handler("a").Obj())
	acceptedRecord(t, ns, "b-second", false, "z-first is older")
	acceptedRecord(t, ns, "z-first", true)

	removeObject[v1.GatiVersion](t, ns, "z-first")
	acceptedRecord(t, ns, "b-second", true)
	onlyRecords(t, ns, map[string]string{"b-second": "v1.0.0"})
}

// "An automatic record always yields … unless it carries tags … that others set
// and the new one lacks: then the new one is refused, naming them."
func TestAutomaticRecordWithTagsDoesNotYield(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	servedHandler(t, ns)
	addTag(t, ns, "a-v1-0-0", "production")

	createObject(t, builders.MakeVersion("a-mine").Namespace(ns).Handler("a").Obj())
	acceptedRecord(t, ns, "a-mine", false, "a-v1-0-0", "tags")
	acceptedRecord(t, ns, "a-v1-0-0", true)

	changeObject(t, ns, "a-mine", func(r *v1.GatiVersion) { r.Spec.Tags = []v1.Tag{"production"} })
	acceptedRecord(t, ns, "a-mine", true)
	onlyRecords(t, ns, map[string]string{"a-mine": "v1.0.0"})
}

// addTag does what kubectl gati does to a record.
func addTag(t *testing.T, ns, name string, tag v1.Tag) {
	t.Helper()
	r := readObject[v1.GatiVersion](t, ns, name)
	before := r.DeepCopy()
	r.Spec.Tags = append(r.Spec.Tags, tag)
	if err := admin.Patch(context.Background(), r, client.MergeFrom(before), client.FieldOwner("kubectl-gati")); err != nil {
		t.Fatal(err)
	}
	if got := readObject[v1.GatiVersion](t, ns, name); !metav1.IsControlledBy(got, readObject[v1.GatiHandler](t, ns, "a")) {
		t.Errorf("a tag alone took the record from its handler: owners %v", got.OwnerReferences)
	}
}
