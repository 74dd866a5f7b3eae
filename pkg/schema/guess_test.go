package schema

import (
	"strings"
	"testing"
)

// TestPatternsBeyondLinearTime holds that a pattern which cannot be checked is taken and
// told, and that answers which depend on what it matches are undecided.
func TestPatternsBeyondLinearTime(t *testing.T) {
	const (
		behind = `{"type":"string","pattern":"(?<=a)b"}`
		again  = `{"type":"string","pattern":"^(a)\\1$"}`
	)
	for _, c := range []struct {
		a, b string
		want Answer
	}{
		{behind, behind, Yes},
		{behind, `{"type":"string"}`, Yes},
		{`{"type":"string","pattern":"(?<=a)b","minLength":2}`, behind, Yes},
		{`{"type":"integer"}`, `{"type":["integer","string"],"pattern":"(?<=a)b"}`, Yes},
		{`{"allOf":[` + behind + `,{"minLength":3}],"maxLength":2}`, again, Yes},
		{`{"allOf":[` + behind + `,{"pattern":"^x$"}]}`, `{"const":"x"}`, Yes},
		{`{"enum":["ab"]}`, `{"anyOf":[` + behind + `,{"not":` + behind + `}]}`, Yes},
		{behind, again, Undecided},
		{again, behind, Undecided},
		{`{"type":"string"}`, behind, Undecided},
		{`{"const":"ab"}`, behind, Undecided},
		{behind, `{"type":"string","minLength":2}`, Undecided},
		{behind, `{"type":"integer"}`, Undecided},
		{`{"type":["string","null"],"pattern":"(?<=a)b"}`, `{"type":"string"}`, No},
		{`{"enum":["a","b"]}`, `{"oneOf":[` + behind + `,` + again + `,{"const":"c"}]}`, Undecided},
		{`{"properties":{"a":{"type":"string"}}}`, `{"patternProperties":{"(?<=a)b":{"type":"string"}}}`, Undecided},
		{`{"patternProperties":{"(?<=a)b":{"type":"integer"}}}`, `{"patternProperties":{"(?<=a)b":{"type":"number"}}}`, Yes},
		{`{"patternProperties":{"(?<=a)b":{"type":"integer"}},"additionalProperties":false}`, `{"additionalProperties":{"type":"number"}}`, Yes},
		{`{"propertyNames":` + behind + `}`, `{"propertyNames":` + again + `}`, Undecided},
		{`{"type":"object","properties":{"ab":{}},"required":["ab"]}`, `{"patternProperties":{"(?<=a)b":{"type":"integer"}}}`, Undecided},
	} {
		if got, witness := Subset(must(t, c.a), must(t, c.b)); got != c.want {
			t.Errorf("%s in %s: %s %s, want %s", c.a, c.b, got, witness, c.want)
		}
	}
}

// TestUncheckedPatternsAreTold holds that each such pattern is named with its place, its
// reason and what to do.
func TestUncheckedPatternsAreTold(t *testing.T) {
	s := must(t, `{"items":[{"pattern":"(?<!a)b"}],"patternProperties":{"^(a)\\1":{"pattern":"\\p{Emoji}"}}}`)
	want := []string{"/items/0/pattern has look-behind", `/patternProperties/^(a)\1 has a back reference`, `/patternProperties/^(a)\1/pattern has the property \p{Emoji}`}
	if len(s.Unchecked()) != len(want) {
		t.Fatalf("%v", s.Unchecked())
	}
	for i, note := range s.Unchecked() {
		if !strings.HasPrefix(note.String(), want[i]) {
			t.Errorf("%s, want %s", note, want[i])
		}
	}
}
