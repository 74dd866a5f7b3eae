package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/metaschema"
	"gati.dev/gati/pkg/schema"
)

const (
	draft04 = `"$schema":"http://json-schema.org/draft-04/schema#",`
	draft07 = `"$schema":"http://json-schema.org/draft-07/schema#",`
)

// TestUpgrades checks that a document of an older dialect means what the same document
// of draft 2020-12 does, and that each change is noted at the place as written.
func TestUpgrades(t *testing.T) {
	for _, c := range []struct{ name, written, means, note string }{
		{"draft-07", `{` + draft07 + `"type":"string"}`, `{"type":"string"}`, "/$schema is read as draft-07"},
		{"a tuple", `{"items":[{"type":"string"}],"additionalItems":false}`, `{"prefixItems":[{"type":"string"}],"items":false}`, "/additionalItems is read as items"},
		{"a tuple in a tuple", `{"items":[{"items":[{"type":"string"}]}]}`, `{"prefixItems":[{"prefixItems":[{"type":"string"}]}]}`, "/items/0/items is a list, and read as prefixItems"},
		{"a reference into a tuple", `{"items":[{"type":"string"},{"$ref":"#/items/0"}]}`, `{"prefixItems":[{"type":"string"},{"type":"string"}]}`, "/items/1/$ref is read as #/prefixItems/0"},
		{"additionalItems without a tuple", `{"items":{"type":"string"},"additionalItems":false,"nullable":false}`, `{"items":{"type":"string"}}`, ""},
		{"dependencies", `{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, `{"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"required":["d"]}}}`, "/dependencies/c is read as dependentSchemas"},
		{"an exclusive bound", `{"minimum":0,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false}`, `{"exclusiveMinimum":0,"maximum":9}`, "/exclusiveMinimum is true, and read as the number of minimum"},
		{"nullable", `{"properties":{"a":{"type":"string","nullable":true}}}`, `{"properties":{"a":{"type":["string","null"]}}}`, `/properties/a/nullable is read as type with "null"`},
		{"nullable without type", `{"enum":["a"],"nullable":true}`, `{"enum":["a"]}`, "/nullable has no effect without type"},
		{"TypeBox's $id and $ref", `{"$id":"T","properties":{"n":{"$ref":"T"}}}`, `{"properties":{"n":{"$ref":"#"}}}`, "/properties/n/$ref is read as #"},
		{"an inner $id", `{"$defs":{"T":{"$id":"T","properties":{"n":{"$ref":"T"},"r":{"$ref":"#"}}}},"$ref":"T"}`, `{"$defs":{"T":{"properties":{"n":{"$ref":"#/$defs/T"},"r":{"$ref":"#/$defs/T"}}}},"$ref":"#/$defs/T"}`, `/$defs/T/$id names the schema "T"`},
		{"an anchor", `{"$defs":{"a":{"$anchor":"x","type":"string"}},"$ref":"#x"}`, `{"type":"string"}`, "/$ref is read as #/$defs/a"},
		{"an anchor of draft-07", `{` + draft07 + `"properties":{"p":{"$ref":"#x"}},"definitions":{"a":{"$id":"#x","type":"string"}}}`, `{"properties":{"p":{"type":"string"}}}`, "/properties/p/$ref is read as #/definitions/a"},
		{"id of draft-04", `{` + draft04 + `"id":"http://x.test/root","properties":{"p":{"$ref":"item"}},"definitions":{"a":{"id":"item","type":"string"}}}`, `{"properties":{"p":{"type":"string"}}}`, "/properties/p/$ref is read as #/definitions/a"},
		{"a property called $id", `{"properties":{"$id":{"type":"string"},"nullable":{"type":"string"},"items":{"enum":[[{"$ref":"x"}]]}}}`, `{"properties":{"$id":{"type":"string"},"nullable":{"type":"string"},"items":{"enum":[[{"$ref":"x"}]]}}}`, ""},
		{"beside a reference, draft-07", `{` + draft07 + `"$ref":"#/definitions/a","minLength":2,"definitions":{"a":{"type":"string"}}}`, `{"type":"string"}`, "/minLength has no effect beside $ref in draft-07"},
		{"beside a reference, without $schema", `{"$ref":"#/definitions/a","minLength":2,"definitions":{"a":{"type":"string"}}}`, `{"type":"string","minLength":2}`, ""},
		{"beside a reference, OpenAPI 3.0", `{"properties":{"a":{"$ref":"#/definitions/a","minLength":2},"n":{"minimum":1,"exclusiveMinimum":true}},"definitions":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"},"n":{"exclusiveMinimum":1}}}`, "as a boolean exclusiveMinimum shows"},
		{"components of OpenAPI", `{"$ref":"#/components/schemas/P","components":{"schemas":{"P":{"type":"number","minimum":0,"exclusiveMinimum":true}}}}`, `{"type":"number","exclusiveMinimum":0}`, "/components/schemas/P/exclusiveMinimum is true"},
		{"a recursive reference", `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"a":{"$recursiveRef":"#"}}}`, `{"properties":{"a":{"$ref":"#"}}}`, "/properties/a/$recursiveRef is read as $ref"},
		{"a dynamic reference with one target", `{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}}}`, `{"properties":{"a":{"$ref":"#"}}}`, "/properties/a/$dynamicRef is read as $ref"},
		{"a percent sign in a name", `{"definitions":{"a%/b":{"$id":"x","type":"string"}},"$ref":"x"}`, `{"type":"string"}`, "/$ref is read as #/definitions/a%25~1b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			written, means := parse(t, []byte(c.written)), parse(t, []byte(c.means))
			for _, q := range [][2]*schema.Schema{{written, means}, {means, written}} {
				if got, witness := schema.Subset(q[0], q[1]); got != schema.Yes {
					t.Errorf("%v: %s tells them apart", got, witness)
				}
			}
			if _, err := metaschema.Compile(written, false); err != nil {
				t.Errorf("the upgraded document: %v", err)
			}
			if notes := fmt.Sprint(written.Upgrades()); !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "read as") {
				t.Errorf("notes %s; want %q", notes, c.note)
			}
		})
	}
}

// TestNewestDraftStays checks that a document of draft 2020-12 is compared as written.
func TestNewestDraftStays(t *testing.T) {
	const raw = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"T","properties":{"a":{"$ref":"#/$defs/a","minLength":2}},"$defs":{"a":{"type":"string"}}}`
	s := parse(t, []byte(raw))
	got, err := json.Marshal(s.Document())
	if err != nil {
		t.Fatal(err)
	}
	if same, _ := schema.Subset(s, parse(t, got)); same != schema.Yes || len(s.Upgrades()) > 0 || !json.Valid(got) {
		t.Errorf("%s, %v", got, s.Upgrades())
	}
}

// TestFindingsPointIntoTheDocument checks that pointers name the place as written, not
// the upgraded one.
func TestFindingsPointIntoTheDocument(t *testing.T) {
	old := parse(t, []byte(`{"items":[{"type":"number"}],"additionalItems":{"type":"string"}}`))
	new := parse(t, []byte(`{"items":[{"type":"boolean"}],"additionalItems":{"type":"boolean"}}`))
	r := schema.Compatibility(schema.Version{Input: old}, schema.Version{Input: new}, schema.Backward)
	if len(r.Findings) != 2 || r.Findings[0].Pointer != "/items/0/type" || r.Findings[1].Pointer != "/additionalItems/type" {
		t.Errorf("%+v", r.Findings)
	}
}
