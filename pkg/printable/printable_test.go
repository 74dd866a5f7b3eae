package printable

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/printers"
)

func TestText(t *testing.T) {
	for in, want := range map[string][2]string{
		"plain  日本 é":         {"plain  日本 é", "plain  日本 é"},
		"a\nb\tc":             {"a\nb    c", "a b c"},
		"a\r\n\tb\n":          {"a\\r\n    b\n", "a b"},
		"\x1b]52;c;QQ\a":      {`^[]52;c;QQ\x07`, `^[]52;c;QQ\x07`},
		"\u009b31m\x7f":       {`\x9b31m\x7f`, `\x9b31m\x7f`},
		"\x9b31m\xff日\xe6":    {`\x9b31m\xff日\xe6`, `\x9b31m\xff日\xe6`},
		"\ufffd":              {"\ufffd", "\ufffd"},
		"a\u0085b\vc":         {`a\x85b\x0bc`, "a b c"},
		"a\u202etxt.exe":      {`a\u202etxt.exe`, `a\u202etxt.exe`},
		"\u2066a\u2069\u200b": {`\u2066a\u2069\u200b`, `\u2066a\u2069\u200b`},
		"a\u2028b\ufeff":      {`a\u2028b\ufeff`, `a\u2028b\ufeff`},
	} {
		if got := [2]string{Text(in), Line(in)}; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestEscapesAreThoseOfKubectl holds that users see the escapes that they know.
func TestEscapesAreThoseOfKubectl(t *testing.T) {
	const text = "\x1b[31m a\rb"
	if got, want := Text(text), printers.EscapeTerminal(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestJSON holds that the content stays, and that no control character is left.
func TestJSON(t *testing.T) {
	for _, content := range []string{"plain 日本 \u00a0 \u2028", "\x1b\a\x7f\u0080\u0085\u009f", `\u007f`, "\\\x7f", "\"\u009b", "\u202e \u200b \U000e0061"} {
		document, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		got := JSON(string(document))
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != content || strings.ContainsFunc(got, isObeyed) {
			t.Errorf("%q: %s, %v", content, got, err)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("\u202e\U000e0061")
	f.Add("\x1b]52;c;QQ==\a\u009b\x9b\x7f\r\n\t\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for name, got := range map[string]string{"Text": strings.ReplaceAll(Text(text), "\n", ""), "Line": Line(text)} {
			if strings.ContainsFunc(got, isObeyed) || !utf8.ValidString(got) {
				t.Errorf("%s(%q): %q", name, text, got)
			}
		}
		if again := Text(Text(text)); again != Text(text) {
			t.Errorf("%q is escaped twice: %q", text, again)
		}
	})
}

type inner struct {
	Text string
	At   time.Time
}

type outer struct {
	inner
	One   *inner
	List  []inner
	Map   map[string]any
	Kind  kind
	Clean *inner
}

type kind string

func TestCopy(t *testing.T) {
	at := time.Unix(1, 0)
	in := outer{
		inner{"\x1b", at},
		&inner{"\x1b", at},
		[]inner{{"a", at}, {"b\nc", at}},
		map[string]any{"k\a": []any{"\x7f", 1, nil}},
		"x\x1b",
		&inner{"a", at},
	}
	want := outer{
		inner{"\x1b", at}, // it is unexported
		&inner{"^[", at},
		[]inner{{"a", at}, {"b c", at}},
		map[string]any{`k\x07`: []any{`\x7f`, 1, nil}},
		"x^[",
		in.Clean,
	}
	before, got := in, Copy(in)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(outer{}, inner{})); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
	if in.One.Text != "\x1b" || in.List[1].Text != "b\nc" || before.Kind != in.Kind {
		t.Errorf("the original has changed: %+v", in)
	}
	if got.Clean != in.Clean {
		t.Error("what has nothing to escape was copied")
	}
}
