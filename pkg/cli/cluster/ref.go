package cluster

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/status"
)

// Ref names one handler or module. Without a kind it is the handler of that
// name, else the module.
type Ref struct {
	// Kind is status.KindHandler, status.KindModule or empty.
	Kind string
	Name string
}

// kinds are the words for the kinds, as kubectl takes them.
var kinds = map[string]string{
	"gh": status.KindHandler, "handler": status.KindHandler, "gatihandler": status.KindHandler, "gatihandlers": status.KindHandler, "gatihandler.gati.dev": status.KindHandler,
	"gm": status.KindModule, "module": status.KindModule, "gatimodule": status.KindModule, "gatimodules": status.KindModule, "gatimodule.gati.dev": status.KindModule,
}

// ParseRef reads NAME, gh/NAME or gm/NAME.
func ParseRef(text string) (Ref, error) {
	word, name, qualified := strings.Cut(text, "/")
	if !qualified {
		word, name = "", text
	}
	kind, known := kinds[strings.ToLower(word)]
	if qualified && !known {
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
