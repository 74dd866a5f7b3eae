package schema

import (
	"strings"
	"testing"
)

// A pattern means what JavaScript reads: the programs that hold these schemas do.
func TestPatternsMeanWhatJavaScriptReads(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Answer
	}{
		{`{"const":"\u00a0"}`, `{"type":"string","pattern":"^\\S$"}`, No},
		{`{"const":"\u2003"}`, `{"type":"string","pattern":"^\\s$"}`, Yes},
		{`{"const":"\r"}`, `{"type":"string","pattern":"^.$"}`, No},
		{`{"const":"a\n"}`, `{"type":"string","pattern":"^a$"}`, No},
		{`{"const":"/"}`, `{"type":"string","pattern":"^\\/$"}`, Yes},
		{`{"type":"string","pattern":"^[a-z]+$"}`, `{"type":"string","pattern":"^[a-z0-9]+$"}`, Yes},
		{`{"type":"string","pattern":"^\\d{5}$"}`, `{"type":"string","minLength":5,"maxLength":5}`, Yes},
		{`{"type":"string","pattern":"^[a-z0-9-]{1,128}$"}`, `{"type":"string","pattern":"^[a-z0-9-]{1,64}$"}`, No},
		{`{"type":"string","pattern":"^[a-z]$","not":{"enum":["a"]}}`, `{"type":"string","pattern":"^[b-z]$"}`, Yes},
		{`{"type":"string","pattern":"^(?!\\.)[a-z.]+$"}`, `{"type":"string","pattern":"^[a-z]"}`, Yes},
		{`{"const":".a"}`, `{"type":"string","pattern":"^(?!\\.)[a-z.]+$"}`, No},
		{`{"type":"object","patternProperties":{"^x":false},"additionalProperties":true,"required":["xa"]}`, `false`, Yes},
		{`{"const":"α"}`, `{"type":"string","pattern":"^\\p{Script=Greek}$"}`, Yes},
	} {
		if got, _ := Subset(must(t, c.a), must(t, c.b)); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// What only Go reads is refused with the form of ECMA-262, wherever a pattern may be.
func TestPatternsOfOtherDialectsAreRefused(t *testing.T) {
	for _, raw := range []string{`{"pattern":"^[[:alpha:]]$"}`, `{"patternProperties":{"^[[:alpha:]]$":{}}}`, `{"propertyNames":{"pattern":"^[[:alpha:]]$"}}`} {
		if _, err := Parse([]byte(raw)); err == nil || !strings.Contains(err.Error(), "a-zA-Z") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// What a part of a schema leaves no value for is found, whatever else is open.
func TestPartsWithoutValuesAreFound(t *testing.T) {
	for _, c := range []struct{ a, b string }{
		{`{"type":"array","prefixItems":[false]}`, `{"uniqueItems":true}`},
		{`{"type":"array","contains":true,"maxContains":1}`, `{"uniqueItems":true}`},
		{`{"type":"object","propertyNames":{"pattern":"^x"},"required":["a"]}`, `{"patternProperties":{"a":false}}`},
		{`{"type":"object","propertyNames":{"pattern":"^[a-z]+$"},"minProperties":1}`, `{"propertyNames":{"minLength":1}}`},
		{`{"type":"object","patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`, `{"propertyNames":{"pattern":"^x"}}`},
	} {
		if got, witness := Subset(must(t, c.a), must(t, c.b)); got != Yes {
			t.Errorf("%s in %s: %s %s, want yes", c.a, c.b, got, witness)
		}
	}
}
