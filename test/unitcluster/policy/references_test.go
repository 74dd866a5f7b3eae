package policy

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// makePeople makes the namespace of the team and those who work in it.
func makePeople(t *testing.T) {
	t.Helper()
	makeNamespace(t, team)
	grantRole(t, team, editor, "gati-edit")
	grantRole(t, team, trusted, "gati-edit")
	grantRights(t, team, trusted,
		makeRule("", []string{"pods"}, []string{"create"}),
		makeRule("gateway.networking.k8s.io", []string{"httproutes"}, []string{"create"}))
}

// TestReferencesOnUpdate changes a handler that reaches things already. An editor
// may do what adds nothing to them.
func TestReferencesOnUpdate(t *testing.T) {
	makePeople(t)
	h := makeHandler("v1", team, "reaching", `
path: /a
image: app:v1
env: [{name: A, value: a}, {name: P, valueFrom: {secretKeyRef: {name: db, key: password}}}]
envFrom: [{configMapRef: {name: more}}]
pod: {serviceAccountName: deployer, volumes: [
  {name: v, secret: {secretName: tls, items: [{key: crt, path: crt}]}},
  {name: p, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}, {podCertificate: {signerName: a.b/c, keyType: ED25519, credentialBundlePath: c}}]}}]}
route: {parentRefs: [{name: public}]}
`)
	if err := clientOf(trusted).Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	out := &record{}
	for _, p := range []struct{ name, patch string }{
		{"the image changed", `{"spec":{"image":"app:v2"}}`},
		{"a variable beside the Secret changed", `{"spec":{"env":[{"name":"A","value":"b"},{"name":"P","valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}]}}`},
		{"the variable renamed and moved", `{"spec":{"env":[{"name":"PASSWORD","valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}},{"name":"A","value":"a"}]}}`},
		{"the Secret left out", `{"spec":{"env":[{"name":"A","value":"a"}]}}`},
		{"the pod's settings left out", `{"spec":{"pod":null}}`},
		{"the route left out", `{"spec":{"route":null}}`},
		{"another key of the Secret", `{"spec":{"env":[{"name":"P","valueFrom":{"secretKeyRef":{"name":"db","key":"root"}}}]}}`},
		{"the whole Secret", `{"spec":{"envFrom":[{"secretRef":{"name":"db"}}]}}`},
		{"all keys of the volume's Secret", `{"spec":{"pod":{"volumes":[{"name":"v","secret":{"secretName":"tls","items":null}}]}}}`},
		{"the token of the ServiceAccount", `{"spec":{"pod":{"automountServiceAccountToken":true}}}`},
		{"another ServiceAccount", `{"spec":{"pod":{"serviceAccountName":"admin"}}}`},
		{"the default ServiceAccount by name", `{"spec":{"pod":{"serviceAccountName":"default"}}}`},
		{"another host name on the route", `{"spec":{"route":{"hostnames":["a.example.com"]}}}`},
		{"the same ConfigMap with a prefix", `{"spec":{"envFrom":[{"configMapRef":{"name":"more"},"prefix":"X_"}]}}`},
		{"another ConfigMap", `{"spec":{"envFrom":[{"configMapRef":{"name":"c"}}]}}`},
		{"a key of a ConfigMap", `{"spec":{"env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"more","key":"a"}}}]}}`},
		{"a ConfigMap as a volume", patchVolumes(`{"name":"v","configMap":{"name":"more"}}`)},
		{"a ConfigMap within a projected volume", patchProjected(`{"configMap":{"name":"more"}}`)},
		{"the same token at another path", patchProjected(`{"serviceAccountToken":{"path":"u","audience":"vault","expirationSeconds":900}}`)},
		{"the token for another audience", patchProjected(`{"serviceAccountToken":{"path":"t","audience":"bank"}}`)},
		{"the token for the API server", patchProjected(`{"serviceAccountToken":{"path":"t"}}`)},
		{"a second token", patchProjected(`{"serviceAccountToken":{"path":"t","audience":"vault"}},{"serviceAccountToken":{"path":"u","audience":"bank"}}`)},
		{"the same certificate at another path", patchProjected(`{"podCertificate":{"signerName":"a.b/c","keyType":"ED25519","credentialBundlePath":"d"}}`)},
		{"a certificate of another signer", patchProjected(`{"podCertificate":{"signerName":"a.b/d","keyType":"ED25519","credentialBundlePath":"c"}}`)},
		{"a certificate with other words for its signer", patchProjected(`{"podCertificate":{"signerName":"a.b/c","keyType":"ED25519","credentialBundlePath":"c","userAnnotations":{"a.b/role":"admin"}}}`)},
		{"the same key for a sidecar", `{"spec":{"pod":{"sidecars":[{"name":"a","env":[{"name":"P","valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}]}]}}}`},
		{"two Secrets for an init container", `{"spec":{"pod":{"initContainers":[{"name":"a","env":[{"name":"P","valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}],"envFrom":[{"secretRef":{"name":"db"}}]}]}}}`},
		{"a ConfigMap for a sidecar", `{"spec":{"pod":{"sidecars":[{"name":"a","envFrom":[{"configMapRef":{"name":"more"}}]}]}}}`},
		{"a sidecar of nothing", `{"spec":{"pod":{"sidecars":[{"name":"a","image":"proxy:v1"}]}}}`},
		{"a bundle of trust", patchProjected(`{"clusterTrustBundle":{"signerName":"a.b/c","path":"ca"}}`)},
		{"a label", `{"metadata":{"labels":{"a":"b"}}}`},
	} {
		patch := client.RawPatch(types.MergePatchType, []byte(p.patch))
		out.addLine(p.name, describeOutcome(clientOf(editor).Patch(t.Context(), h.DeepCopy(), patch, client.DryRunAll)))
		if err := clientOf(trusted).Patch(t.Context(), h.DeepCopy(), patch, client.DryRunAll); err != nil {
			t.Errorf("%s: refused although the right is there: %v", p.name, err)
		}
	}
	out.compareGolden(t, "references.txt")
}

// patchVolumes is a patch to other volumes.
func patchVolumes(list string) string { return `{"spec":{"pod":{"volumes":[` + list + `]}}}` }

// patchProjected is a patch to other sources of the projected volume alone.
func patchProjected(sources string) string {
	return patchVolumes(`{"name":"p","projected":{"sources":[` + sources + `]}}`)
}

// TestTheLargestSpecIsAffordable changes every reference of a spec that has as
// many as the API takes. The policy must answer, in its own words, and not run
// out of what CEL may cost.
func TestTheLargestSpecIsAffordable(t *testing.T) {
	makePeople(t)
	h := makeHandler("v1", team, "large", largestSpec("old", 200))
	if err := clientOf(trusted).Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	update := h.DeepCopy()
	update.Object["spec"] = makeHandler("v1", team, "large", largestSpec("new", 200)).Object["spec"]
	if err := clientOf(trusted).Update(t.Context(), update.DeepCopy(), client.DryRunAll); err != nil {
		t.Errorf("refused although the right is there: %.400v", err)
	}
	went := describeOutcome(clientOf(editor).Update(t.Context(), update, client.DryRunAll))
	if !strings.Contains(went, "spec.env: Secret new-0-") || !strings.Contains(went, editor+" may not") {
		t.Errorf("want the refusal in the policy's words, got %.400s", went)
	}
}

// TestTheLargestRollbackIsAffordable rolls a handler with as many versions as can be kept
// back, each of which reaches as much as the status lists.
func TestTheLargestRollbackIsAffordable(t *testing.T) {
	makePeople(t)
	h := makeHandler("v1", team, "long-history", largestSpec("old", 1))
	if err := clientOf(trusted).Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	versions := map[string][]string{}
	for v := range 100 {
		name := fmt.Sprintf("v1.%d", v)
		for i := range 64 {
			versions[name] = append(versions[name], fmt.Sprintf("spec.env: Secret old-%d-x, key k", i))
		}
	}
	setVersions(t, h, versions)
	setServing(t, h, "v1.99", "v1.98")
	for _, request := range []string{"rollback", "rollback:v1.98"} {
		if got := describeOutcome(requestRollback(t, editor, h, request)); got != "admitted" {
			t.Errorf("%s to what the spec has: %.400s", request, got)
		}
	}
	versions["v1.98"][63] = "unlisted references (2)"
	setVersions(t, h, versions)
	for _, request := range []string{"rollback", "rollback:v1.98"} {
		if err := requestRollback(t, trusted, h, request); err != nil {
			t.Errorf("%s: refused although the right is there: %.400v", request, err)
		}
		if got := describeOutcome(requestRollback(t, editor, h, request)); !strings.Contains(got, "version v1.98 has a reference that the spec lacks: unlisted references (2)") {
			t.Errorf("%s: want the refusal in the policy's words, got %.400s", request, got)
		}
	}
}

// largestSpec is a spec with as many references as fit; projected volumes have no
// bound of their own, so theirs is more than a kubelet would like.
func largestSpec(prefix string, pad int) string {
	var b strings.Builder
	name := func(i int) string { return fmt.Sprintf("%s-%d-%s", prefix, i, strings.Repeat("x", pad)) }
	b.WriteString("path: /a\nimage: app:v1\nenv:\n")
	for i := range 200 {
		fmt.Fprintf(&b, "- {name: V%d, valueFrom: {secretKeyRef: {name: %s, key: k}}}\n", i, name(i))
	}
	b.WriteString("envFrom:\n")
	for i := range 32 {
		fmt.Fprintf(&b, "- {secretRef: {name: %s}}\n", name(i))
	}
	b.WriteString("pod:\n  imagePullSecrets:\n")
	for i := range 16 {
		fmt.Fprintf(&b, "  - {name: %s}\n", name(i))
	}
	b.WriteString("  volumes:\n")
	for i := range 12 {
		fmt.Fprintf(&b, "  - {name: v%d, projected: {sources: [", i)
		for j := range 40 {
			fmt.Fprintf(&b, "{secret: {name: %s}},", name(j))
		}
		b.WriteString("]}}\n")
	}
	return b.String()
}
