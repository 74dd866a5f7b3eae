package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/remedy"
)

// handlerRemedies are the remedies of handlers, the phase in which a message names each, and
// what comes before it there. In values, {name} and {ns} are the handler's.
var handlerRemedies = map[remedy.Remedy]struct {
	phase  string
	values []string
	before []string // a command of kubectl-gati
}{
	remedy.Promote:      {phase: "waiting", values: []string{"{name}"}},
	remedy.Pause:        {phase: "waiting", values: []string{"{name}"}},
	remedy.Abort:        {phase: "waiting", values: []string{"{name}"}},
	remedy.Resume:       {phase: "frozen", values: []string{"{name}"}},
	remedy.Retry:        {phase: "aborted", values: []string{"{name}"}},
	remedy.ShowStatus:   {phase: "complete", values: []string{"{name}"}},
	remedy.Rollback:     {phase: "complete", values: []string{"{name}"}},
	remedy.ReturnTo:     {phase: "complete", values: []string{"{name}", "v1.0.0"}},
	remedy.ShowHistory:  {phase: "complete", values: []string{"{name}"}},
	remedy.ListVersions: {phase: "complete", values: []string{"{name}"}},
	remedy.Compare:      {phase: "complete", values: []string{"{name}", "v1.0.0", "v2.0.0"}},
	remedy.CompareFile:  {phase: "complete", values: []string{"{name}", "v1.0.0", "v3.0.0", "{file}"}},
	remedy.ShowPod:      {phase: "complete", values: []string{"{pod}", "{ns}"}},
	remedy.NameImage:    {phase: "complete", values: []string{"{ns}"}},
	remedy.DeleteObject: {phase: "complete", values: []string{"{name}"}},
	remedy.SetTraffic:   {phase: "manual", values: []string{"{name}", "v2.0.0", "100"}},
	remedy.Activate:     {phase: "manual", values: []string{"{name}", "v2.0.0"}, before: []string{"version", "deactivate", "{name}", "v2.0.0"}},
}

// TestRemediesOfHandlers executes each remedy of a handler that a message may name, in the
// phase in which it is named.
func TestRemediesOfHandlers(t *testing.T) {
	t.Parallel()
	byPhase := map[string][]remedy.Remedy{}
	for r, tried := range handlerRemedies {
		byPhase[tried.phase] = append(byPhase[tried.phase], r)
	}
	for _, p := range phases {
		tried := byPhase[p.name]
		if len(tried) == 0 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			ns := "remedies-" + p.name
			env.Namespace(t, ns)
			var names []string
			for i := range tried {
				names = append(names, fmt.Sprint("users-", i))
			}
			p.bring(t, ns, names)
			if p.name == "manual" {
				awaitRecords(t, ns, names, "v2.0.0")
			}
			for i, r := range tried {
				executeRemedy(t, r, ns, names[i])
			}
		})
	}
}

// executeRemedy types a remedy as a message has it.
func executeRemedy(t *testing.T, r remedy.Remedy, ns, name string) {
	t.Helper()
	tried := handlerRemedies[r]
	fill := strings.NewReplacer("{name}", name, "{ns}", ns, "{file}", writeNext(t, ns, name), "{pod}", findPod(t, ns, name))
	var values []string
	for _, value := range tried.values {
		values = append(values, fill.Replace(value))
	}
	if tried.before != nil {
		var args []string
		for _, arg := range tried.before {
			args = append(args, fill.Replace(arg))
		}
		runGati(t, append(args, "-n", ns, "--yes")...).assertResult(t, 0)
	}
	command := strings.Replace(r.For(values...), "<image>", "registry.example.com/users:v1.0.0", 1)
	if !strings.Contains(command, ns) {
		command += " -n " + ns
	}
	r = remedy.Remedy(strings.Replace(string(r), "<image>", "IMAGE", 1))
	remedies.Execute(t, env.Shell, r, command)
}

// TestEditsAreUndone executes the undo that each edit of a record names, and the undo of that.
func TestEditsAreUndone(t *testing.T) {
	t.Parallel()
	const ns = "undone"
	env.Namespace(t, ns)
	names := []string{"tagged", "kept", "active", "shared"}
	for _, p := range phases {
		if p.name == "manual" {
			p.bring(t, ns, names)
		}
	}
	awaitRecords(t, ns, names, "v2.0.0")
	executeUndos(t, ns, remedy.RemoveTag, remedy.AddTag, "tag", "tagged", "v1.0.0", "blue", "green")
	executeUndos(t, ns, remedy.StopKeeping, remedy.Keep, "keep", "kept", "v1.0.0")
	executeUndos(t, ns, remedy.Activate, remedy.Deactivate, "deactivate", "active", "v2.0.0")
	executeUndos(t, ns, remedy.ResetTraffic, remedy.ResetTraffic, "set-traffic", "shared", "v1.0.0=40", "v2.0.0=60")
}

// executeUndos makes an edit, and holds that the undo of its undo brings the records back to
// where the edit had them.
func executeUndos(t *testing.T, ns string, undo, redo remedy.Remedy, edit ...string) {
	t.Helper()
	specs := func() string {
		return env.Must(t, "", "get", "gv", "-n", ns, "-o", "jsonpath={range .items[*]}{.metadata.name}: {.spec}\n{end}")
	}
	before := specs()
	out := runGati(t, append(append([]string{"version"}, edit...), "-n", ns, "--yes")...)
	out.assertResult(t, 0)
	edited := specs()
	said := remedies.Execute(t, env.Shell, undo, out.out+out.errs)
	if after := specs(); edited == before || after == edited {
		t.Errorf("%v was\n%sthen\n%sand is undone as\n%s", edit, before, edited, after)
	}
	remedies.Execute(t, env.Shell, redo, said)
	if after := specs(); after != edited {
		t.Errorf("%v is\n%sand after its undo was undone\n%s", edit, edited, after)
	}
}

// TestWarningsThatAreCutAreShown applies a handler with more warnings than the API server passes
// on, and executes what the last of them names.
func TestWarningsThatAreCutAreShown(t *testing.T) {
	t.Parallel()
	const ns = "warned"
	env.Namespace(t, ns)
	file := filepath.Join(t.TempDir(), "users.yaml")
	var modules []string
	for i := range 8 {
		modules = append(modules, fmt.Sprintf("missing-%d", i))
	}
	text := "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users}\nspec: {path: /users, image: \"users:v1\", replicas: 0, modules: [" + strings.Join(modules, ", ") + "]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := env.Must(t, "", "apply", "-n", ns, "-f", file)
	said := strings.Replace(out, "FILE", file, 1)
	shown := remedies.Execute(t, env.Shell, remedy.ExpandFile, said)
	for _, name := range modules {
		if !strings.Contains(shown, name) {
			t.Errorf("%s is not shown in\n%s, after\n%s", name, shown, out)
		}
	}
}

// writeNext writes the next version of a handler into a file.
func writeNext(t *testing.T, ns, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "next.yaml")
	if err := os.WriteFile(file, []byte(makeUngated(ns, name, "v3.0.0", untilAsk)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func findPod(t *testing.T, ns, name string) string {
	t.Helper()
	return strings.Fields(env.Must(t, "", "-n", ns, "get", "pods", "-l", "gati.dev/handler="+name, "-o", "jsonpath={.items[*].metadata.name}"))[0]
}
