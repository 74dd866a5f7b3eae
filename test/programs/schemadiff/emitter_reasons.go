package schemadiff

// Emitters differ in whether an object without further words is closed.
const (
	closedOutput = "zod 4 closes objects of responses, zod-to-json-schema and ts-json-schema-generator all: there the old callers may not be given another field"
	closedInput  = "zod-to-json-schema and ts-json-schema-generator close objects of requests: there the new version refuses the field"
)

// emitterReasons tell why emitters of one evolution lead to different verdicts of ours.
var emitterReasons = map[string]string{
	"an optional field is added, response":          closedOutput,
	"a required field is added, response":           closedOutput,
	"a base type gains an optional field, response": closedOutput,
	"a kind requires more, response":                closedOutput,
	"an optional field is removed, request":         closedInput,
	"a required field is removed, request":          closedInput,
	"a field gains a default, response":             "a field with a default is required in zod 4's responses, and optional for the other libraries",
	"an object is closed, request":                  "zod-to-json-schema and ts-json-schema-generator have closed it before, typescript-json-schema leaves it open",
	"nonnegative becomes positive, request":         "Valibot leaves an exclusive bound out for OpenAPI 3.0, so no bound is left",
	"nonnegative becomes positive, response":        "Valibot leaves an exclusive bound out for OpenAPI 3.0, so no bound is left",
	"positive becomes nonnegative, request":         "Valibot leaves an exclusive bound out for OpenAPI 3.0, so there was no bound before",
	"positive becomes nonnegative, response":        "Valibot leaves an exclusive bound out for OpenAPI 3.0, so there was no bound before",
	"a tuple gains an item, response":               "Valibot leaves a tuple open at its end, so the old one allowed any third item",
	"values of a record are widened, response":      "typescript-json-schema leaves out the type of a record's values",
}

// peerReasons are the disagreements with the other tools, by tool and evolution.
var peerReasons = map[string]string{
	"oasdiff: an optional field is added":            "closed objects are not compared",
	"oasdiff: a required field is added":             "closed objects are not compared",
	"oasdiff: a base type gains an optional field":   "closed objects are not compared",
	"oasdiff: an optional field is removed":          "closed objects are not compared",
	"oasdiff: a required field is removed":           "closed objects are not compared",
	"oasdiff: an object is closed":                   "closed objects are not compared",
	"oasdiff: a kind requires more":                  "closed objects are not compared",
	"oasdiff: nonnegative becomes positive":          "minimum and exclusiveMinimum are compared as two keywords",
	"oasdiff: positive becomes nonnegative":          "minimum and exclusiveMinimum are compared as two keywords",
	"oasdiff: a pattern is widened":                  "another pattern is a warning",
	"oasdiff: a pattern is narrowed":                 "another pattern is a warning",
	"oasdiff: a literal becomes a union of literals": "const, enum and anyOf are compared as keywords",
	"oasdiff: a string becomes a literal":            "a const without a type is another type",
	"jsoncompat: an optional field is removed":       "an open object may hold the dropped name with any type; ours takes a name that responses drop for optional and gone",
	"jsoncompat: a type becomes nullable":            "nullable of OpenAPI 3.0 is not read",
	"jsoncompat: a type is no longer nullable":       "nullable of OpenAPI 3.0 is not read",
	"jsoncompat: a pattern is widened":               "another pattern breaks",
	"jsoncompat: a pattern is narrowed":              "another pattern breaks",
	"jsoncompat: a string gains a format":            "a format is an annotation",
	"jsoncompat: a format is dropped":                "a format is an annotation",
}
