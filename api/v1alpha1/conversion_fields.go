package v1alpha1

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"sort"

	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"gati.dev/gati/internal/lazyregexp"
)

// FieldsAnnotation carries, on an object of v1alpha1, the fields of v1's spec
// that v1alpha1 has no words for, as one JSON object. A field is in it only
// where its value differs from what the visible fields and the static defaults
// lead to; null says that v1 does not have a field that has a default. Where it
// contradicts a visible field, the visible field holds.
//
// Users see it and may write it, so nothing in it is trusted. On objects of v1
// it means nothing and is dropped.
const FieldsAnnotation = "gati.dev/v1-fields"

const (
	// maxFields is the most that FieldsAnnotation may hold, in bytes: what the
	// API server takes for all annotations of an object together.
	maxFields = 256 << 10
	// maxFieldsDepth is how deep the JSON in it may be nested. A JSON Schema of
	// 32 levels, the most that is admitted, needs about twice as many.
	maxFieldsDepth = 128
	// fieldsTooLarge stands in FieldsAnnotation for fields that do not fit. The
	// API server refuses a converted object whose annotations exceed its limit,
	// and with it every list that the object is in: so such an object is shown
	// without these fields, and cannot be written back.
	fieldsTooLarge = "too large"
)

var (
	annotationsPath = field.NewPath("metadata", "annotations")
	fieldsPath      = annotationsPath.Key(FieldsAnnotation)
)

// fieldsError is a fault in FieldsAnnotation, with what to do about it.
func fieldsError(format string, args ...any) error {
	return fmt.Errorf("%s: %s; remove the annotation to give these fields up, or write the object as gati.dev/v1",
		fieldsPath, fmt.Sprintf(format, args...))
}

// takeFields removes FieldsAnnotation from the shallow copy of an object and
// returns it; nil means that there is none. Annotations that it was alone in go
// with it.
func takeFields(obj map[string]any) (any, error) {
	metadata, annotations, err := annotationsOf(obj)
	if err != nil {
		return nil, err
	}
	raw, present := annotations[FieldsAnnotation]
	if !present {
		return nil, nil
	}
	metadata = maps.Clone(metadata)
	annotations = maps.Clone(annotations)
	delete(annotations, FieldsAnnotation)
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	} else {
		metadata["annotations"] = annotations
	}
	obj["metadata"] = metadata
	return raw, nil
}

// putFields writes FieldsAnnotation, unless there is nothing to carry.
func putFields(obj, carried map[string]any) error {
	if len(carried) == 0 {
		return nil
	}
	value, err := encodeFields(carried)
	if err != nil {
		return err
	}
	metadata, annotations, err := annotationsOf(obj)
	if err != nil {
		return err
	}
	if sizeOf(annotations)+len(FieldsAnnotation)+len(value) > maxFields {
		value = fieldsTooLarge
	}
	metadata = orEmpty(maps.Clone(metadata))
	annotations = orEmpty(maps.Clone(annotations))
	annotations[FieldsAnnotation] = value
	metadata["annotations"] = annotations
	obj["metadata"] = metadata
	return nil
}

// annotationsOf returns the metadata and the annotations; either may be nil.
func annotationsOf(obj map[string]any) (metadata, annotations map[string]any, err error) {
	var ok bool
	if value := obj["metadata"]; value != nil {
		if metadata, ok = value.(map[string]any); !ok {
			return nil, nil, typeError(field.NewPath("metadata"), "an object", value)
		}
	}
	if value := metadata["annotations"]; value != nil {
		if annotations, ok = value.(map[string]any); !ok {
			return nil, nil, typeError(annotationsPath, "an object", value)
		}
	}
	return metadata, annotations, nil
}

// sizeOf counts annotations as the API server does.
func sizeOf(annotations map[string]any) int {
	size := 0
	for key, value := range annotations {
		text, _ := value.(string)
		size += len(key) + len(text)
	}
	return size
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// encodeFields writes the annotation's text, the same for the same fields.
func encodeFields(carried map[string]any) (string, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(carried); err != nil {
		return "", fmt.Errorf("%s: %w", specPath, err)
	}
	return string(bytes.TrimSuffix(buf.Bytes(), []byte("\n"))), nil
}

// decodeFields reads the annotation strictly: it holds fields of v1's spec that
// may be carried, and only values that these can have.
func (k *kind) decodeFields(annotation any) (map[string]any, error) {
	if annotation == nil {
		return nil, nil
	}
	raw, ok := annotation.(string)
	switch {
	case !ok:
		return nil, typeError(fieldsPath, "a string", annotation)
	case raw == fieldsTooLarge:
		return nil, fmt.Errorf("%s: the object has more fields of gati.dev/v1 than an annotation can hold, so it can be written as gati.dev/v1 only", fieldsPath)
	case len(raw) > maxFields:
		return nil, fieldsError("%d bytes are more than the %d that are allowed", len(raw), maxFields)
	case depthOf(raw) > maxFieldsDepth:
		return nil, fieldsError("nested deeper than %d levels", maxFieldsDepth)
	}
	var carried map[string]any
	if err := decodeStrictly(raw, &carried); err != nil {
		return nil, err
	}
	if carried == nil {
		return nil, fieldsError("want a JSON object, got null")
	}
	for _, name := range sortedKeys(carried) {
		if !k.mayCarry[name] {
			return nil, fieldsError("%q is not a field that it may carry", name)
		}
	}
	return carried, decodeStrictly(raw, k.newSpec())
}

// decodeStrictly decodes into a value that must have every field of the text.
func decodeStrictly(raw string, into any) error {
	strict, err := kjson.UnmarshalStrict([]byte(raw), into)
	if err == nil && len(strict) > 0 {
		err = strict[0]
	}
	if err != nil {
		return fieldsError("%s", inWords(err))
	}
	return nil
}

// mismatch is how the decoder tells of a value of the wrong type: which it is,
// and where, below the name of a Go type.
var mismatch = lazyregexp.New(`^json: cannot unmarshal (\w+) into Go (?:struct field [^.\s]+\.(\S+)|value) of type `)

// inWords says without the names of Go types what the decoder found wrong.
func inWords(err error) string {
	switch found := mismatch.FindStringSubmatch(err.Error()); {
	case found == nil:
		return err.Error()
	case found[2] == "":
		return fmt.Sprintf("want a JSON object of fields, got %s", found[1])
	default:
		return fmt.Sprintf("%s has the wrong type, %s", found[2], found[1])
	}
}

// depthOf returns how deep a JSON text is nested. The text is not parsed yet, so it only counts brackets outside of strings.
func depthOf(raw string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
