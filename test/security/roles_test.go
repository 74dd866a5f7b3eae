package security

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/repository"
)

// What docs/security.md says of the roles for people is what a user with one of them may,
// by kubectl auth can-i --list, beyond a user without any.
func TestRolesAreWhatTheDocumentSays(t *testing.T) {
	const ns = "clerks"
	env.Namespace(t, ns)
	subjects := map[string]string{}
	for _, role := range []string{"gati-view", "gati-edit", "gati-admin"} {
		subjects[role] = "clerk-with-" + role
		bindRole(t, ns, subjects[role], rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role})
	}
	checkTable(t, "Roles for people", ns, subjects)
}

// The same of the accounts of Gati itself, in the namespace where they run.
func TestAccountsAreWhatTheDocumentSays(t *testing.T) {
	subjects := map[string]string{}
	for _, account := range []string{local.Account, local.ControllerAccount} {
		subjects[account] = "system:serviceaccount:" + local.Namespace + ":" + account
	}
	checkTable(t, "Accounts of Gati", local.Namespace, subjects)
}

// checkTable compares a table of docs/security.md with what subjects may in a namespace.
func checkTable(t *testing.T, heading, ns string, subjects map[string]string) {
	t.Helper()
	want := tableUnder(t, heading)
	await.Eventually(t, "the table "+heading, func() error {
		everyone := listRights(t, ns, "a-user-without-roles")
		for column, user := range subjects {
			got := listRights(t, ns, user)
			for right := range everyone {
				delete(got, right)
			}
			if diff := missingRights(want[column], got); diff != "" {
				return fmt.Errorf("%s may not, though the document says so: %s", column, diff)
			}
			if diff := missingRights(got, want[column]); diff != "" {
				return fmt.Errorf("%s may, and the document does not say so: %s", column, diff)
			}
		}
		return nil
	})
	for column := range subjects {
		if len(want[column]) == 0 {
			t.Errorf("the document says nothing of %s", column)
		}
		logDefence(t, "%s has the %d rights of docs/security.md and no other", column, len(want[column]))
	}
}

// missingRights names the rights that are in one set and not in another.
func missingRights(in, from map[string]bool) string {
	var out []string
	for right := range in {
		if !from[right] {
			out = append(out, right)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// listRights returns "verb resource" and "verb resource/name" of kubectl auth can-i --list.
func listRights(t *testing.T, ns, user string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	text := env.Must(t, "", "auth", "can-i", "--list", "--no-headers", "-n", ns, "--as", user, "--as-group", "system:authenticated")
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.NewReplacer("[", "|", "]", "|").Replace(line), "|")
		// Resource, URLs, names, verbs; the even ones are the spaces between.
		if len(columns) != 7 || strings.TrimSpace(columns[1]) != "" {
			continue
		}
		for _, verb := range strings.Fields(columns[5]) {
			for _, name := range append(strings.Fields(columns[3]), "")[:max(1, len(strings.Fields(columns[3])))] {
				out[describeRight(verb, strings.TrimSpace(columns[0]), name)] = true
			}
		}
	}
	return out
}

func describeRight(verb, resource, name string) string {
	if name != "" {
		resource += "/" + name
	}
	return verb + " " + resource
}

// tableUnder reads a table of docs/security.md: resources in the first column, perhaps
// with names in parentheses, and the verbs of one role in each other one.
func tableUnder(t *testing.T, heading string) map[string]map[string]bool {
	t.Helper()
	text, err := os.ReadFile(repository.Path("docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "### "+heading+"\n")
	if !found {
		t.Fatalf("docs/security.md has no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n#")
	out := map[string]map[string]bool{}
	var columns []string
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch {
		case !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|-"):
		case columns == nil:
			for _, cell := range cells {
				columns = append(columns, strings.Trim(strings.TrimSpace(cell), "`"))
			}
		default:
			addRow(out, columns, cells)
		}
	}
	return out
}

// addRow adds the rights of one row.
func addRow(to map[string]map[string]bool, columns, cells []string) {
	first := strings.ReplaceAll(strings.TrimSpace(cells[0]), "`", "")
	resources, names, named := strings.Cut(strings.TrimSuffix(first, ")"), " (")
	of := []string{""}
	if named {
		of = strings.Split(names, ", ")
	}
	for i, cell := range cells[1:] {
		for _, verb := range strings.Fields(strings.ReplaceAll(cell, ",", " ")) {
			for _, resource := range strings.Split(resources, ", ") {
				for _, name := range of {
					if to[columns[i+1]] == nil {
						to[columns[i+1]] = map[string]bool{}
					}
					to[columns[i+1]][describeRight(verb, resource, name)] = true
				}
			}
		}
	}
}
