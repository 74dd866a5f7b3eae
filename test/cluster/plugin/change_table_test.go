package plugin

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/terminal"
)

var versions = []string{"v1", "v1alpha1"}

func allChanges() []change { return slices.Concat(handlerChanges(), moduleChanges()) }

// "A table over {apply, apply --server-side, create, replace, edit, patch merge
// and JSON, scale} × {image changed, version set equal, version set then removed,
// replicas with and without autoscaler, field removed, list element changed}:
// resulting plan and revision as they are meant to be; no stale derived value." The
// short form works on one cell in 17; make soak NAME=everyVerbLeadsToTheSame on
// all.
func TestEveryVerbLeadsToTheSame(t *testing.T) {
	t.Parallel()
	chosen := soak.Share(t, "everyVerbLeadsToTheSame", 17)
	for _, ch := range allChanges() {
		ns := makeNamespace(t)
		for _, v := range verbs {
			for _, version := range versions {
				if !v.canSay(ch, version) || !chosen() {
					continue // Why a verb cannot say it is in testdata/changes.md.
				}
				t.Run(strings.Join([]string{ch.kind.name, ch.name, v.name, version}, "/"), func(t *testing.T) {
					t.Parallel()
					(&cell{t: t, change: ch, verb: v, version: version, namespace: ns}).runSteps()
				})
			}
		}
	}
}

// canSay reports whether a verb can say any step of a change.
func (v verb) canSay(ch change, version string) bool {
	return slices.ContainsFunc(ch.steps, func(s step) bool { return whyUnsaid(ch, s, v, version) == "" })
}

// The table for people: what comes of each step, and who cannot say it.
func TestTableIsWrittenDown(t *testing.T) {
	var out strings.Builder
	out.WriteString("# What comes of a change, by whichever verb\n\nWritten by `go test ./test/cluster/plugin -update`.\n")
	for _, ch := range allChanges() {
		fmt.Fprintf(&out, "\n## %s: %s\n\n- start: %s\n", ch.kind.name, ch.name, ch.first)
		for _, s := range ch.steps {
			fmt.Fprintf(&out, "- %s `%s`: %s; %s\n", s.name, s.patch.v1, s.want.plan, s.want)
		}
		out.WriteString("\n| verb | v1 | v1alpha1 |\n|---|---|---|\n")
		for _, v := range verbs {
			fmt.Fprintf(&out, "| %s | %s | %s |\n", v.name, describeCoverage(ch, v, "v1"), describeCoverage(ch, v, "v1alpha1"))
		}
	}
	terminal.Golden(t, "testdata/changes.md", out.String())
}

// describeCoverage tells what a verb says of a change, and why not more.
func describeCoverage(ch change, v verb, version string) string {
	var why []string
	said := 0
	for _, s := range ch.steps {
		if reason := whyUnsaid(ch, s, v, version); reason == "" {
			said++
		} else if !slices.Contains(why, reason) {
			why = append(why, reason)
		}
	}
	switch {
	case said == 0:
		return "cannot: " + strings.Join(why, "; ")
	case len(why) > 0:
		return fmt.Sprintf("%d of %d steps: %s", said, len(ch.steps), strings.Join(why, "; "))
	case v.anew:
		return "over what exists: refused; anew: the same stamp, one revision"
	default:
		return "all steps"
	}
}

func (o outcome) String() string {
	out := fmt.Sprintf("%s runs, port %d, CPU %s, env %q, %d revisions, %d templates, %d replicas", o.image, o.port, o.cpu, o.env, o.revisions, o.templates, o.replicas)
	if o.version != "" {
		out = "version " + o.version + " of " + out
	}
	if o.most > 0 {
		out += fmt.Sprintf(" between %d and %d", o.least, o.most)
	}
	return out
}
