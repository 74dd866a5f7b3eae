package request_test

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
	"gati.dev/gati/pkg/request"
)

// The policy must admit exactly the verbs that this release handles.
func TestThePolicyHasTheAvailableVerbs(t *testing.T) {
	raw, err := fs.ReadFile(manifests.FS, "policy/requests.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document, _, _ := strings.Cut(string(raw), "\n---\n")
	var policy admissionregistrationv1.ValidatingAdmissionPolicy
	if err := yaml.UnmarshalStrict([]byte(document), &policy); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(policy.Spec.Variables, func(v admissionregistrationv1.Variable) bool { return v.Name == "available" })
	if i < 0 {
		t.Fatal("the policy has no variable available")
	}
	var got []request.Verb
	if err := json.Unmarshal([]byte(strings.ReplaceAll(policy.Spec.Variables[i].Expression, "'", `"`)), &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, request.Available()) {
		t.Errorf("the policy admits %q, package request has %q", got, request.Available())
	}
	for _, v := range request.Verbs() {
		if !strings.Contains(document, string(v)) {
			t.Errorf("the policy does not know the verb %s", v)
		}
	}
}

// The roles for people must have the verbs that the policy's messages name: an editor
// all but override.
func TestTheRolesHaveTheVerbs(t *testing.T) {
	for _, role := range []string{"view", "edit", "admin"} {
		raw, err := fs.ReadFile(manifests.FS, "rbac/"+role+".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var r rbacv1.ClusterRole
		if err := yaml.UnmarshalStrict(raw, &r); err != nil {
			t.Fatal(err)
		}
		for _, v := range request.Verbs() {
			got := slices.ContainsFunc(r.Rules, func(rule rbacv1.PolicyRule) bool {
				return slices.Contains(rule.Resources, "gatihandlers") && slices.Contains(rule.Verbs, string(v))
			})
			if want := role == "admin" || role == "edit" && v != request.Override; got != want {
				t.Errorf("gati-%s has the verb %s: %t, want %t", role, v, got, want)
			}
		}
	}
}
