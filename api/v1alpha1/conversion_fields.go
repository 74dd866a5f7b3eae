package v1alpha1

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"sort"

	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

// FieldsAnnotation carries, on an object of v1alpha1, the v1 spec fields that v1alpha1
// cannot express, as one JSON object. It lists only fields that differ from the result
// of the visible fields and the static defaults; null means that v1 lacks a field that
// has a default. A visible field overrides a contradicting carried one.
//
// Users see the annotation and may write it, so its content is not trusted. On objects
// of v1 it has no meaning and is dropped.
const FieldsAnnotation = "gati.dev/v1-fields"

const (
	// maxFields is the maximum size of FieldsAnnotation in bytes: the API server's
	// limit for all annotations of an object together.
	maxFields = 256 << 10
	// maxFieldsDepth is the maximum nesting of its JSON. An admitted JSON Schema has at
	// most 32 levels and needs about twice as many.
	maxFieldsDepth = 128
	// fieldsTooLarge is the value of FieldsLabel.
	fieldsTooLarge = "too-large"
)

// FieldsLabel marks an object of v1alpha1 whose FieldsAnnotation does not fit. The API server
// refuses a converted object whose annotations exceed its limit, and with it every list that
// contains the object. So the object is shown without these fields, and ToV1 refuses it. It is
// a label because the annotations may have no byte left; labels have no limit in all.
const FieldsLabel = FieldsAnnotation

var (
	metadataPath = field.NewPath("metadata")
	fieldsPath   = metadataPath.Child("annotations").Key(FieldsAnnotation)
	markerPath   = metadataPath.Child("labels").Key(FieldsLabel)
)

// fieldsError returns an error about FieldsAnnotation, with a remedy.
func fieldsError(format string, args ...any) error {
	return fmt.Errorf("%s: %s; remove the annotation to give these fields up, or write the object as gati.dev/v1",
		fieldsPath, fmt.Sprintf(format, args...))
}

// takeFields removes FieldsAnnotation and FieldsLabel from the shallow copy of an object and
// returns the content of both; nil stands for one that is missing. A map that becomes empty
// is removed.
func takeFields(obj map[string]any) (fields, marker any, err error) {
	if fields, err = takeEntry(obj, "annotations", FieldsAnnotation); err != nil {
		return nil, nil, err
	}
	marker, err = takeEntry(obj, "labels", FieldsLabel)
	return fields, marker, err
}

func takeEntry(obj map[string]any, name, key string) (any, error) {
	metadata, entries, err := entriesOf(obj, name)
	if err != nil {
		return nil, err
	}
	value, present := entries[key]
	if !present {
		return nil, nil
	}
	metadata, entries = maps.Clone(metadata), maps.Clone(entries)
	delete(entries, key)
	if len(entries) == 0 {
		delete(metadata, name)
	} else {
		metadata[name] = entries
	}
	obj["metadata"] = metadata
	return value, nil
}

// putFields writes FieldsAnnotation, unless there is nothing to carry; FieldsLabel takes its
// place where it does not fit.
func putFields(obj, carried map[string]any) error {
	if len(carried) == 0 {
		return nil
	}
	value, err := encodeFields(carried)
	if err != nil {
		return err
	}
	_, annotations, err := entriesOf(obj, "annotations")
	if err != nil {
		return err
	}
	if sizeOf(annotations)+len(FieldsAnnotation)+len(value) > maxFields {
		return putEntry(obj, "labels", FieldsLabel, fieldsTooLarge)
	}
	return putEntry(obj, "annotations", FieldsAnnotation, value)
}

func putEntry(obj map[string]any, name, key, value string) error {
	metadata, entries, err := entriesOf(obj, name)
	if err != nil {
		return err
	}
	metadata, entries = orEmpty(maps.Clone(metadata)), orEmpty(maps.Clone(entries))
	entries[key] = value
	metadata[name] = entries
	obj["metadata"] = metadata
	return nil
}

// entriesOf returns the metadata, and its labels or annotations; either may be nil.
func entriesOf(obj map[string]any, name string) (metadata, entries map[string]any, err error) {
	var ok bool
	if value := obj["metadata"]; value != nil {
		if metadata, ok = value.(map[string]any); !ok {
			return nil, nil, typeError(metadataPath, "an object", value)
		}
	}
	if value := metadata[name]; value != nil {
		if entries, ok = value.(map[string]any); !ok {
			return nil, nil, typeError(metadataPath.Child(name), "an object", value)
		}
	}
	return metadata, entries, nil
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

// encodeFields returns the annotation's text, which is deterministic.
func encodeFields(carried map[string]any) (string, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(carried); err != nil {
		return "", fmt.Errorf("%s: %w", specPath, err)
	}
	return string(bytes.TrimSuffix(buf.Bytes(), []byte("\n"))), nil
}

// decodeFields parses the annotation strictly: it may hold only carriable fields of
// v1's spec, with values of their types.
func (k *kind) decodeFields(annotation, marker any) (map[string]any, error) {
	if marker != nil {
		return nil, fmt.Errorf("%s: the object has more fields of %s than an annotation can hold, so it can be written as %[2]s only", markerPath, v1.GroupVersion)
	}
	if annotation == nil {
		return nil, nil
	}
	raw, ok := annotation.(string)
	switch {
	case !ok:
		return nil, typeError(fieldsPath, "a string", annotation)
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

// decodeStrictly decodes into a value and fails on fields that its type lacks.
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

// mismatch matches the decoder's error about a value of the wrong type: the type, and
// the path below the name of a Go type.
var mismatch = lazyregexp.New(`^json: cannot unmarshal (\w+) into Go (?:struct field [^.\s]+\.(\S+)|value) of type `)

// inWords returns a decoder's error without the names of Go types.
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

// depthOf returns the nesting of a JSON text. The text is not parsed yet, so it only
// counts brackets outside of strings.
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
