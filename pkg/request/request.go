package request

import (
	"fmt"
	"slices"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/naming"
)

// Request is a request to a handler.
type Request struct {
	Verb Verb
	// Argument is the text after the verb, empty if it has none.
	Argument string
	// ID identifies the request, in lower case. Each request is handled once.
	ID string
}

// idPattern is that of the policy.
var idPattern = lazyregexp.New(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// Parse parses the annotation gati.dev/request.
func Parse(annotation string) (Request, error) {
	act, id, found := strings.Cut(annotation, "/")
	if !found {
		return Request{}, fmt.Errorf("request %s: has no slash; write the verb, a slash and a new UUID, such as pause/3f8e2a52-5b0c-4f57-9d0e-6f4b8f1f7c11", quoteShort(annotation))
	}
	name, arg, hasArg := strings.Cut(act, ":")
	verb := Verb(name)
	form, known := argumentOf[verb]
	if !known {
		return Request{}, fmt.Errorf("request %s: there is no verb %s; choose one of: %s", quoteShort(annotation), quoteShort(name), verbList())
	}
	if err := form.validate(verb, arg, hasArg); err != nil {
		return Request{}, fmt.Errorf("request %s: %w", quoteShort(annotation), err)
	}
	if !idPattern.MatchString(id) {
		return Request{}, fmt.Errorf("request %s: %s is not a UUID; write a new one after the slash, such as one of uuidgen", quoteShort(annotation), quoteShort(id))
	}
	return Request{Verb: verb, Argument: arg, ID: strings.ToLower(id)}, nil
}

// String returns the annotation that Parse accepts.
func (r Request) String() string {
	if r.Argument == "" {
		return string(r.Verb) + "/" + r.ID
	}
	return string(r.Verb) + ":" + r.Argument + "/" + r.ID
}

// CheckArgument returns the error of a known verb's argument.
func (r Request) CheckArgument() error {
	return argumentOf[r.Verb].validate(r.Verb, r.Argument, r.Argument != "")
}

// IsAvailable reports whether this release handles the request.
func (r Request) IsAvailable() bool { return slices.Contains(Available(), r.Verb) }

// validate returns the error of an argument.
func (a argument) validate(verb Verb, text string, given bool) error {
	switch {
	case !given && !a.required:
		return nil
	case !given && a.version:
		return fmt.Errorf("%s needs a version; write %s:<version>", verb, verb)
	case !given:
		return fmt.Errorf("%s needs an argument; write %s:%s", verb, verb, a.word)
	case a.version && !naming.IsVersion(text):
		return fmt.Errorf("%s is not a version; write one such as %s:v1.2.3 or %s:tsv:1732186200-users-001", quoteShort(text), verb, verb)
	case a.version || a.word != "" && text == a.word:
		return nil
	case a.word != "":
		return fmt.Errorf("%s takes no %s; write %s", verb, quoteShort(text), a.usage(verb))
	default:
		return fmt.Errorf("%s has no argument; remove %s", verb, quoteShort(text))
	}
}

// usage returns how a verb with a fixed argument is written.
func (a argument) usage(verb Verb) string {
	if a.required {
		return fmt.Sprintf("%s:%s", verb, a.word)
	}
	return fmt.Sprintf("%s or %s:%s", verb, verb, a.word)
}

func verbList() string {
	var names []string
	for _, v := range Verbs() {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

// quoteShort quotes a user's text within one line.
func quoteShort(text string) string {
	const most = 80
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("%q", text)
}
