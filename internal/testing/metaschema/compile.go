package metaschema

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"gati.dev/gati/pkg/schema"
	"gati.dev/gati/pkg/schema/formats"
	"gati.dev/gati/pkg/schema/regular"
)

// location is the name of a document inside the compiler. Nothing is loaded from it.
const location = "gati:///schema"

// Compile compiles a schema that Parse accepted. There is no loader: references are
// resolved inside the document. Formats are asserted on request, as pkg/schema/formats
// reads them: the library accepts texts that the RFCs refuse.
func Compile(s *schema.Schema, asserted bool) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{})
	c.UseRegexpEngine(readPattern)
	if asserted {
		c.AssertFormat()
		for _, name := range formats.Names() {
			c.RegisterFormat(&jsonschema.Format{Name: name, Validate: validator(name)})
		}
	}
	if err := c.AddResource(location, s.Document()); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(location)
	if err != nil {
		return nil, problems(err)
	}
	return compiled, nil
}

// validator returns the check of a format.
func validator(name string) func(any) error {
	return func(v any) error {
		if text, is := v.(string); is && !formats.Accepts(name, text) {
			return fmt.Errorf("%q has not the format %s", text, name)
		}
		return nil
	}
}

// ahead is a pattern that Go cannot say.
type ahead struct {
	text string
	read *regular.Pattern
}

func (a ahead) String() string { return a.text }

// MatchString implements jsonschema.Regexp.
func (a ahead) MatchString(text string) bool {
	l := regular.NewLanguage(func(int) bool { return true })
	l.Match(a.read, false)
	has, known := l.Has(text)
	return has && known
}

// readPattern reads a pattern of ECMA-262, which the library takes for Go's.
func readPattern(text string) (jsonschema.Regexp, error) {
	read, err := regular.Parse(text)
	if err != nil {
		return nil, err
	}
	if translated, can := read.Go(); can {
		return regexp.Compile(translated)
	}
	return ahead{text, read}, nil
}

// problems returns the leaves of the library's tree of causes.
func problems(err error) error {
	var refusal *jsonschema.SchemaValidationError
	var causes *jsonschema.ValidationError
	if !errors.As(err, &refusal) || !errors.As(refusal.Err, &causes) {
		return schema.Problems{{Message: "is not a valid schema: " + err.Error()}}
	}
	var out schema.Problems
	leaves(causes, &out)
	return out
}

const maxProblems = 10

func leaves(e *jsonschema.ValidationError, out *schema.Problems) {
	if len(e.Causes) == 0 && len(*out) < maxProblems {
		text := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		*out = append(*out, schema.Problem{Pointer: pointer(e.InstanceLocation), Message: "is not valid: " + text})
	}
	for _, cause := range e.Causes {
		leaves(cause, out)
	}
}

func pointer(parts []string) string {
	var out strings.Builder
	for _, p := range parts {
		out.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p))
	}
	return out.String()
}
