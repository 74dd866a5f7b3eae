package crd

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	// maxSpec bounds the text of a spec without its schema, in bytes, as the policy gati-sizes
	// does.
	maxSpec = 256 << 10
	// separator is what parts the items of a list or a map, and itemSize what each counts: what
	// it takes in memory.
	separator, itemSize = ", ", 32
)

// tooLong is the same text for each size, so that what is stored stays a warning while it
// shrinks.
const tooLong = "may not be more than 262144 bytes (256 KiB) with 32 for each item; move long texts to a ConfigMap or Secret that env, envFrom or a volume refers to"

// checkSize bounds the whole of a spec, of which each part is within its bounds.
func checkSize(spec any) field.ErrorList {
	fields, _ := spec.(map[string]any)
	size := 0
	for name, value := range fields {
		if name != "schema" {
			size += textSize(value)
		}
	}
	if size <= maxSpec {
		return nil
	}
	return field.ErrorList{{Type: field.ErrorTypeTooLong, Field: "spec", BadValue: field.OmitValueType{}, Detail: tooLong}}
}

// textSize returns how long the text is that CEL's format makes of a value, with the six bytes
// that etcd stores for each of <, > and &, and what an item takes.
func textSize(value any) (n int) {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			n += textSize(name) + len(":") + textSize(v)
		}
		return n + len("{}") + itemSize*max(0, len(value)-1)
	case []any:
		for _, v := range value {
			n += textSize(v)
		}
		return n + len("[]") + itemSize*max(0, len(value)-1)
	case string:
		n = len(strconv.Quote(value)) + (itemSize-len(separator))*strings.Count(value, separator)
		for _, c := range "<>&" {
			n += (len(`\u003c`) - 1) * strings.Count(value, string(c))
		}
		return n
	default:
		return len(fmt.Sprint(value))
	}
}
