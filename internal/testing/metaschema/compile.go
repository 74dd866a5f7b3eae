package metaschema

import (
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"gati.dev/gati/pkg/schema"
)

// location is the name of a document inside the compiler. Nothing is loaded from it.
const location = "gati:///schema"

// Compile compiles a schema that Parse accepted. There is no loader: references are
// resolved inside the document. Formats are asserted on request.
func Compile(s *schema.Schema, formats bool) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if formats {
		c.AssertFormat()
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
