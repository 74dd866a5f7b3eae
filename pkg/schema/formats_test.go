package schema

import "testing"

// TestFormatsAreAsserted checks formats by what their RFCs say, as cases of the comparison.
func TestFormatsAreAsserted(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want Answer
	}{
		{`{"const":"https://example.org/foo bar.txt"}`, `{"type":"string","format":"uri"}`, No},
		{`{"const":"23:59:60Z"}`, `{"type":"string","format":"time"}`, Yes},
		{`{"const":"22:59:60Z"}`, `{"type":"string","format":"time"}`, No},
		{`{"const":"\"joe bloggs\"@example.com"}`, `{"format":"email"}`, Yes},
		{`{"const":"실례@실례.테스트"}`, `{"format":"email"}`, No},
		{`{"const":"실례@실례.테스트"}`, `{"format":"idn-email"}`, Yes},
		{`{"const":"xn--X"}`, `{"format":"hostname"}`, No},
		{`{"format":"email"}`, `{"format":"idn-email"}`, Yes},
		{`{"format":"ipv4"}`, `{"format":"hostname"}`, Yes},
		{`{"format":"hostname"}`, `{"format":"idn-hostname"}`, Yes},
		{`{"format":"idn-hostname"}`, `{"format":"hostname"}`, No},
		{`{"format":"idn-email"}`, `{"format":"email"}`, No},
		{`{"format":"iri"}`, `{"format":"uri"}`, No},
	} {
		if got, _ := Subset(must(t, c.a), must(t, c.b)); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}
