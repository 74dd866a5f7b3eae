package policy

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/terminal"
)

// rightsNS is the namespace of the table of rights. Nothing in it changes: each action is a
// dry run.
const rightsNS = "rights"

// right is one verb on one resource. The group is that of Gati unless it is named.
type right struct{ verb, resource, group string }

func (r right) String() string {
	resource := strings.TrimSuffix(r.resource+"."+r.group, "."+v1.GroupVersion.Group)
	return "`" + r.verb + "` " + strings.TrimSuffix(resource, ".")
}

// action is one row of the table: what a user does, and the rights that it takes.
type action struct {
	kind, name string
	needs      []right
	do         func(ctx context.Context, c client.Client, user string) error
}

// describeNeeds returns the rights of an action as the table has them.
func (a action) describeNeeds() string {
	texts := make([]string, len(a.needs))
	for i, r := range a.needs {
		texts[i] = r.String()
	}
	return strings.Join(texts, ", ")
}

// resources are the kinds of the table with what they are called in URLs.
var resources = map[string]string{"GatiHandler": "gatihandlers", "GatiModule": "gatimodules", "GatiVersion": "gativersions"}

// rightsColumns are the users of the table beside the one who has just what an action needs.
var rightsColumns = []string{"gati-view", "update alone", "gati-edit", "gati-admin"}

// TestWhoMayDoWhat tries each action as each user, with every policy in force. It holds
// that the rights that docs/security.md names suffice, that without the last of them the
// action is refused, and that the table of the document is what was seen.
func TestWhoMayDoWhat(t *testing.T) {
	makeRightsNamespace(t)
	var table strings.Builder
	table.WriteString("| kind | what | takes | " + strings.Join(rightsColumns, " | ") + " |\n|-|-|-|" + strings.Repeat("-|", len(rightsColumns)) + "\n")
	cells := 0
	for i, a := range listActions() {
		able := fmt.Sprintf("able-%02d", i)
		grantEach(t, able, a.needs)
		if err := a.do(t.Context(), clientOf(able), able); err != nil {
			t.Errorf("%s, %s: the rights %s do not suffice: %v", a.kind, a.name, a.describeNeeds(), err)
		}
		if last := len(a.needs) - 1; last > 0 {
			unable := fmt.Sprintf("unable-%02d", i)
			grantEach(t, unable, a.needs[:last])
			if err := a.do(t.Context(), clientOf(unable), unable); err == nil {
				t.Errorf("%s, %s: admitted without %s", a.kind, a.name, a.needs[last])
			}
		}
		fmt.Fprintf(&table, "| %s | %s | %s |", a.kind, a.name, a.describeNeeds())
		for _, user := range rightsColumns {
			cells++
			if err := a.do(t.Context(), clientOf(nameOf(user)), nameOf(user)); err != nil {
				table.WriteString("  |")
				continue
			}
			table.WriteString(" yes |")
		}
		table.WriteString("\n")
	}
	if cells < 200 {
		t.Errorf("the table has %d cells, want 200", cells)
	}
	compareRightsTable(t, table.String())
}

// nameOf returns the name of the user of a column.
func nameOf(column string) string { return strings.ReplaceAll(column, " ", "-") + "-user" }

// compareRightsTable compares the table with that of docs/security.md, or writes it.
func compareRightsTable(t *testing.T, got string) {
	t.Helper()
	path := repository.Path("docs", "security.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const heading = "### Who may do what\n"
	before, section, found := strings.Cut(string(text), heading)
	prose, table, hasTable := strings.Cut(section, "\n|")
	_, after, ends := strings.Cut(table, "\n\n")
	if !found || !hasTable || !ends {
		t.Fatalf("%s has no table under %q", path, heading)
	}
	whole := before + heading + prose + "\n" + got + "\n" + after
	switch {
	case whole == string(text):
	case terminal.Updates():
		if err := os.WriteFile(path, []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("docs/security.md has another table; after a look, run: go test ./test/unitcluster/policy -run TestWhoMayDoWhat -update\n%s", got)
	}
}

// makeRightsNamespace makes the objects that are acted upon, and the users of the columns.
func makeRightsNamespace(t *testing.T) {
	t.Helper()
	makeNamespace(t, rightsNS)
	for _, o := range []*unstructured.Unstructured{
		makeHandler("v1", rightsNS, "users", plainSpec("v1")),
		makeHandler("v1", rightsNS, "moving", specWith("rollout: {strategy: Canary, steps: [{weight: 5}]}")),
		makeObject("v1", "GatiModule", rightsNS, "database", moduleSpecWith("moduleName: database, runtime: x")),
		makeObject("v1", "GatiVersion", rightsNS, "users-v1", "{handler: users, version: v1, traffic: 10, tags: [blue]}"),
	} {
		if err := admin.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	moving := makeHandler("v1", rightsNS, "moving", "{}")
	if err := admin.Status().Patch(t.Context(), moving, client.RawPatch(types.MergePatchType, []byte(`{"status":{"rollout":{"phase":"Progressing"}}}`))); err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"gati-view", "gati-edit", "gati-admin"} {
		bindRole(t, rightsNS, nameOf(role), rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role})
		awaitRight(t, rightsNS, nameOf(role), v1.GroupVersion.Group, "gatihandlers", "list")
	}
	var own []right
	for _, resource := range []string{"gativersions", "gatimodules", "gatihandlers"} {
		for _, verb := range []string{"get", "update", "patch"} {
			own = append(own, right{verb: verb, resource: resource})
		}
	}
	grantEach(t, nameOf("update alone"), own)
}

// grantEach gives a user some rights.
func grantEach(t *testing.T, user string, rights []right) {
	t.Helper()
	rules := make([]rbacv1.PolicyRule, len(rights))
	for i, r := range rights {
		group := r.group
		if group == "" {
			group = v1.GroupVersion.Group
		}
		if group == "core" {
			group = ""
		}
		rules[i] = makeRule(group, []string{r.resource}, []string{r.verb})
	}
	grantRights(t, rightsNS, user, rules...)
}

// listActions returns the rows of the table.
func listActions() []action {
	out := append(listHandlerActions(), listRequestActions()...)
	for _, kind := range []string{"GatiHandler", "GatiModule", "GatiVersion"} {
		out = append(out, listCommonActions(kind)...)
	}
	return append(out, listRecordActions()...)
}

// actedUpon has the object of each kind that is acted upon.
var actedUpon = map[string]string{"GatiHandler": "users", "GatiModule": "database", "GatiVersion": "users-v1"}

// patching returns an action that merges a patch into an object.
func patching(kind, name, what, patch string, needs ...string) action {
	a := action{kind: kind, name: what, needs: []right{{verb: "patch", resource: resources[kind]}}}
	for _, verb := range needs {
		a.needs = append(a.needs, right{verb: verb, resource: resources[kind]})
	}
	a.do = func(ctx context.Context, c client.Client, _ string) error {
		return c.Patch(ctx, makeObject("v1", kind, rightsNS, name, "{}"), client.RawPatch(types.MergePatchType, []byte(patch)), dryRun)
	}
	return a
}

// listCommonActions are what can be done to objects of every kind.
func listCommonActions(kind string) []action {
	resource, name := resources[kind], actedUpon[kind]
	specs := map[string]string{
		"GatiHandler": plainSpec("v1"), "GatiModule": moduleSpecWith("moduleName: more, runtime: x"), "GatiVersion": "{handler: users, version: v2, traffic: 5, keep: true}",
	}
	owner := `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":"none"}]}}`
	return []action{
		{kind, "read it", []right{{verb: "get", resource: resource}}, func(ctx context.Context, c client.Client, _ string) error {
			return c.Get(ctx, client.ObjectKey{Namespace: rightsNS, Name: name}, makeObject("v1", kind, rightsNS, name, "{}"))
		}},
		{kind, "create one", []right{{verb: "create", resource: resource}}, func(ctx context.Context, c client.Client, _ string) error {
			return c.Create(ctx, makeObject("v1", kind, rightsNS, "more", specs[kind]), dryRun)
		}},
		patching(kind, name, "set a label", `{"metadata":{"labels":{"a":"b"}}}`),
		patching(kind, name, "add an owner", owner, "delete"),
		patching(kind, name, "add a finalizer", `{"metadata":{"finalizers":["example.com/kept"]}}`, "delete"),
		{kind, "write its status", []right{{verb: "patch", resource: resource + "/status"}}, func(ctx context.Context, c client.Client, _ string) error {
			return c.Status().Patch(ctx, makeObject("v1", kind, rightsNS, name, "{}"), client.RawPatch(types.MergePatchType, []byte(`{"status":{"observedGeneration":9}}`)), client.DryRunAll)
		}},
		{kind, "delete it", []right{{verb: "delete", resource: resource}}, func(ctx context.Context, c client.Client, _ string) error {
			return c.Delete(ctx, makeObject("v1", kind, rightsNS, name, "{}"), client.DryRunAll)
		}},
		{kind, "delete all", []right{{verb: "deletecollection", resource: resource}}, func(ctx context.Context, c client.Client, _ string) error {
			return c.DeleteAllOf(ctx, makeObject("v1", kind, "", "", "{}"), client.InNamespace(rightsNS), client.DryRunAll)
		}},
	}
}

// listHandlerActions are changes of a handler's spec.
func listHandlerActions() []action {
	const kind = "GatiHandler"
	beyond := func(what, patch string, needs right) action {
		a := patching(kind, "users", what, patch)
		a.needs = append(a.needs, needs)
		return a
	}
	return []action{
		patching(kind, "users", "change the image", `{"spec":{"image":"app:v2"}}`),
		patching(kind, "users", "change replicas", `{"spec":{"replicas":3}}`),
		{kind, "scale it by its scale subresource", []right{{verb: "patch", resource: "gatihandlers/scale"}}, func(ctx context.Context, c client.Client, _ string) error {
			return c.SubResource("scale").Patch(ctx, makeHandler("v1", rightsNS, "users", "{}"), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":3}}`)), client.DryRunAll)
		}},
		patching(kind, "users", "change spec.rollout between rollouts", `{"spec":{"rollout":{"strategy":"Canary"}}}`),
		patching(kind, "moving", "change spec.rollout while a rollout is under way", `{"spec":{"rollout":{"steps":[{"weight":100}]}}}`, "promote"),
		patching(kind, "users", "move spec.contract", `{"spec":{"contract":"v1"}}`, "contract"),
		{kind, "let a version break its callers", []right{{verb: "patch", resource: "gatihandlers"}, {verb: "override", resource: "gatihandlers"}}, func(ctx context.Context, c client.Client, user string) error {
			return mergeMeta(ctx, c, "v1", rightsNS, "users", map[string]any{v1.AnnotationAllowBreaking: "v2/" + user}, dryRun)
		}},
		beyond("name a Secret", `{"spec":{"envFrom":[{"secretRef":{"name":"db"}}]}}`, right{"create", "pods", "core"}),
		beyond("name a ServiceAccount", `{"spec":{"pod":{"serviceAccountName":"deployer"}}}`, right{"create", "pods", "core"}),
		beyond("add a route", `{"spec":{"route":{"parentRefs":[{"name":"public"}]}}}`, right{"create", "httproutes", "gateway.networking.k8s.io"}),
		{kind, "make the ConfigMap of its transformers", []right{{"create", "configmaps", "core"}, {verb: "update", resource: "gatihandlers"}}, func(ctx context.Context, c client.Client, _ string) error {
			return c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: rightsNS, Name: "handler-users-transformers"}}, dryRun)
		}},
	}
}

// listRequestActions are the requests, each of which has a verb.
func listRequestActions() []action {
	out := make([]action, len(asks))
	for i, ask := range asks {
		out[i] = action{"GatiHandler", "ask for `" + ask + "`", []right{{verb: "patch", resource: "gatihandlers"}, {verb: verbOf(ask), resource: "gatihandlers"}},
			func(ctx context.Context, c client.Client, user string) error {
				return patchRequest(ctx, c, "v1", rightsNS, "users", ask+"/"+nthUUID(1), user, dryRun)
			}}
	}
	return out
}

// listRecordActions are changes of a record's spec.
func listRecordActions() []action {
	const kind, name = "GatiVersion", "users-v1"
	return []action{
		patching(kind, name, "change its share of the traffic", `{"spec":{"traffic":50}}`, "traffic"),
		patching(kind, name, "take it out of service", `{"spec":{"active":false}}`, "activate"),
		patching(kind, name, "change its tags", `{"spec":{"tags":["green"]}}`, "tag"),
		patching(kind, name, "keep it", `{"spec":{"keep":true}}`, "keep"),
	}
}
