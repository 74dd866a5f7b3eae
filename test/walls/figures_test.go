package walls

import (
	"fmt"
	"go/constant"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// mark names where a figure comes from: a constant or a list by folder and name, a field of a
// GatiHandler by its default, a flag of gati-webhook by its default. A name of two
// letters is that of a file: `pkg/admit/run.go`.
const mark = "\\(`((?:pkg|cmd|api|internal|test|hack)[a-zA-Z0-9/_-]*\\.[A-Za-z][A-Za-z0-9]{2,}|spec\\.[A-Za-z.]+|--[a-z-]+)`\\)"

// figure matches a figure of a document with its mark behind it, such as "at most 16
// shares (`pkg/rollout.MaxShares`)". Up to four words may stand between them.
var figure = regexp.MustCompile("([0-9][0-9,.]*)(?: (KiB|MiB|GiB|ms|s|m|h|seconds?|minutes?|hours?|days?|%)\\b)?(?: [^ (`|.0-9][^ (`|.]*){0,4} " + mark)

var marked = regexp.MustCompile(mark)

// TestFiguresOfDocsAreThoseOfTheCode compares every marked figure with its source.
func TestFiguresOfDocsAreThoseOfTheCode(t *testing.T) {
	checked := 0
	for _, page := range pages(t) {
		for i, line := range strings.Split(page.text, "\n") {
			for _, m := range figure.FindAllStringSubmatch(line, -1) {
				checked++
				if problem := compareFigure(m[1], m[2], m[3]); problem != "" {
					t.Errorf("%s:%d: %s", page.path, i+1, problem)
				}
			}
			for _, m := range marked.FindAllStringSubmatch(figure.ReplaceAllString(line, ""), -1) {
				if strings.Contains(m[1], "/") {
					t.Errorf("%s:%d: no figure stands before %s; write it in digits, at most four words before", page.path, i+1, m[1])
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no page has a marked figure: the search is broken")
	}
}

// compareFigure returns what is wrong with a figure, empty when it is right.
func compareFigure(number, unit, source string) string {
	is, err := valueOf(source)
	if err != nil {
		return fmt.Sprintf("%v; name the one that the figure %s comes from", err, number)
	}
	number = strings.TrimRight(strings.ReplaceAll(number, ",", ""), ".")
	said := constant.BinaryOp(constant.MakeFromLiteral(number, literal(number), 0), token.MUL, factor(unit, is.isDuration))
	if !constant.Compare(constant.ToFloat(said), token.EQL, constant.ToFloat(is.value)) {
		return fmt.Sprintf("the page says %s, and %s is %s", strings.TrimSpace(number+" "+unit), source, is)
	}
	return ""
}

// valueOf returns the value that a mark names.
func valueOf(source string) (value, error) {
	switch {
	case strings.HasPrefix(source, "--"):
		return flagDefault(strings.TrimPrefix(source, "--"))
	case strings.HasPrefix(source, "spec."):
		return fieldDefault(source)
	}
	folder, name, _ := strings.Cut(source, ".")
	constants, err := constantsOf(folder)
	if err != nil {
		return value{}, err
	}
	is, ok := constants[name]
	if !ok {
		return value{}, fmt.Errorf("%s has no constant %s", folder, name)
	}
	return is, nil
}

// fieldDefault returns the default that the CRD of GatiHandler gives a field.
func fieldDefault(path string) (value, error) {
	at, err := storedSchema("gatihandlers")
	if err != nil {
		return value{}, err
	}
	for _, name := range strings.Split(path, ".") {
		at = at.Properties[name]
	}
	if at.Default == nil {
		return value{}, fmt.Errorf("%s has no default", path)
	}
	text := strings.Trim(string(at.Default.Raw), `"`)
	if d := v1.Duration(text).Or(-1); d >= 0 {
		return value{constant.MakeInt64(int64(d)), true}, nil
	}
	is := value{constant.MakeFromLiteral(text, token.INT, 0), false}
	if is.value.Kind() != constant.Int {
		return value{}, fmt.Errorf("the default of %s is %s, which is no figure", path, text)
	}
	return is, nil
}

func literal(number string) token.Token {
	if strings.Contains(number, ".") {
		return token.FLOAT
	}
	return token.INT
}

// factor returns what a unit multiplies a figure by: nanoseconds for a constant of
// type time.Duration, seconds or bytes for a plain number.
func factor(unit string, isDuration bool) constant.Value {
	n := map[string]float64{
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "ms": 1e-3,
		"m": 60, "minute": 60, "h": 3600, "hour": 3600, "day": 86400,
	}[strings.TrimSuffix(unit, singular(unit))]
	if n == 0 {
		n = 1
	}
	if isDuration {
		n *= 1e9
	}
	return constant.MakeFloat64(n)
}

// singular returns the plural's s of a unit in words.
func singular(unit string) string {
	if len(unit) > 2 && strings.HasSuffix(unit, "s") {
		return "s"
	}
	return ""
}

// TestWrongFiguresAreFound holds that the comparison itself works.
func TestWrongFiguresAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"may have 64 KiB (`pkg/schema.MaxBytes`)":                  "",
		"may have 65 KiB (`pkg/schema.MaxBytes`)":                  "the page says 65 KiB",
		"1,000 properties of objects (`pkg/schema.MaxProperties`)": "",
		"1,000 properties (`pkg/schema.NoSuch`)":                   "has no constant NoSuch",
		"1,000 properties (`pkg/nowhere.MaxProperties`)":           "no Go files",
		"after 1 hour (`spec.versions.drain.deadline`)":            "",
		"after 2 hours (`spec.versions.drain.deadline`)":           "the page says 2 hours",
		"once cold for 7 days (`spec.versions.coldAfter`)":         "",
		"on port 3000 (`spec.port`)":                               "",
		"on port 3000 (`spec.path`)":                               "has no default",
		"for 7 days (`--leaf-lifetime`)":                           "",
		"for 8 days (`--leaf-lifetime`)":                           "the page says 8 days",
		"10 series (`pkg/metrics.gauges`)":                         "",
		"11 series (`pkg/metrics.gauges`)":                         "the page says 11",
		"for 8 days (`--leaf-age`)":                                "has no flag --leaf-age",
	} {
		m := figure.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s: not found", text)
			continue
		}
		got := compareFigure(m[1], m[2], m[3])
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// page is a document for people.
type page struct{ path, text string }

// pages returns what is written for people: docs/ and the Markdown files at the top.
func pages(t *testing.T) (all []page) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", ".github/*.md", ".github/*/*.md"} {
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, page{strings.TrimPrefix(file, "../../"), string(text)})
		}
	}
	return all
}
