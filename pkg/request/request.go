package request

import (
	"fmt"
	"slices"
	"strings"

	"gati.dev/gati/internal/lazyregexp"
)

// Request is what somebody asks of a handler.
type Request struct {
	Verb Verb
	// Argument follows the verb; empty when it has none.
	Argument string
	// ID tells requests apart, in lower case. Each is acted upon once.
	ID string
}

// maxVersion is the most characters that a version has.
const maxVersion = 128

// The patterns are those of the API's VersionID and of the policy.
var (
	versionPattern = lazyregexp.New(`^(v?(0|[1-9][0-9]{0,8})([.](0|[1-9][0-9]{0,8})){0,2}(-[0-9A-Za-z-]+([.][0-9A-Za-z-]+)*)?|tsv:[0-9]{10}-[a-zA-Z0-9_-]+-[0-9]+)$`)
	idPattern      = lazyregexp.New(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
)

// Parse reads the annotation gati.dev/request.
func Parse(annotation string) (Request, error) {
	act, id, found := strings.Cut(annotation, "/")
	if !found {
		return Request{}, fmt.Errorf("request %s: has no slash; write the verb, a slash and a new UUID, such as pause/3f8e2a52-5b0c-4f57-9d0e-6f4b8f1f7c11", quote(annotation))
	}
	name, arg, hasArg := strings.Cut(act, ":")
	verb := Verb(name)
	form, known := forms[verb]
	if !known {
		return Request{}, fmt.Errorf("request %s: there is no verb %s; choose one of: %s", quote(annotation), quote(name), list())
	}
	if err := form.check(verb, arg, hasArg); err != nil {
		return Request{}, fmt.Errorf("request %s: %w", quote(annotation), err)
	}
	if !idPattern.MatchString(id) {
		return Request{}, fmt.Errorf("request %s: %s is not a UUID; put a new one behind the slash, as uuidgen prints it", quote(annotation), quote(id))
	}
	return Request{Verb: verb, Argument: arg, ID: strings.ToLower(id)}, nil
}

// String is what Parse reads.
func (r Request) String() string {
	if r.Argument == "" {
		return string(r.Verb) + "/" + r.ID
	}
	return string(r.Verb) + ":" + r.Argument + "/" + r.ID
}

// Available reports whether this release acts upon the request.
func (r Request) Available() bool { return slices.Contains(Available(), r.Verb) }

// check says what is wrong with what follows a verb.
func (a argument) check(verb Verb, text string, given bool) error {
	switch {
	case !given && !a.required:
		return nil
	case !given && a.version:
		return fmt.Errorf("%s needs a version; write %s:<version>", verb, verb)
	case !given:
		return fmt.Errorf("%s needs to say what; write %s:%s", verb, verb, a.word)
	case a.version && (len(text) > maxVersion || !versionPattern.MatchString(text)):
		return fmt.Errorf("%s is not a version; write one such as %s:v1.2.3 or %s:tsv:1732186200-users-001", quote(text), verb, verb)
	case a.version || a.word != "" && text == a.word:
		return nil
	case a.word != "":
		return fmt.Errorf("%s takes no %s; write %s", verb, quote(text), a.forms(verb))
	default:
		return fmt.Errorf("%s takes nothing behind it, and %s stands there; remove it", verb, quote(text))
	}
}

// forms tells how a verb with a word may be written.
func (a argument) forms(verb Verb) string {
	if a.required {
		return fmt.Sprintf("%s:%s", verb, a.word)
	}
	return fmt.Sprintf("%s or %s:%s", verb, verb, a.word)
}

func list() string {
	var names []string
	for _, v := range Verbs() {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

// quote keeps what a stranger wrote within a line.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("%q", text)
}
