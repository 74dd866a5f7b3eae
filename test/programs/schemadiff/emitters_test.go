package schemadiff

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/metaschema"
	"gati.dev/gati/pkg/schema"
)

// emitted is one evolution as one emitter writes it: emitters/emit.mjs.
type emitted struct {
	Emitter    string            `json:"emitter"`
	Evolution  string            `json:"evolution"`
	Old        documents         `json:"old"`
	New        documents         `json:"new"`
	JSONCompat map[string]string `json:"jsoncompat"`
}

type documents struct{ Input, Output json.RawMessage }

// texts are the documents of a direction.
func (e emitted) texts(direction schema.Direction) (old, now []byte) {
	if direction == schema.Request {
		return e.Old.Input, e.New.Input
	}
	return e.Old.Output, e.New.Output
}

// row has the verdicts of one tool in the order of the emitters, a letter each.
type row struct{ ours, jsoncompat, oasdiff string }

// TestEmitters compares evolutions of TypeScript types as each library emits them.
// Every document is read, no pair is undecided, and a break is shown to an independent
// validator. The golden table has the verdicts, beside those of jsoncompat and oasdiff.
func TestEmitters(t *testing.T) {
	pairs := emit(t)
	var emitters, evolutions []string
	rows := map[string]*row{}
	for _, e := range pairs {
		if !slices.Contains(emitters, e.Emitter) {
			emitters = append(emitters, e.Emitter)
		}
		if !slices.Contains(evolutions, e.Evolution) {
			evolutions = append(evolutions, e.Evolution)
		}
		for _, direction := range []schema.Direction{schema.Request, schema.Response} {
			r := rows[rowName(e.Evolution, direction)]
			if r == nil {
				r = &row{}
				rows[rowName(e.Evolution, direction)] = r
			}
			r.ours += letter(compareEmitted(t, e, direction))
			r.jsoncompat += letter(e.JSONCompat[string(direction)])
			r.oasdiff += letter(askOasdiff(e, direction))
		}
	}
	for _, evolution := range evolutions {
		for _, direction := range []schema.Direction{schema.Request, schema.Response} {
			checkReasons(t, evolution, direction, rows[rowName(evolution, direction)])
		}
	}
	golden.Compare(t, "emitters.golden", renderTable(emitters, evolutions, rows))
}

// checkReasons holds that a difference between emitters or tools has a reason.
func checkReasons(t *testing.T, evolution string, direction schema.Direction, r *row) {
	t.Helper()
	name := rowName(evolution, direction)
	if uniform := strings.Trim(r.ours, r.ours[:1]) == ""; uniform == (emitterReasons[name] != "") {
		t.Errorf("%s: %s: a row in which emitters differ has a reason, and no other", name, r.ours)
	}
	for tool, theirs := range map[string]string{"jsoncompat": r.jsoncompat, "oasdiff": r.oasdiff} {
		if differ(r.ours, theirs) && peerReasons[tool+": "+evolution] == "" {
			t.Errorf("%s: %s says %s, ours %s, and no reason is given", name, tool, theirs, r.ours)
		}
	}
}

// differ reports whether two tools differ on a document that both read.
func differ(ours, theirs string) bool {
	for i := range ours {
		if theirs[i] != 'e' && theirs[i] != ours[i] {
			return true
		}
	}
	return false
}

func rowName(evolution string, direction schema.Direction) string {
	return evolution + ", " + string(direction)
}

// emit runs the emitters.
func emit(t *testing.T) []emitted {
	t.Helper()
	if _, err := os.Stat("emitters/node_modules"); err != nil {
		t.Fatalf("%v; run npm ci --prefix test/programs/schemadiff/emitters", err)
	}
	command := exec.CommandContext(t.Context(), "node", "emit.mjs")
	command.Dir, command.Stderr = "emitters", os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var pairs []emitted
	if err := json.Unmarshal(out, &pairs); err != nil {
		t.Fatal(err)
	}
	return pairs
}

// compareEmitted returns our verdict.
func compareEmitted(t *testing.T, e emitted, direction schema.Direction) string {
	t.Helper()
	was, is := e.texts(direction)
	old, err := schema.Parse(was)
	if err != nil {
		t.Errorf("%s: %s: %v\n%s", e.Emitter, e.Evolution, err, was)
		return "error"
	}
	now, err := schema.Parse(is)
	if err != nil {
		t.Errorf("%s: %s: %v\n%s", e.Emitter, e.Evolution, err, is)
		return "error"
	}
	x, y := schema.Version{Input: old}, schema.Version{Input: now}
	a, b := old, now
	if direction == schema.Response {
		x, y = schema.Version{Output: old}, schema.Version{Output: now}
		a, b = now, old
	}
	report := schema.Compatibility(x, y, schema.Backward)
	if slices.ContainsFunc(report.Findings, func(f schema.Finding) bool { return f.Undecided }) {
		t.Errorf("%s: %s: undecided\n%s\n%s", e.Emitter, e.Evolution, was, is)
	}
	if !report.Breaking {
		return "keeps"
	}
	if answer, witness := schema.Subset(a, b); answer == schema.No {
		checkWitness(t, e, a, b, witness)
	}
	return "breaks"
}

// checkWitness has an independent validator tell two schemas apart by a document.
func checkWitness(t *testing.T, e emitted, accepts, refuses *schema.Schema, witness []byte) {
	t.Helper()
	var document any
	if err := json.Unmarshal(witness, &document); err != nil {
		t.Fatal(err)
	}
	for _, asserted := range []bool{true, false} {
		a, errA := metaschema.Compile(accepts, asserted)
		b, errB := metaschema.Compile(refuses, asserted)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if a.Validate(document) == nil && b.Validate(document) != nil {
			return
		}
	}
	t.Errorf("%s: %s: %s does not tell apart", e.Emitter, e.Evolution, witness)
}

func askOasdiff(e emitted, direction schema.Direction) string {
	old, now := e.texts(direction)
	switch rules, err := findBreakingRules(old, now, direction == schema.Request); {
	case err != nil:
		return "error"
	case len(rules) > 0:
		return "breaks"
	}
	return "keeps"
}

func letter(verdict string) string {
	return map[string]string{"keeps": ".", "breaks": "b", "error": "e"}[verdict]
}

// renderTable prints the verdicts. A row in which emitters differ has a reason.
func renderTable(emitters, evolutions []string, rows map[string]*row) string {
	var out strings.Builder
	fmt.Fprintln(&out, "Verdicts on evolutions, a letter for each emitter: b breaks callers, . keeps them, e the tool cannot read a document.")
	for i, name := range emitters {
		fmt.Fprintf(&out, "%2d %s\n", i+1, name)
	}
	fmt.Fprintf(&out, "\n%-52s %-*s  %-*s  oasdiff\n", "", len(emitters), "ours", len(emitters), "jsoncompat")
	for _, evolution := range evolutions {
		for _, direction := range []schema.Direction{schema.Request, schema.Response} {
			name := rowName(evolution, direction)
			r := rows[name]
			fmt.Fprintf(&out, "%-52s %s  %s  %s\n", name, r.ours, r.jsoncompat, r.oasdiff)
			if reason, given := emitterReasons[name]; given {
				fmt.Fprintf(&out, "    %s\n", reason)
			}
			for _, tool := range []struct{ name, verdicts string }{{"jsoncompat", r.jsoncompat}, {"oasdiff", r.oasdiff}} {
				if differ(r.ours, tool.verdicts) {
					fmt.Fprintf(&out, "    %s: %s\n", tool.name, peerReasons[tool.name+": "+evolution])
				}
			}
		}
	}
	return out.String()
}
