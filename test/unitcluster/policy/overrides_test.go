package policy

import (
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// TestOverrides holds who may let a version break its callers: users with the right,
// in their own name, with any write of either version of the API.
func TestOverrides(t *testing.T) {
	const ns = "overrides"
	makeNamespace(t, ns)
	write := []string{"get", "create", "update", "patch"}
	grantRights(t, ns, "may-override", makeRule("gati.dev", []string{"gatihandlers"}, append(write, "override")))
	grantRights(t, ns, "may-edit", makeRule("gati.dev", []string{"gatihandlers"}, write))
	for _, version := range []string{"v1", "v1alpha1"} {
		name := "users-" + version
		if err := admin.Create(t.Context(), makeHandler("v1", ns, name, "path: /"+name+"\nimage: app:v1")); err != nil {
			t.Fatal(err)
		}
		set := func(who, value string) string {
			var annotation any
			if value != "" {
				annotation = value
			}
			return describeOutcome(mergeMeta(t.Context(), clientOf(who), version, ns, name, map[string]any{v1.AnnotationAllowBreaking: annotation}))
		}
		for _, try := range []struct{ what, who, value, want string }{
			{"without the right", "may-edit", "v2/may-edit", "may-edit may not override handler " + name + "; this needs the verb override"},
			{"in another's name", "may-override", "v2/alice", "must name you, may-override, after the slash: it records who allowed the change"},
			{"without a name", "may-override", "v2", "must be the version that it is about, a slash and your own name"},
			{"with the right", "may-override", "v2/may-override", "admitted"},
			{"again, by one without it", "may-edit", "v2/may-override", "admitted"},
			{"for another version, by one without it", "may-edit", "v3/may-override", "must name you, may-edit"},
			{"taken away by one without it", "may-edit", "", "admitted"},
		} {
			if got := set(try.who, try.value); !strings.Contains(got, try.want) {
				t.Errorf("%s, %s: %s; want %q", version, try.what, got, try.want)
			}
		}
	}
	h := makeHandler("v1", ns, "copied", "path: /copied\nimage: app:v1")
	h.SetAnnotations(map[string]string{v1.AnnotationAllowBreaking: "v2/may-override"})
	if got := describeOutcome(clientOf("may-edit").Create(t.Context(), h)); !strings.Contains(got, "must name you, may-edit") {
		t.Errorf("copied: %s", got)
	}
}
