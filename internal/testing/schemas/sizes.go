package schemas

import "fmt"

// Size is a schema as a handler may have it, of a size to measure with.
type Size struct {
	Name    string
	objects int
}

// Sizes are a small schema, one of 17 KB and one near the limit of 64 KiB.
var Sizes = []Size{{"small", 1}, {"17 KB", 38}, {"64 KB", 140}}

// Pair are two versions of the schema: in the new one a single property is
// narrower.
func (s Size) Pair() (old, new []byte) { return Text(s.makeDoc(64)), Text(s.makeDoc(32)) }

func (s Size) makeDoc(length int) Doc {
	props := Doc{}
	for i := range s.objects {
		most := 64
		if i == s.objects/2 {
			most = length
		}
		props[fmt.Sprintf("object%d", i)] = Doc{
			"type": "object", "required": List{"id", "name"}, "additionalProperties": false,
			"properties": Doc{
				"id":      Doc{"type": "string", "minLength": 1, "maxLength": 36},
				"name":    Doc{"type": "string", "maxLength": most, "description": "what people call it"},
				"age":     Doc{"type": List{"integer", "null"}, "minimum": i, "maximum": 150 + i},
				"tags":    Doc{"type": "array", "items": Doc{"type": "string", "enum": List{"a", "b", fmt.Sprint(i)}}, "maxItems": 8},
				"address": Doc{"$ref": "#/$defs/address"},
			},
		}
	}
	return Doc{"type": "object", "properties": props, "required": List{"object0"}, "$defs": Doc{
		"address": Doc{"type": "object", "properties": Doc{"street": Doc{"type": "string"}, "zip": Doc{"type": "string", "pattern": "^[0-9]{5}$"}}},
	}}
}
