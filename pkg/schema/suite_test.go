package schema_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/schema"
)

// suiteDrafts are the drafts of testdata/suite, with the $schema that their documents have
// or lack.
var suiteDrafts = []struct{ file, dialect string }{
	{"draft4", "http://json-schema.org/draft-04/schema#"},
	{"draft6", "http://json-schema.org/draft-06/schema#"},
	{"draft7", "http://json-schema.org/draft-07/schema#"},
	{"draft2019-09", "https://json-schema.org/draft/2019-09/schema"},
	{"draft2020-12", "https://json-schema.org/draft/2020-12/schema"},
}

// suiteGroup is a schema of the suite with documents that it accepts and refuses.
type suiteGroup struct {
	File, Group    string
	Schema         json.RawMessage
	Valid, Invalid []json.RawMessage

	parsed *schema.Schema
}

// assertsFormats reports whether the group's verdicts depend on formats.
func (g *suiteGroup) assertsFormats() bool { return strings.HasPrefix(g.File, "optional/format/") }

// unasserted are files of the suite whose verdicts this package does not share.
var unasserted = map[string]string{
	"optional/content":              "what a text encodes is an annotation",
	"optional/zeroTerminatedFloats": "1.0 is an integer in every draft",
}

// TestOfficialSuite reads every schema of the official suite. Each is taken or refused with
// a reason that the table lists. Those taken accept what the suite says, and no answer of
// a pair of one file contradicts the file's documents.
func TestOfficialSuite(t *testing.T) {
	var table strings.Builder
	for _, draft := range suiteDrafts {
		var refused strings.Builder
		taken, pairs, undecided := 0, 0, map[string]int{}
		files := map[string][]*suiteGroup{}
		groups := readSuite(t, draft.file, draft.dialect)
		for _, g := range groups {
			var err error
			if g.parsed, err = schema.Parse(g.Schema); err != nil {
				fmt.Fprintf(&refused, "  %s: %s\n    %s\n", g.File, g.Group, strings.Split(err.Error(), "; ")[0])
				continue
			}
			taken++
			files[g.File] = append(files[g.File], g)
			checkVerdicts(t, draft.file, g)
		}
		for _, all := range files {
			for _, a := range all {
				for _, b := range all {
					pairs++
					if !checkSuitePair(t, draft.file, a, b, all) {
						undecided[a.File]++
					}
				}
			}
		}
		fmt.Fprintf(&table, "%s: %d schemas taken, %d refused; %d pairs\n", draft.file, taken, len(groups)-taken, pairs)
		for _, name := range slices.Sorted(maps.Keys(undecided)) {
			fmt.Fprintf(&table, "  %d pairs undecided in %s\n", undecided[name], name)
		}
		fmt.Fprintf(&table, "%s\n", refused.String())
	}
	golden.Compare(t, filepath.Join("suite", "table.golden"), table.String())
}

func readSuite(t *testing.T, draft, dialect string) []*suiteGroup {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "suite", draft+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var out []*suiteGroup
	lines := bufio.NewScanner(file)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		g := &suiteGroup{}
		if err := json.Unmarshal(lines.Bytes(), g); err != nil {
			t.Fatal(err)
		}
		if raw := string(g.Schema); strings.HasPrefix(raw, "{") && !strings.Contains(raw, `"$schema"`) {
			g.Schema = json.RawMessage(strings.TrimSuffix(`{"$schema":"`+dialect+`",`+raw[1:], ",}"))
			if raw == "{}" {
				g.Schema = json.RawMessage(`{"$schema":"` + dialect + `"}`)
			}
		}
		out = append(out, g)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// checkVerdicts holds the evaluator to what the suite says of a schema's documents.
func checkVerdicts(t *testing.T, draft string, g *suiteGroup) {
	t.Helper()
	if unasserted[g.File] != "" {
		return
	}
	for i, list := range [][]json.RawMessage{g.Valid, g.Invalid} {
		for _, raw := range list {
			if v, known := suiteValue(raw); known && g.parsed.Accepts(v, g.assertsFormats()) != (i == 0) {
				t.Errorf("%s %s, %s: %s of %s is accepted: %t", draft, g.File, g.Group, raw, g.Schema, i != 0)
			}
		}
	}
}

// suiteValue returns a document, unless it is beyond the limits of documents.
func suiteValue(raw json.RawMessage) (v any, known bool) {
	defer func() { known = recover() == nil }()
	return schema.Value(raw), true
}

// checkSuitePair compares two schemas of one file, and reports whether the answer is known.
func checkSuitePair(t *testing.T, draft string, a, b *suiteGroup, all []*suiteGroup) bool {
	t.Helper()
	answer, witness := schema.Subset(a.parsed, b.parsed)
	switch answer {
	case schema.No:
		if witness != nil && !tellsApart(a.parsed, b.parsed, schema.Value(witness)) {
			t.Errorf("%s %s: %s does not tell %s from %s", draft, a.File, witness, a.Schema, b.Schema)
		}
	case schema.Yes:
		for _, g := range all {
			for _, raw := range append(g.Valid[:len(g.Valid):len(g.Valid)], g.Invalid...) {
				if v, known := suiteValue(raw); known && tellsApart(a.parsed, b.parsed, v) {
					t.Errorf("%s %s: yes, but %s tells %s from %s", draft, a.File, raw, a.Schema, b.Schema)
				}
			}
		}
	}
	return answer != schema.Undecided
}
