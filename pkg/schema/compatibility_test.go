package schema_test

import (
	"strings"
	"testing"

	"gati.dev/gati/pkg/schema"
)

// TestModes checks which questions each mode asks.
func TestModes(t *testing.T) {
	narrow, wide := parse(t, []byte(`{"type":"integer"}`)), parse(t, []byte(`{"type":"number"}`))
	for _, c := range []struct {
		name     string
		old, new schema.Version
		breaks   map[schema.Mode]bool
	}{
		{"input widened", schema.Version{Input: narrow}, schema.Version{Input: wide}, map[schema.Mode]bool{schema.Forward: true, schema.Full: true}},
		{"input narrowed", schema.Version{Input: wide}, schema.Version{Input: narrow}, map[schema.Mode]bool{schema.Backward: true, schema.Full: true}},
		{"output widened", schema.Version{Output: narrow}, schema.Version{Output: wide}, map[schema.Mode]bool{schema.Backward: true, schema.Full: true}},
		{"output narrowed", schema.Version{Output: wide}, schema.Version{Output: narrow}, map[schema.Mode]bool{schema.Forward: true, schema.Full: true}},
		{"both the same", schema.Version{Input: wide, Output: wide}, schema.Version{Input: wide, Output: wide}, nil},
		{"nothing before", schema.Version{}, schema.Version{Input: narrow, Output: narrow}, nil},
		{"nothing before of one", schema.Version{Input: wide}, schema.Version{Input: wide, Output: narrow}, nil},
		{"input removed", schema.Version{Input: wide}, schema.Version{}, map[schema.Mode]bool{schema.Backward: true, schema.Forward: true, schema.Full: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range []schema.Mode{schema.None, schema.Backward, schema.Forward, schema.Full} {
				r := schema.Compatibility(c.old, c.new, mode)
				if r.Breaking != c.breaks[mode] || r.Breaking != (len(r.Findings) > 0) {
					t.Errorf("%s: breaking %t with %v, want %t", mode, r.Breaking, r.Findings, c.breaks[mode])
				}
			}
		})
	}
}

func TestSchemaRemovedIsToldOnce(t *testing.T) {
	s := parse(t, []byte(`{}`))
	r := schema.Compatibility(schema.Version{Input: s}, schema.Version{}, schema.Full)
	if len(r.Findings) != 1 || r.Findings[0].Rule != "schema-removed" {
		t.Errorf("got %v", r.Findings)
	}
}

// TestFinding checks all parts of one finding.
func TestFinding(t *testing.T) {
	old := parse(t, []byte(`{"type":"object","properties":{"users":{"type":"array","items":{"type":"object","properties":{"a/b":{"type":"string"}}}}}}`))
	new := parse(t, []byte(`{"type":"object","properties":{"users":{"type":"array","items":{"type":"object","properties":{"a/b":{"type":"string","maxLength":3}}}}}}`))
	r := schema.Compatibility(schema.Version{Input: old}, schema.Version{Input: new}, schema.Backward)
	if len(r.Findings) != 1 {
		t.Fatalf("got %v", r.Findings)
	}
	f := r.Findings[0]
	want := schema.Finding{
		Rule: "request-property-max-length-set", Direction: schema.Request, Severity: schema.Breaking,
		Pointer: "/properties/users/items/properties/a~1b/maxLength", In: "new", Path: "/users/*/a~1b",
		Message: "the new schema has maxLength 3; the old one has none",
		Remedy:  "accept at least what was accepted before, or cover the two versions with transformers",
		Witness: []byte(`{"users":[{"a/b":"aaaa"}]}`),
	}
	if f.String() != want.String() || f.Pointer != want.Pointer || f.In != want.In || f.Remedy != want.Remedy || f.Undecided {
		t.Errorf("got  %+v\nwant %+v", f, want)
	}
}

func TestTransformers(t *testing.T) {
	order := strings.Fields("v1 v2 v3 v4 v5 v6 v7 v8 v9 v10 v11 v12")
	both := func(a, b string) []schema.Hop { return []schema.Hop{{From: a, To: b}, {From: b, To: a}} }
	var all []schema.Hop
	for i := range order[1:] {
		all = append(all, both(order[i], order[i+1])...)
	}
	for _, c := range []struct {
		name, a, b string
		hops       []schema.Hop
		missing    string
	}{
		{"both ways", "v1", "v2", both("v1", "v2"), ""},
		{"asked the other way", "v2", "v1", both("v1", "v2"), ""},
		{"one way", "v1", "v2", []schema.Hop{{From: "v1", To: "v2"}}, ""},
		{"against its way", "v2", "v1", []schema.Hop{{From: "v1", To: "v2"}}, "no transformer from v2 to v1"},
		{"none", "v1", "v2", nil, "no transformer from v1 to v2"},
		{"a chain", "v1", "v4", all, ""},
		{"a chain with a hole", "v1", "v3", both("v1", "v2"), "no transformer from v2 to v3"},
		{"a pair that skips a version", "v1", "v3", both("v1", "v3"), "no transformer from v1 to v2"},
		{"the longest chain", "v1", "v11", all, ""},
		{"one longer", "v1", "v12", all, "11 versions apart; at most 10"},
		{"the version itself", "v1", "v1", nil, ""},
		{"no such version", "v1", "v99", all, "not a version of the handler"},
	} {
		t.Run(c.name, func(t *testing.T) {
			covered, missing := schema.Chain{Order: order, Hops: c.hops}.Covers(c.a, c.b)
			if covered != (c.missing == "") || !strings.Contains(missing, c.missing) {
				t.Errorf("got %t, %q", covered, missing)
			}
		})
	}
	if faults := (schema.Chain{Order: order, Hops: all}).Faults(); len(faults) > 0 {
		t.Errorf("a whole chain has faults: %v", faults)
	}
	for _, c := range []struct {
		name string
		hops []schema.Hop
		says string
	}{
		{"skips", both("v1", "v4"), "skips v2, v3"},
		{"unknown", both("v1", "v0"), "names v0, which is not a version of the handler; its versions are v1, v2"},
		{"twice", append(both("v1", "v2"), schema.Hop{From: "v1", To: "v2"}), "exists twice"},
	} {
		faults := schema.Chain{Order: order, Hops: c.hops}.Faults()
		if len(faults) == 0 || !strings.Contains(faults[0], c.says) {
			t.Errorf("%s: got %q, want %q", c.name, faults, c.says)
		}
	}
}
