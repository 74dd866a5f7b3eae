package policy

import (
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Who writes ControllerRevisions.
const (
	gati      = "system:serviceaccount:gati-system:gati-controller"
	collector = "system:serviceaccount:kube-system:generic-garbage-collector"
	deployer  = "deployer-of-a"
)

// makeRevision returns a ControllerRevision with an owner of an API.
func makeRevision(name, api string) *appsv1.ControllerRevision {
	yes := true
	return &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: team, Name: name, Labels: map[string]string{"gati.dev/inputs": "0"}, Annotations: map[string]string{"gati.dev/schema": "{}"}, Finalizers: []string{"a.b/c"},
			OwnerReferences: []metav1.OwnerReference{
				{APIVersion: api, Kind: "GatiHandler", Name: "users", UID: "u", Controller: &yes, BlockOwnerDeletion: &yes},
				{APIVersion: "v1", Kind: "ConfigMap", Name: "c", UID: "c"},
			},
		},
		Data: runtime.RawExtension{Raw: []byte(`{"template":{}}`)}, Revision: 1,
	}
}

// TestRevisionsAreOurs holds who may create and change a ControllerRevision of a handler or
// module, and that those of others are left alone.
func TestRevisionsAreOurs(t *testing.T) {
	makePeople(t)
	for _, user := range []string{gati, collector, deployer} {
		grantRights(t, team, user, makeRule("apps", []string{"controllerrevisions"}, []string{"get", "create", "update", "patch", "delete"}))
	}
	refused := func(t *testing.T, err error, want bool) {
		t.Helper()
		if got := describeOutcome(err); strings.Contains(got, "is written by Gati alone") != want || !want && got != "admitted" {
			t.Errorf("refused must be %v: %s", want, got)
		}
	}
	for _, api := range []string{"gati.dev/v1", "gati.dev/v1alpha1", "gati.dev/v9"} {
		for _, user := range []string{gati, collector, deployer, rootName} {
			c := clientOf(user)
			if user == rootName {
				c = rootClient()
			}
			refused(t, c.Create(t.Context(), makeRevision("new", api), dryRun), user != gati)
		}
	}
	refused(t, clientOf(deployer).Create(t.Context(), makeRevision("new", "apps/v1"), dryRun), false)

	run := "-" + rand.String(5) // a finalizer keeps them
	ours, others := makeRevision("ours"+run, "gati.dev/v1"), makeRevision("others"+run, "apps/v1")
	if err := errors.Join(clientOf(gati).Create(t.Context(), ours), rootClient().Create(t.Context(), others)); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change    func(*appsv1.ControllerRevision)
		takesAway bool
	}{
		"nothing":                       {func(*appsv1.ControllerRevision) {}, true},
		"a finalizer less":              {func(cr *appsv1.ControllerRevision) { cr.Finalizers = nil }, true},
		"an owner less":                 {func(cr *appsv1.ControllerRevision) { cr.OwnerReferences = cr.OwnerReferences[:1] }, true},
		"no owner":                      {func(cr *appsv1.ControllerRevision) { cr.OwnerReferences = nil }, true},
		"deletion not blocked":          {func(cr *appsv1.ControllerRevision) { *cr.OwnerReferences[0].BlockOwnerDeletion = false }, true},
		"another revision":              {func(cr *appsv1.ControllerRevision) { cr.Revision = 2 }, false},
		"no label":                      {func(cr *appsv1.ControllerRevision) { cr.Labels = nil }, false},
		"another schema":                {func(cr *appsv1.ControllerRevision) { cr.Annotations["gati.dev/schema"] = "[]" }, false},
		"another owner":                 {func(cr *appsv1.ControllerRevision) { cr.OwnerReferences[0].UID = "other" }, false},
		"the owner under another kind":  {func(cr *appsv1.ControllerRevision) { cr.OwnerReferences[0].Kind = "GatiModule" }, false},
		"the owner under another group": {func(cr *appsv1.ControllerRevision) { cr.OwnerReferences[0].APIVersion = "a.b/v1" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			changed := ours.DeepCopy()
			tc.change(changed)
			for _, user := range []string{collector, deployer} {
				refused(t, clientOf(user).Update(t.Context(), changed.DeepCopy(), dryRun), !tc.takesAway)
			}
			// The policy of the controllers' account refuses it two of these.
			if got := describeOutcome(clientOf(gati).Update(t.Context(), changed.DeepCopy(), dryRun)); strings.Contains(got, "is written by Gati alone") {
				t.Error(got)
			}
		})
	}

	// One of others that would become ours.
	become := others.DeepCopy()
	become.OwnerReferences = ours.OwnerReferences
	refused(t, clientOf(deployer).Update(t.Context(), become, dryRun), true)
	others.Labels["a"] = "b"
	refused(t, clientOf(deployer).Update(t.Context(), others, dryRun), false)
	refused(t, clientOf(deployer).Delete(t.Context(), ours, client.DryRunAll), false)
}
