package cluster

import (
	"fmt"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/status"
)

// Ref names one handler or module. Without a kind it is the handler of that
// name, else the module.
type Ref struct {
	// Kind is status.KindHandler, status.KindModule or empty.
	Kind string
	Name string
}

// kindVersion is the kind of the records, which no command takes by their names.
const kindVersion = "GatiVersion"

// parseKind returns the kind that a word means, as kubectl takes it: singular, plural, short,
// with the group or without; empty for the words of other kinds.
func parseKind(word string) string {
	switch strings.TrimSuffix(strings.ToLower(word), "."+v1.Group) {
	case "gh", "handler", "handlers", "gatihandler", "gatihandlers":
		return status.KindHandler
	case "gm", "module", "modules", "gatimodule", "gatimodules":
		return status.KindModule
	case "gv", "version", "versions", "gativersion", "gativersions":
		return kindVersion
	default:
		return ""
	}
}

// ParseRef reads NAME, gh/NAME or gm/NAME.
func ParseRef(text string) (Ref, error) {
	word, name, qualified := strings.Cut(text, "/")
	if !qualified {
		word, name = "", text
	}
	kind := parseKind(word)
	switch {
	case kind == kindVersion:
		return Ref{}, fmt.Errorf("%q is the record of a version; name its handler, or see %s", text, remedy.ListVersions)
	case qualified && kind == "":
		return Ref{}, fmt.Errorf("%q is neither a handler (gh/NAME) nor a module (gm/NAME)", text)
	}
	if name == "" || strings.Contains(name, "/") {
		return Ref{}, fmt.Errorf("%q is not a name", text)
	}
	return Ref{Kind: kind, Name: name}, nil
}

// ParseRefs reads several.
func ParseRefs(texts []string) ([]Ref, error) {
	out := make([]Ref, len(texts))
	for i, text := range texts {
		ref, err := ParseRef(text)
		if err != nil {
			return nil, err
		}
		out[i] = ref
	}
	return out, nil
}

// Short is the word for a kind that commands print and take.
func Short(kind string) string {
	if kind == status.KindModule {
		return "gm"
	}
	return "gh"
}
