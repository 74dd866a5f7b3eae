package policy

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

// everyReference is a spec with a reference of each kind.
const everyReference = `
path: /a
image: app:v1
env:
- {name: A, valueFrom: {secretKeyRef: {name: db, key: password}}}
- {name: B, valueFrom: {configMapKeyRef: {name: settings, key: level}}}
envFrom: [{secretRef: {name: all}}, {configMapRef: {name: more}}]
pod:
  serviceAccountName: users
  automountServiceAccountToken: true
  imagePullSecrets: [{name: registry}]
  volumes:
  - {name: a, secret: {secretName: tls, items: [{key: a, path: a}, {key: b, path: b}]}}
  - {name: b, configMap: {name: files, items: [{key: a, path: a}]}}
  - {name: c, persistentVolumeClaim: {claimName: data}}
  - name: d
    projected:
      sources:
      - {secret: {name: one}}
      - {secret: {name: two, items: [{key: a, path: a}]}}
      - {configMap: {name: three}}
      - {serviceAccountToken: {path: t, audience: vault}}
      - {serviceAccountToken: {path: u}}
      - {podCertificate: {signerName: a.b/c, keyType: ED25519, credentialBundlePath: c}}
      - {podCertificate: {signerName: a.b/c, keyType: ED25519, credentialBundlePath: d, userAnnotations: {a.b/role: x}}}
`

// TestTheStatusSpeaksAsThePolicy holds that the controller's words for the references of a
// template are those of the policy for the same spec: a rollback to that version adds
// nothing, and one reference more adds it.
func TestTheStatusSpeaksAsThePolicy(t *testing.T) {
	makePeople(t)
	h := makeHandler("v1", team, "worded", everyReference)
	if err := clientOf(trusted).Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	words := referencesOf(t, h)
	if len(words) != 14 {
		t.Fatalf("%d references: %q", len(words), words)
	}
	setVersions(t, h, map[string][]string{"v1": words})
	if got := describeOutcome(requestRollback(t, editor, h, "rollback:v1")); got != "admitted" {
		t.Errorf("to what the spec has: %s", got)
	}
	for _, more := range []string{"spec.envFrom: Secret other", "unlisted references (3)"} {
		setVersions(t, h, map[string][]string{"v1": append([]string{more}, words...)})
		if got := describeOutcome(requestRollback(t, editor, h, "rollback:v1")); !strings.Contains(got, "version v1 has a reference that the spec lacks: "+more) {
			t.Errorf("with %s: %s", more, got)
		}
	}
}

// TestRollbacksAskAgain holds which rollbacks bring back what the spec does not have.
func TestRollbacksAskAgain(t *testing.T) {
	makePeople(t)
	h := makeHandler("v1", team, "back", "{path: /a, image: 'app:v2', envFrom: [{secretRef: {name: kept}}]}")
	if err := clientOf(trusted).Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	const kept, gone, tsv = "spec.envFrom: Secret kept", "spec.envFrom: Secret gone", "tsv:1700000000-back-1"
	setVersions(t, h, map[string][]string{"v1": {gone, kept}, "v1.1": nil, "v2": {kept}, tsv: {gone}})
	setServing(t, h, "v2", "v1")
	for request, refused := range map[string]bool{
		"rollback": true, "rollback:v1": true, "rollback:" + tsv: true,
		"rollback:v1.1": false, "rollback:v2": false, "rollback:v9": false,
		"abort": false, "retry": false, "promote": false, "restart": false, "decommission:v1": false,
	} {
		got := describeOutcome(requestRollback(t, editor, h, request))
		if asked := strings.Contains(got, "has a reference that the spec lacks: "+gone+", which can be reached by whoever may create pods in namespace a, and dev-of-a may not"); asked != refused || !refused && got != "admitted" {
			t.Errorf("%s: %s", request, got)
		}
		if err := requestRollback(t, trusted, h, request); err != nil {
			t.Errorf("%s: refused although the right is there: %v", request, err)
		}
	}

	for _, tc := range []struct {
		stable, previous string
		refused          bool
	}{{"v1", "v2", true}, {"v2", "v1.1", false}, {"v2", "", false}} {
		setServing(t, h, tc.stable, tc.previous)
		if got := describeOutcome(requestRollback(t, editor, h, "rollback")); strings.Contains(got, "has a reference that the spec lacks: "+gone) != tc.refused || !tc.refused && got != "admitted" {
			t.Errorf("stable %s, previous %q: %s", tc.stable, tc.previous, got)
		}
	}

	// The spec of the same write counts, not that of the status or of the write before.
	t.Run("with the reference taken away in the same write", func(t *testing.T) {
		setVersions(t, h, map[string][]string{"v2": {kept}})
		patch := `{"spec":{"envFrom":null},"metadata":{"annotations":{"gati.dev/request":"rollback:v2/` + nthUUID(7) + `","gati.dev/requested-by":"` + editor + `"}}}`
		err := clientOf(editor).Patch(t.Context(), h.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(patch)), dryRun)
		if !strings.Contains(describeOutcome(err), "version v2 has a reference that the spec lacks: "+kept) {
			t.Error(describeOutcome(err))
		}
	})
}

func requestRollback(t *testing.T, user string, h *unstructured.Unstructured, request string) error {
	t.Helper()
	return patchRequest(t.Context(), clientOf(user), "v1", team, h.GetName(), request+"/"+nthUUID(9), user, dryRun)
}

// referencesOf returns the references of the template of a stored handler.
func referencesOf(t *testing.T, h *unstructured.Unstructured) []string {
	t.Helper()
	var typed v1.GatiHandler
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(h.Object, &typed); err != nil {
		t.Fatal(err)
	}
	f := facts.Facts{Namespace: team}
	resolved, errs := defaulting.ResolveHandler(&typed.Spec, f)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return expand.References(expand.NewHandlerRevision(&typed, resolved, expand.HandlerInputs(&typed.Spec, f), 1, nil))
}

// setVersions writes versions with what they reach into the status.
func setVersions(t *testing.T, h *unstructured.Unstructured, versions map[string][]string) {
	t.Helper()
	var list []any
	for version, references := range versions {
		entry := map[string]any{"version": version, "sequence": int64(len(list) + 1), "weight": int64(0)}
		for _, r := range references {
			have, _ := entry["references"].([]any)
			entry["references"] = append(have, r)
		}
		list = append(list, entry)
	}
	setStatus(t, h, "versions", list)
}

// setServing writes into the status which version is stable, and which was before.
func setServing(t *testing.T, h *unstructured.Unstructured, stable, previous string) {
	t.Helper()
	rollout := map[string]any{"stable": map[string]any{"version": stable, "revisionNumber": int64(1)}}
	if previous != "" {
		rollout["previous"] = map[string]any{"version": previous, "revisionNumber": int64(1)}
	}
	setStatus(t, h, "rollout", rollout)
}

func setStatus(t *testing.T, h *unstructured.Unstructured, field string, value any) {
	t.Helper()
	now := h.DeepCopy()
	if err := admin.Get(t.Context(), client.ObjectKeyFromObject(h), now); err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedField(now.Object, value, "status", field); err != nil {
		t.Fatal(err)
	}
	if err := admin.Status().Update(t.Context(), now); err != nil {
		t.Fatal(err)
	}
}
