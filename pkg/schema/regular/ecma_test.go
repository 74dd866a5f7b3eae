package regular_test

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"gati.dev/gati/pkg/schema/regular"
)

// askJavaScript matches each pattern with each text in Node.js: with the flag u, without it
// where that refuses the pattern, and null where both do.
func askJavaScript(t *testing.T, patterns, texts []string) [][]bool {
	t.Helper()
	const program = `
const {patterns, texts} = JSON.parse(require("fs").readFileSync(0, "utf8"));
const compile = (p) => { for (const flags of ["u", ""]) { try { return new RegExp(p, flags) } catch {} } return null };
console.log(JSON.stringify(patterns.map((p) => { const re = compile(p); return re && texts.map((s) => re.test(s)) })));`
	in, err := json.Marshal(map[string][]string{"patterns": patterns, "texts": texts})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "-e", program)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var answers [][]bool
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// texts are strings in which dialects differ.
var texts = append(strings.Split("a|b|A|Z|z|é|É|0|9|_|-|.|/|\\|]|[|{|}|^|$| |ab|ba|aa|aab|abc|a-b|a b|12345|x1|a]|:]|foo|FOO|Ω|ω|я|字|𝒳|😀|٣", "|"),
	"", "|", "\t", "\n", "\v", "\f", "\r", "\x00", "\x07", "\b", "\u00a0", "\u0085", "\u1680", "\u2003", "\u200b", "\u2028", "\u202f", "\u3000", "\ufeff", "a\n", "\na", "a\nb", "a\u2028b", "K", "ſ", "\ufffd")

// written are patterns as people and tools write them, and each construct of the grammar.
var written = []string{
	``, `a`, `^a$`, `^$`, `$^`, `a|b`, `(a|b)c`, `^(?:a|ab)(?:c|bc)?$`, `.`, `^.$`, `^..$`, `\s`, `^\s$`, `^\S$`, `\S+`, `\d`, `^\d{5}$`, `\D`, `^\w$`, `^\W$`,
	`\ba`, `a\b`, `\Ba`, `^\B$`, `\b`, `[^]`, `^[^]$`, `[]`, `^[]?$`, `[a-z]`, `[^a-z]`, `[\w-]`, `[\w-.]`, `[a\-z]`, `[-a]`, `[a-]`, `[\b]`, `[\s\S]`, `[\d-x]`, `[^\s]`,
	`\/`, `\.`, `\-`, `\_`, `\$`, `\^`, `[\^]`, `[\]]`, `a{2}`, `a{1,}`, `a{0,1}b`, `a{`, `a{,2}`, `{a}`, `x{a}`, `]`, `}`, `a{2}?`, `a+?b`, `a*?`,
	`\t`, `\n`, `\v`, `\f`, `\r`, `\0`, `\cJ`, `\x41`, `\u0041`, `\u{41}`, `\u{1F600}`, `\ud83d\ude00`, `^[\u{1F600}]$`, `^[\ud83d\ude00]$`,
	`\p{L}`, `^\p{Lu}$`, `\P{L}`, `\p{Letter}`, `\p{Script=Greek}`, `\p{sc=Cyrillic}`, `\p{gc=Nd}`, `\p{Alphabetic}`, `\p{White_Space}`, `\p{ASCII}`, `^\p{Any}$`, `[\p{Lu}\d]`, `[^\p{L}]`,
	`(?<year>\d+)`, `(a)(b)?`, `((a))`, `()`, `(?:)`, `(|a)`, `a||b`, `^a|b$`, `(^a|b)$`, `(?:^|x)a`, `a(?:$|b)`, `a(?:b|$)b?`, `a^`, `$a`, `(?:a$|b)`, `^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$`,
	`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`, `^[a-z0-9]+(?:-[a-z0-9]+)*$`, `^(?:0|[1-9]\d*)$`, `[A-z]`, `[\u0000-\u007f]`, `^[\u0080-\uffff]$`, `[\ud800-\udfff]`, `\ud800`,
}

// What Go is asked for in our translation is what JavaScript matches.
func TestPatternsAreReadAsByJavaScript(t *testing.T) {
	patterns := append([]string{}, written...)
	r := rand.New(rand.NewSource(1))
	for range 3000 {
		patterns = append(patterns, randomPattern(r, 4))
	}
	compared := 0
	for i, want := range askJavaScript(t, patterns, texts) {
		p, err := regular.Parse(patterns[i])
		if (err != nil) != (want == nil) {
			t.Errorf("%s: JavaScript takes it: %v; we say %v", patterns[i], want != nil, err)
		}
		if err != nil {
			continue
		}
		text, can := p.Go()
		if !can {
			t.Errorf("%s is beyond regexp: %s", patterns[i], p.Beyond())
			continue
		}
		re, err := regexp.Compile(text)
		if err != nil {
			t.Errorf("%s became %s: %v", patterns[i], text, err)
			continue
		}
		for k, s := range texts {
			if compared++; re.MatchString(s) != want[k] {
				t.Errorf("%s (%s) on %q: JavaScript says %v", patterns[i], text, s, want[k])
			}
		}
	}
	if compared < 100_000 {
		t.Errorf("only %d answers were compared", compared)
	}
}

// randomPattern returns a pattern of the grammar, most of them valid.
func randomPattern(r *rand.Rand, depth int) string {
	pick := func(of ...string) string { return of[r.Intn(len(of))] }
	atom := func() string {
		return pick("a", "b", "A", "0", "é", ".", `\d`, `\w`, `\s`, `\S`, `\W`, `\D`, `\.`, "[ab]", "[^a]", "[a-z]", `[\w-]`, `[^\d\s]`, `\p{L}`, `\P{Lu}`, `\u0061`, "-")
	}
	if depth == 0 {
		return atom()
	}
	inner := func() string { return randomPattern(r, depth-1) }
	switch r.Intn(8) {
	case 0:
		return "(" + inner() + "|" + inner() + ")"
	case 1:
		return "(?:" + inner() + ")" + pick("*", "+", "?", "{2}", "{1,2}", "{0,}", "*?")
	case 2:
		return atom() + pick("*", "+", "?", "{2}", "{1,2}")
	case 3:
		return pick("^", `\b`, "") + inner() + pick("$", `\B`, "")
	case 4:
		return inner() + "|" + inner()
	case 5:
		return atom()
	}
	return inner() + inner()
}

func TestForeignPatternsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`\Aa\z`: `has the escape \A, which is not ECMA-262; write ^`, `a\z`: `write $`, `[[:alpha:]]`: "a-zA-Z", `(?i)a`: "flags are not part", `\pL`: `\p{L}`,
		`\x{61}`: `\u{…}`, `\Qa.b\E`: `\Q`, `(?P<x>a)`: "(?<name>…)", `a**`: "nothing to repeat", `a++`: "nothing to repeat", `*a`: "nothing to repeat", `(a`: "not closed", `a)`: "closes nothing",
		`[a`: "not closed", `[z-a]`: "wrong way round", `a{2,1}`: "wrong way round", `^*`: "matches no character", `(?=a)*`: "matches no character", `\2(a)`: "refers to group 2", `\`: `write \\`,
		`\p{^L}`: `\P{L}`, `\p{Latin}`: `\p{Script=Latin}`, `\u12`: "hexadecimal", `\q`: "means nothing", `(?<>a)`: "without a name", `\1`: "has 0", `\07`: "of a number", `(?i:a)`: "flags",
	} {
		if _, err := regular.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

func TestPatternsBeyondAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`(?<=a)b`: "look-behind", `(?<!a)b`: "look-behind", `(a)\1`: "a back reference", `(?<x>a)\k<x>`: "a back reference", `^(?:(?!ab).)*$`: "look-ahead in a repetition without an end", `\p{Emoji}`: `the property \p{Emoji}`, `\P{scx=Grek}`: `the property \P{scx=Grek}`,
	} {
		p, err := regular.Parse(text)
		if err != nil || p.Beyond() != want {
			t.Errorf("%s: %+v, %v; want %q", text, p, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range written {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := regular.Parse(text)
		if err != nil || p.Steps() > 1000 {
			return
		}
		if translated, can := p.Go(); can {
			if _, err := regexp.Compile(translated); err != nil && !strings.Contains(err.Error(), "repeat count") {
				t.Errorf("%q became %q: %v", text, translated, err)
			}
		}
	})
}
