package policy

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// people makes the namespace of the team and those who work in it.
func people(t *testing.T) {
	t.Helper()
	namespace(t, team)
	grantRole(t, team, editor, "gati-edit")
	grantRole(t, team, trusted, "gati-edit")
	grant(t, team, trusted,
		rule("", []string{"pods"}, []string{"create"}),
		rule("gateway.networking.k8s.io", []string{"httproutes"}, []string{"create"}))
}

// TestReferencesOnUpdate changes a handler that reaches things already. An editor
// may do what adds nothing to them.
func TestReferencesOnUpdate(t *testing.T) {
	people(t)
	h := handler("v1", team, "reaching", `
path: /a
image: app:v1
env: [{name: A, value: a}, {name: P, valueFrom: {secretKeyRef: {name: db, key: password}}}]
envFrom: [{configMapRef: {name: more}}]
pod: {serviceAccountName: deployer, volumes: [
  {name: v, secret: {secretName: tls, items: [{key: crt, path: crt}]}},
  {name: p, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}, {podCertificate: {signerName: a.b/c, keyType: ED25519, credentialBundlePath: c}}]}}]}
route: {parentRefs: [{name: public}]}
`)
	if err := as(trusted).Create(t.Context(), h); err != nil {
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
		{"a ConfigMap as a volume", volumes(`{"name":"v","configMap":{"name":"more"}}`)},
		{"a ConfigMap within a projected volume", projected(`{"configMap":{"name":"more"}}`)},
		{"the same token at another path", projected(`{"serviceAccountToken":{"path":"u","audience":"vault","expirationSeconds":900}}`)},
		{"the token for another audience", projected(`{"serviceAccountToken":{"path":"t","audience":"bank"}}`)},
		{"the token for the API server", projected(`{"serviceAccountToken":{"path":"t"}}`)},
		{"a second token", projected(`{"serviceAccountToken":{"path":"t","audience":"vault"}},{"serviceAccountToken":{"path":"u","audience":"bank"}}`)},
		{"the same certificate at another path", projected(`{"podCertificate":{"signerName":"a.b/c","keyType":"ED25519","credentialBundlePath":"d"}}`)},
		{"a certificate of another signer", projected(`{"podCertificate":{"signerName":"a.b/d","keyType":"ED25519","credentialBundlePath":"c"}}`)},
		{"a certificate with other words for its signer", projected(`{"podCertificate":{"signerName":"a.b/c","keyType":"ED25519","credentialBundlePath":"c","userAnnotations":{"a.b/role":"admin"}}}`)},
		{"a bundle of trust", projected(`{"clusterTrustBundle":{"signerName":"a.b/c","path":"ca"}}`)},
		{"a label", `{"metadata":{"labels":{"a":"b"}}}`},
	} {
		patch := client.RawPatch(types.MergePatchType, []byte(p.patch))
		out.line(p.name, outcome(as(editor).Patch(t.Context(), h.DeepCopy(), patch, client.DryRunAll)))
		if err := as(trusted).Patch(t.Context(), h.DeepCopy(), patch, client.DryRunAll); err != nil {
			t.Errorf("%s: refused although the right is there: %v", p.name, err)
		}
	}
	out.compare(t, "references.txt")
}

// volumes is a patch to other volumes.
func volumes(list string) string { return `{"spec":{"pod":{"volumes":[` + list + `]}}}` }

// projected is a patch to other sources of the projected volume alone.
func projected(sources string) string {
	return volumes(`{"name":"p","projected":{"sources":[` + sources + `]}}`)
}

// TestTheLargestSpecIsAffordable changes every reference of a spec that has as
// many as the API takes. The policy must answer, in its own words, and not run
// out of what CEL may cost.
func TestTheLargestSpecIsAffordable(t *testing.T) {
	people(t)
	h := handler("v1", team, "large", largest("old", 200))
	if err := as(trusted).Create(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	update := h.DeepCopy()
	update.Object["spec"] = handler("v1", team, "large", largest("new", 200)).Object["spec"]
	if err := as(trusted).Update(t.Context(), update.DeepCopy(), client.DryRunAll); err != nil {
		t.Errorf("refused although the right is there: %.400v", err)
	}
	went := outcome(as(editor).Update(t.Context(), update, client.DryRunAll))
	if !strings.Contains(went, "spec.env: Secret new-0-") || !strings.Contains(went, editor+" may not") {
		t.Errorf("want the refusal in the policy's words, got %.400s", went)
	}
}

// TestTheLargestRollbackIsAffordable rolls a handler with as many versions as can be kept
// back, each of which reaches as much as the status lists.
func TestTheLargestRollbackIsAffordable(t *testing.T) {
	people(t)
	h := handler("v1", team, "long-history", largest("old", 1))
	if err := as(trusted).Create(t.Context(), h); err != nil {
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
		if got := outcome(rollback(t, editor, h, request)); got != "admitted" {
			t.Errorf("%s to what the spec has: %.400s", request, got)
		}
	}
	versions["v1.98"][63] = "unlisted references (2)"
	setVersions(t, h, versions)
	for _, request := range []string{"rollback", "rollback:v1.98"} {
		if err := rollback(t, trusted, h, request); err != nil {
			t.Errorf("%s: refused although the right is there: %.400v", request, err)
		}
		if got := outcome(rollback(t, editor, h, request)); !strings.Contains(got, "version v1.98 has a reference that the spec lacks: unlisted references (2)") {
			t.Errorf("%s: want the refusal in the policy's words, got %.400s", request, got)
		}
	}
}

// largest is a spec with as many references as fit; projected volumes have no
// bound of their own, so theirs is more than a kubelet would like.
func largest(prefix string, pad int) string {
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
