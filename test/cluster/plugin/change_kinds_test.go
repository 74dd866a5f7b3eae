package plugin

import (
	"encoding/json"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/naming"
)

// kind has the differences between handlers and modules.
type kind struct {
	name, plural string
	// label is that of all children, child the name of most of them.
	label string
	child func(name string) string
	// stored is a spec as the API server should have it, and its plan.
	stored func(t *testing.T, spec string) (text, plan string)
}

var handlers = kind{
	name: "GatiHandler", plural: "gatihandlers", label: v1.LabelHandler, child: naming.HandlerChild,
	stored: func(t *testing.T, text string) (string, string) {
		var spec v1.GatiHandlerSpec
		decodeJSON(t, text, &spec)
		plan := expand.HandlerInputs(&spec, facts.Facts{})
		spec.SetDefaults()
		return encodeJSON(t, spec), plan
	},
}

var modules = kind{
	name: "GatiModule", plural: "gatimodules", label: v1.LabelModule, child: naming.ModuleChild,
	stored: func(t *testing.T, text string) (string, string) {
		var spec v1.GatiModuleSpec
		decodeJSON(t, text, &spec)
		plan := expand.ModuleInputs(&spec, facts.Facts{})
		spec.SetDefaults()
		return encodeJSON(t, spec), plan
	},
}

func decodeJSON(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// encodeJSON is canonical: through a map, whose keys are sorted.
func encodeJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var generic any
	decodeJSON(t, string(text), &generic)
	if text, err = json.Marshal(generic); err != nil {
		t.Fatal(err)
	}
	return string(text)
}
