package plugin

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/terminal"
)

// commands are all that ask for something or set something, NAME in place of the handler.
var commands = []struct{ name, typed string }{
	{"promote", "rollout promote NAME"},
	{"full", "rollout promote NAME --full"},
	{"pause", "rollout pause NAME"},
	{"resume", "rollout resume NAME"},
	{"abort", "rollout abort NAME"},
	{"retry", "rollout retry NAME"},
	{"rollback", "rollout rollback NAME"},
	{"rollback-to", "rollout rollback NAME --to v1.0.0"},
	{"restart", "rollout restart NAME"},
	{"decommission", "version decommission NAME v1.0.0"},
	{"traffic", "version set-traffic NAME v1.0.0=100"},
	{"tag", "version tag NAME v1.0.0 blue"},
	{"untag", "version untag NAME v1.0.0 blue"},
	{"keep", "version keep NAME v1.0.0"},
	{"activate", "version activate NAME v1.0.0"},
	{"deactivate", "version deactivate NAME v1.0.0"},
}

// The users of the table, with roles that are shipped.
const (
	jane = "jane" // gati-admin: may
	olaf = "olaf" // gati-view: may not
)

// tableFile has the outcome of each verb in each phase, for both users.
const tableFile = "testdata/verbs.md"

// TestEveryVerbInEveryPhase asks for everything in every phase, as a user who may not
// and then as one who may. Of the former nothing changes: it is forbidden, unless there is
// nothing to be asked for, which the other is told as well. Each cell has a handler of its
// own, which stays in its phase until it is asked. The short form works on one cell in
// 23; "make soak NAME=everyVerbInEveryPhase" on all.
func TestEveryVerbInEveryPhase(t *testing.T) {
	t.Parallel()
	chosen := soak.Share(t, "everyVerbInEveryPhase", 23)
	said := map[string]string{}
	t.Run("in", func(t *testing.T) {
		var mu sync.Mutex
		for _, p := range phases {
			names, typed := p.listCells(chosen)
			if len(names) == 0 {
				continue
			}
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				answers := p.runCommands(t, names, typed)
				mu.Lock()
				defer mu.Unlock()
				maps.Copy(said, answers)
			})
		}
	})
	if !soak.IsLong("everyVerbInEveryPhase") {
		compareWithTable(t, said)
		return
	}
	terminal.Golden(t, tableFile, renderTable(said))
}

// listCells returns the handlers of a phase and what is typed for each.
func (p phase) listCells(chosen func() bool) (names, typed []string) {
	for _, v := range commands {
		if chosen() {
			names, typed = append(names, p.name+"-"+v.name), append(typed, v.typed)
		}
	}
	return names, typed
}

// runCommands takes handlers to the phase, types one command for each as each user, and returns
// what was said.
func (p phase) runCommands(t *testing.T, names, typed []string) map[string]string {
	t.Helper()
	said := map[string]string{}
	ns := "verbs-" + p.name
	env.Namespace(t, ns)
	env.Must(t, "", "-n", ns, "create", "rolebinding", jane, "--clusterrole=gati-admin", "--user="+jane)
	env.Must(t, "", "-n", ns, "create", "rolebinding", olaf, "--clusterrole=gati-view", "--user="+olaf)
	p.bring(t, ns, names)
	before := readWishes(t, ns)
	for _, user := range []string{olaf, jane} {
		for i, name := range names {
			args := strings.Fields(strings.Replace(typed[i], "NAME", name, 1))
			got := runGati(t, append(args, "--yes", "-n", ns, "--as", user)...)
			said[name+" "+user] = fmt.Sprintf("%d: %s", got.code, steadyOutput(got.out+got.errs, name, ns))
		}
		if now := readWishes(t, ns); user == olaf && withoutNewRecords(now, before) != before {
			t.Errorf("a user who may not has changed something:\n%s\nbefore:\n%s", now, before)
		}
	}
	for _, name := range names {
		if his, hers := said[name+" "+olaf], said[name+" "+jane]; his != hers && !strings.Contains(his, "forbidden") {
			t.Errorf("%s by a user who may not: %s\nby one who may: %s", name, his, hers)
		}
	}
	return said
}

// readWishes returns what people have asked for in a namespace: the specs, and the requests.
func readWishes(t *testing.T, ns string) string {
	t.Helper()
	return env.Must(t, "", "-n", ns, "get", "gh,gv", "-o",
		`jsonpath={range .items[*]}{.kind}/{.metadata.name} {.spec} {.metadata.annotations.gati\.dev/request}{"\n"}{end}`)
}

// automaticRecord matches a record without requests or claims.
var automaticRecord = regexp.MustCompile(`^GatiVersion/\S+ \{"handler":"[^"]+","version":"[^"]+"\} \n$`)

// withoutNewRecords leaves out the records that the controller has written since: it writes
// the one of a version a moment after the version is in the status.
func withoutNewRecords(now, before string) string {
	var out strings.Builder
	for line := range strings.Lines(now) {
		if !automaticRecord.MatchString(line) || strings.Contains(before, line) {
			out.WriteString(line)
		}
	}
	return out.String()
}

var lasting = regexp.MustCompile(`\b\d+(\.\d+)?(ms|s|m|h)(\d+s)?\b`)

// steadyOutput is a command's output in one line, without the parts that differ between runs.
func steadyOutput(text, name, ns string) string {
	text = lasting.ReplaceAllString(text, "<long>")
	text = strings.NewReplacer(name, "NAME", ns, "NAMESPACE").Replace(text)
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.TrimSpace(text), "\n", " ⏎ ")), " ")
}

// renderTable writes all cells for people.
func renderTable(said map[string]string) string {
	var out strings.Builder
	out.WriteString("# What comes of each verb in each phase\n\nWritten by `make soak NAME=everyVerbInEveryPhase` with `-update`: the exit code, and what is said. jane has the role gati-admin, olaf gati-view.\n")
	for _, p := range phases {
		fmt.Fprintf(&out, "\n## %s\n", p.name)
		for _, v := range commands {
			fmt.Fprintf(&out, "\n- `%s`\n", v.typed)
			for _, user := range []string{jane, olaf} {
				fmt.Fprintf(&out, "  - %s: %s\n", user, said[p.name+"-"+v.name+" "+user])
			}
		}
	}
	return out.String()
}

// compareWithTable holds the cells that were tried against the table.
func compareWithTable(t *testing.T, said map[string]string) {
	t.Helper()
	raw, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(raw), "\n")
	for _, p := range phases {
		at := slices.Index(lines, "## "+p.name)
		if at < 0 {
			t.Errorf("%s has no phase %s", tableFile, p.name)
			continue
		}
		for _, v := range commands {
			for _, user := range []string{jane, olaf} {
				got, tried := said[p.name+"-"+v.name+" "+user]
				if !tried {
					continue
				}
				i := at + slices.Index(lines[at:], "- `"+v.typed+"`")
				cell := lines[i:min(i+3, len(lines))]
				if want := "  - " + user + ": " + got; !slices.Contains(cell, want) {
					t.Errorf("%s, %s:\n%s\nis not in %s, which has:\n%s", p.name, v.typed, want, tableFile, strings.Join(cell, "\n"))
				}
			}
		}
	}
}
