package policy

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestContracts holds who may set spec.contract: users with the right. What is stored
// may be applied again, and removed, by every editor.
func TestContracts(t *testing.T) {
	const ns = "contracts"
	makeNamespace(t, ns)
	write := []string{"get", "create", "update", "patch"}
	grantRights(t, ns, "may-contract", makeRule("gati.dev", []string{"gatihandlers"}, append(write, "contract")))
	grantRights(t, ns, "may-edit", makeRule("gati.dev", []string{"gatihandlers"}, write))
	const spec = "path: /users\nimage: app:v1"
	with := func(version string) string { return spec + "\ncontract: " + version }
	refused := func(name string) string {
		return "spec.contract: may-edit may not move the contract of handler " + name + "; this needs the verb contract"
	}
	for _, try := range []struct{ what, who, name, spec, want string }{
		{"created without the right", "may-edit", "copied", with("v1"), refused("copied")},
		{"created with the right", "may-contract", "users", with("v1"), "admitted"},
		{"applied again by one without it", "may-edit", "users", with("v1") + "\nreplicas: 2", "admitted"},
		{"moved without the right", "may-edit", "users", with("v2"), refused("users")},
		{"moved with the right", "may-contract", "users", with("v2"), "admitted"},
		{"removed by one without it", "may-edit", "users", spec, "admitted"},
	} {
		h, stored := makeHandler("v1", ns, try.name, try.spec), makeHandler("v1", ns, try.name, try.spec)
		var err error
		if admin.Get(t.Context(), client.ObjectKeyFromObject(stored), stored) == nil {
			h.SetResourceVersion(stored.GetResourceVersion())
			err = clientOf(try.who).Update(t.Context(), h)
		} else {
			err = clientOf(try.who).Create(t.Context(), h)
		}
		if got := describeOutcome(err); !strings.Contains(got, try.want) {
			t.Errorf("%s: %s; want %q", try.what, got, try.want)
		}
	}
}
