package main

// The bounds that a field has unless its type sets one: what costs a reader is the number
// of elements, and the types that our specs embed have none. They are above everything
// that Kubernetes accepts or that is of use; a policy bounds the whole object.
const (
	maxName     = 253          // a name of an object
	maxText     = 64 << 10     // a script, a query, a certificate
	maxMessage  = 32 << 10     // a text of the status; pkg/controller/report clips longer ones
	maxShort    = 64           // a quantity, a time, a duration
	maxStrings  = 512          // the strings of a list
	maxObjects  = 128          // the objects of a list
	maxEntries  = 128          // the entries of a map
	maxReported = 4096         // the items of a list in the status
	maxLabel    = 63           // the value of a label
	maxKey      = 253 + 1 + 63 // the key of a label
)

// lengths has the strings that are longer or shorter than a name, by their field. The
// values of a map are those of its field.
var lengths = map[string]int{
	"annotations": maxText, "args": maxText, "command": maxText, "config": maxText, "env": maxText,
	"metadata": maxText, "value": maxText,
	"key": maxKey, "matchLabelKeys": maxKey, "mismatchLabelKeys": maxKey, "resource": maxKey, "topologyKey": maxKey,
	"labels": maxLabel, "nodeSelector": maxLabel,
	"allowedHeaders": 256, "allowedResponseHeaders": 256, "remove": 256, // as HTTPHeaderName
	"audience": 1024, "fieldPath": 1024, "matchLabels": 1024, "signerName": 1024,
	"path": 4096, "certificateChainPath": 4096, "credentialBundlePath": 4096, "keyPath": 4096,
	"backendRequest": maxShort, "request": maxShort,
}

// setBounds bounds every list, map and string of a schema that has no bound. name is the
// field that contains it.
func setBounds(schema map[string]any, name string, isStatus bool) {
	items, values := asObject(schema["items"]), asObject(schema["additionalProperties"])
	switch {
	case schema["type"] == "array" && isStatus:
		setBound(schema, "maxItems", maxReported)
	case schema["type"] == "array" && items["type"] == "object":
		setBound(schema, "maxItems", maxObjects)
	case schema["type"] == "array":
		setBound(schema, "maxItems", maxStrings)
	case values != nil:
		setBound(schema, "maxProperties", maxEntries)
	case schema["x-kubernetes-int-or-string"] == true, schema["type"] == "string" && schema["format"] != nil:
		setBound(schema, "maxLength", maxShort)
	case schema["type"] == "string" && schema["enum"] == nil:
		setBound(schema, "maxLength", maxLength(name, isStatus))
	}
	for property, inner := range asObject(schema["properties"]) {
		setBounds(asObject(inner), property, isStatus)
	}
	for _, inner := range []map[string]any{items, values} {
		if inner != nil {
			setBounds(inner, name, isStatus)
		}
	}
}

func maxLength(name string, isStatus bool) int {
	if isStatus {
		return maxMessage
	}
	if length, is := lengths[name]; is {
		return length
	}
	return maxName
}

func setBound(schema map[string]any, bound string, value int) {
	if _, is := schema[bound]; !is {
		schema[bound] = value
	}
}
