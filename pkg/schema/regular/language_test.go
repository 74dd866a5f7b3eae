package regular_test

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/pkg/schema/regular"
)

func mustParse(t *testing.T, text string) *regular.Pattern {
	t.Helper()
	p, err := regular.Parse(text)
	if err != nil {
		t.Fatalf("%s %v", text, err)
	}
	return p
}

func endlessWork(int) bool { return true }

// within returns a meter of some units.
func within(units int) func(int) bool {
	return func(n int) bool { units -= n; return units > 0 }
}

// lookingAhead are patterns that regexp cannot say.
var lookingAhead = []string{
	`^(?!a)`, `(?=a)`, `a(?=b)`, `a(?!b)`, `^(?=.*\d)(?=.*[a-z]).{2,}$`, `(?:(?=a).){2}`, `(?:a(?!b)|b)$`, `^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]$`, `\b(?!a)`, `(?!^)a`, `(?=$)`, `(?!$).`, `^(?:(?!ab).){1,2}$`,
}

// A language has what JavaScript matches, also with look-ahead.
func TestLanguagesAreThoseOfJavaScript(t *testing.T) {
	patterns := append(append([]string{}, written...), lookingAhead...)
	r := rand.New(rand.NewSource(2))
	for range 1500 {
		p := randomPattern(r, 3)
		if r.Intn(3) == 0 {
			p = `(?:` + randomPattern(r, 1) + `)(?` + string("=!"[r.Intn(2)]) + randomPattern(r, 2) + `)` + p
		}
		patterns = append(patterns, p)
	}
	compared := 0
	for i, want := range askJavaScript(t, patterns, texts) {
		if want == nil {
			continue
		}
		p := mustParse(t, patterns[i])
		for k, s := range texts {
			l := regular.NewLanguage(endlessWork)
			l.Match(p, false)
			if has, known := l.Has(s); known {
				if compared++; has != want[k] {
					t.Errorf("%s on %q: JavaScript says %v", patterns[i], s, want[k])
				}
			}
		}
	}
	if compared < 70_000 {
		t.Errorf("only %d answers were compared", compared)
	}
}

// smallTexts are all texts of some characters up to a length.
func smallTexts(characters string, length int) []string {
	out, last := []string{""}, []string{""}
	for range length {
		var longer []string
		for _, s := range last {
			for _, c := range characters {
				longer = append(longer, s+string(c))
			}
		}
		out, last = append(out, longer...), longer
	}
	return out
}

// Whether one pattern implies another is answered as all small texts and the words show.
func TestInclusionsAreThoseOfTheirTexts(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	all := smallTexts("ab0-é", 4)
	decided, included := 0, 0
	for range 3000 {
		one, other := mustParseRandom(t, r), mustParseRandom(t, r)
		l := regular.NewLanguage(within(400_000))
		l.Match(one, false)
		l.Match(other, true)
		words, answer := l.Words(4)
		if answer != regular.Unknown {
			decided++
		}
		for _, w := range words {
			if !has(one, w) || has(other, w) {
				t.Errorf("%q is no witness", w)
			}
		}
		if answer == regular.None {
			included++
			for _, s := range all {
				if has(one, s) && !has(other, s) {
					t.Errorf("%q was overlooked", s)
					break
				}
			}
		}
	}
	t.Logf("%d of 3000 decided, %d included", decided, included)
	if decided < 2950 || included < 100 {
		t.Errorf("%d of 3000 are decided, %d are inclusions", decided, included)
	}
}

func mustParseRandom(t *testing.T, r *rand.Rand) *regular.Pattern {
	t.Helper()
	return mustParse(t, "^(?:"+randomPattern(r, 2)+")$")
}

func has(p *regular.Pattern, text string) bool {
	l := regular.NewLanguage(endlessWork)
	l.Match(p, false)
	is, _ := l.Has(text)
	return is
}

// evolutions are pairs of patterns of which the first is within the second, and not the
// other way round.
var evolutions = [][2]string{
	{`^[a-z]+$`, `^[a-z0-9]+$`}, {`^[a-z]+$`, `^[a-z][a-z0-9]*$`}, {`^[a-z0-9]+(?:-[a-z0-9]+)*$`, `^[a-z0-9-]+$`}, {`^[a-z0-9-]{1,64}$`, `^[a-z0-9-]{1,128}$`},
	{`^\d{5}$`, `^\d{5}(-\d{4})?$`}, {`^\d{4}-\d{2}-\d{2}$`, `^\d{4}-\d{2}-\d{2}(T.*)?$`}, {`^\d{4}-(0[1-9]|1[0-2])-\d{2}$`, `^\d{4}-\d{2}-\d{2}$`},
	{`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$`, `^\d+\.\d+\.\d+$`}, {`^v?\d+\.\d+\.\d+$`, `^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`},
	{`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`, `^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`},
	{`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, `^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$`}, {`^[0-9a-f]{24}$`, `^[0-9a-f]+$`},
	{`^[A-Z]{2}$`, `^[A-Z]{2,3}$`}, {`^[A-Z]{3}$`, `^[A-Za-z]{3}$`}, {`^\+[1-9]\d{1,14}$`, `^\+?[1-9]\d{1,14}$`}, {`^\+\d{10,12}$`, `^\+\d+$`}, {`^\(\d{3}\) \d{3}-\d{4}$`, `^[\d() -]+$`},
	{`^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$`, `^[^@]+@[^@]+$`}, {`^[a-z]+@example\.com$`, `^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$`},
	{`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`, `^[^@\s]+@[^@\s]+$`},
	{`^/[a-z]+$`, `^/[a-z/]+$`}, {`^(/[^/]+)+$`, `^/.+$|[^]`}, {`^/users/\d+$`, `^/users/[^/]+$`}, {`^(/[a-z]+)*/?$`, `^[a-z/]*$`}, {`^https://`, `^https?://`}, {`^https?://[^/]+/?$`, `^https?://`},
	{`^#[0-9a-f]{6}$`, `^#([0-9a-f]{3}|[0-9a-f]{6})$`}, {`^#[0-9a-f]{3,8}$`, `^#[0-9a-fA-F]{3,8}$`}, {`^(draft|open)$`, `^(draft|open|done)$`}, {`^(on|off)$`, `^o`}, {`^x-`, `^x`}, {`^abc`, `b`},
	{`^\S+$`, `\S`}, {`^\w+$`, `^[\w-]+$`}, {`^\d+$`, `^\w+$`}, {`^\p{Lu}`, `^\p{L}`}, {`^\p{L}+$`, `^[\p{L}\p{N}]+$`}, {`^[\u4e00-\u9fff]+$`, `^\P{ASCII}+$`}, {`^[^\s@]+$`, `^[^@]+$`}, {`^.{1,20}$`, `^.{0,20}$`},
	{`^.{3}$`, `^[^]{3}$`}, {`^-?\d+$`, `^-?\d+(\.\d+)?$`}, {`^-?(0|[1-9]\d*)$`, `^-?\d+$`}, {`^(0|[1-9]\d*)(\.\d+)?$`, `^(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`}, {`^\d{1,3}(,\d{3})*$`, `^[\d,]+$`},
	{`^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$`, `^\d{1,3}(\.\d{1,3}){3}$`}, {`^([01]\d|2[0-3]):[0-5]\d$`, `^\d{2}:\d{2}$`}, {`^\d{2}:\d{2}$`, `^\d{2}:\d{2}(:\d{2})?$`},
	{`^P\d+D$`, `^P(\d+D)?(T.*)?$`}, {`^[A-Za-z_$][\w$]*$`, `^[\w$]+$`}, {`^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`, `^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`}, {`^sha256:[0-9a-f]{64}$`, `^(sha256|sha512):[0-9a-f]+$`},
	{`^[A-Za-z0-9+/]{4}$`, `^[A-Za-z0-9+/]*={0,2}$`}, {`^ey[\w-]+\.[\w-]+\.[\w-]+$`, `^[\w-]+(\.[\w-]+){2}$`}, {`^usr_[a-z0-9]{12}$`, `^[a-z]{3}_[a-z0-9]{12}$`}, {`^(?:[a-z]+\.)*[a-z]+$`, `^[a-z.]+$`}, {`\bfoo\b`, `foo`}, {`^(?=.*\d)[a-z\d]{8,}$`, `^[a-z\d]{8,}$`},
	{`^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$`, `^(?=.*\d)(?=.*[a-z]).{8,}$`}, {`^[a-f]{2}:[a-f]{2}$`, `^([a-f]{2}:?)+$`},
}

// Each evolution that people make is decided in both directions, and JavaScript agrees with
// the witness.
func TestEvolutionsOfPatternsAreDecided(t *testing.T) {
	if len(evolutions) < 60 {
		t.Errorf("only %d evolutions", len(evolutions))
	}
	for _, e := range evolutions {
		narrow, wide := mustParse(t, e[0]), mustParse(t, e[1])
		for _, reverse := range []bool{false, true} {
			a, b := narrow, wide
			if reverse {
				a, b = wide, narrow
			}
			used := 0
			l := regular.NewLanguage(func(n int) bool { used += n; return used < 1_000_000 })
			l.Match(a, false)
			l.Match(b, true)
			words, answer := l.Words(3)
			if want := map[bool]regular.Answer{false: regular.None, true: regular.Some}[reverse]; answer != want {
				t.Errorf("%s and %s, reverse %v: answer %d after %d units, words %q", e[0], e[1], reverse, answer, used, words)
			}
			if reverse && answer == regular.Some {
				said := askJavaScript(t, e[:], words)
				if slices.Contains(said[0], true) || slices.Contains(said[1], false) {
					t.Errorf("%s and %s: JavaScript says %v of %q", e[0], e[1], said, words)
				}
			}
		}
	}
}

// No pattern makes a walk outlast its meter by much.
func TestWalksEndWithTheirMeter(t *testing.T) {
	for _, text := range []string{`^(a|b)*a(a|b){30}$`, `^(?:a?){200}b$`, `(?:(?:(?:a|b){9}){9}){9}`, `^\p{L}{300}$`, `(?=.*a.{12})(?=.*b.{13}).*`, strings.Repeat(`(?!.*a{9}b)`, 12) + `.*`} {
		p, err := regular.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		left, calls := 300_000, 0
		l := regular.NewLanguage(func(n int) bool {
			if left -= n; left < 0 {
				calls++
			}
			return left > 0
		})
		l.Match(p, false)
		l.Match(p, true)
		if words, answer := l.Words(2); answer == regular.Some {
			t.Errorf("%s differs from itself: %q", text, words)
		}
		if calls > 200_000 {
			t.Errorf("%s: %d calls after the end", text, calls)
		}
	}
}
