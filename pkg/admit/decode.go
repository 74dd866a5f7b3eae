package admit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
	"gati.dev/gati/pkg/admit/bounds"
	"gati.dev/gati/pkg/expand"
)

// Document is one object of a manifest and its place.
type Document struct {
	// Source is the file's name, and Index the document's number from 1. Line is its
	// first line, and Text its source.
	Source string
	Index  int
	Line   int
	Text   []byte
	// Path leads from the document to the object where it is an item of a list: items[1].
	Path string
	// Content is the object as JSON, and Kind its declared kind.
	Content []byte
	Kind    schema.GroupVersionKind
	// Object is the object as gati.dev/v1; nil when Foreign.
	Object client.Object
	// Foreign is true when the document belongs to another API group and is not
	// checked.
	Foreign bool
	// Err is why there is no object.
	Err error
}

// Decode reads a stream of YAML or JSON documents. Documents of gati.dev are decoded
// strictly, in either version, and returned as v1. The error names every faulty
// document; the valid ones are returned with it.
func Decode(r io.Reader, source string) ([]Document, error) {
	all, err := Split(r, source)
	var out []Document
	var faults []error
	for _, doc := range all {
		if doc.Err != nil {
			faults = append(faults, fmt.Errorf("%s: document %d: %w", source, doc.Index, doc.Err))
			continue
		}
		out = append(out, doc)
	}
	if err != nil {
		faults = append(faults, err)
	}
	return out, errors.Join(faults...)
}

// Split is Decode that also returns faulty documents, parsed as far as possible. The
// error is one of the stream.
func Split(r io.Reader, source string) ([]Document, error) {
	parts, err := readStream(r)
	if err != nil {
		err = fmt.Errorf("%s: %w", source, err)
	}
	var out []Document
	for i, p := range parts {
		doc := Document{Source: source, Index: i + 1, Line: p.line, Text: p.text, Err: p.err}
		if p.err != nil {
			out = append(out, doc)
			continue
		}
		out = append(out, doc.decodeItems(p.json)...)
	}
	return out, err
}

// decodeItems returns the objects that a document holds: itself, or the items of a list. It
// parses as far as possible.
func (d Document) decodeItems(text []byte) []Document {
	object, _, err := unstructured.UnstructuredJSONScheme.Decode(text, nil, nil)
	switch content := object.(type) {
	case *unstructured.UnstructuredList:
		var out []Document
		for i := range content.Items {
			item := d
			item.Path = fmt.Sprintf("%sitems[%d]", d.Path, i)
			item.takeContent(content.Items[i].Object)
			out = append(out, item)
		}
		return out
	case *unstructured.Unstructured:
		d.takeContent(content.Object)
	default:
		if d.Content, d.Err = text, errNoObject; !runtime.IsMissingKind(err) && !runtime.IsMissingVersion(err) {
			d.Err = fmt.Errorf("is no Kubernetes object: %w", err)
		}
	}
	return []Document{d}
}

// takeContent takes the content of an object. A null is an absent field, as to the API server. An
// object of a generated name has one of that form, so that its length counts.
func (d *Document) takeContent(content map[string]any) {
	u := unstructured.Unstructured{Object: content}
	d.Kind = u.GroupVersionKind()
	d.Foreign = d.Kind.Group != v1.Group
	if !d.Foreign {
		dropNulls(content)
		if base := u.GetGenerateName(); base != "" && u.GetName() == "" {
			u.SetName(base[:min(len(base), maxGenerated)] + "xxxxx")
		}
	}
	if d.Content, d.Err = json.Marshal(content); d.Err == nil && !d.Foreign {
		d.Object, d.Err = DecodeObject(d.Content)
	}
}

// maxGenerated is how much of metadata.generateName the API server keeps before it adds five
// characters.
const maxGenerated = 58

// dropNulls takes nulls away, except from the schemas of a version, where null is a value.
func dropNulls(content map[string]any) {
	spec, _ := content["spec"].(map[string]any)
	schemas := spec["schema"]
	delete(spec, "schema")
	expand.WithoutNulls(content)
	if schemas != nil {
		spec["schema"] = schemas
	}
}

// errNoObject is the error of a document that is no Kubernetes object.
var errNoObject = errors.New("has no apiVersion or no kind, so it is no Kubernetes object")

// DecodeObject decodes one object of gati.dev strictly, in either version, and
// returns it as v1. One with more values than the hooks read has a bounds.Error.
func DecodeObject(content []byte) (client.Object, error) {
	if _, err := bounds.Object.Check(content); err != nil {
		return nil, err
	}
	decoded, gvk, err := strict().Decode(content, nil, nil)
	if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil, describeType(typed)
	}
	if err != nil {
		return nil, describeValue(gvk, content, err)
	}
	object, ok := decoded.(client.Object)
	if !ok {
		// Lists and request options are registered in the same scheme as the kinds.
		return nil, fmt.Errorf("%s %w", gvk.Kind, ErrNotApplied)
	}
	if gvk.Version == v1.GroupVersion.Version {
		return object, nil
	}
	return convertToV1(content, *gvk)
}

// describeType returns the error of a value of another type than its field's. The decoder's
// own speaks of Go.
func describeType(e *json.UnmarshalTypeError) error {
	wanted := map[reflect.Kind]string{
		reflect.String: "a text", reflect.Bool: "true or false", reflect.Float64: "a number",
		reflect.Int32: "a whole number of 32 bits", reflect.Int64: "a whole number of 64 bits",
		reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
	}
	return fmt.Errorf("%s: expected %s, found %s", e.Field, cmp.Or(wanted[e.Type.Kind()], e.Type.String()), e.Value)
}

// describeValue returns the error of a value that is not decoded. The schema's names its field,
// which those of amounts and times do not.
func describeValue(gvk *schema.GroupVersionKind, content []byte, err error) error {
	if gvk == nil || runtime.IsStrictDecodingError(err) {
		return err
	}
	if told := limitErrors(checkText(*gvk, content)).ToAggregate(); told != nil {
		return told
	}
	return err
}

// convertToV1 converts a well-formed object of an older version to v1.
func convertToV1(content []byte, gvk schema.GroupVersionKind) (client.Object, error) {
	var untyped map[string]any
	if err := utiljson.Unmarshal(content, &untyped); err != nil {
		return nil, err
	}
	converted, err := v1alpha1.ToV1(untyped)
	if err != nil {
		return nil, err
	}
	object, err := scheme().New(v1.GroupVersion.WithKind(gvk.Kind))
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(converted, object); err != nil {
		return nil, fmt.Errorf("convert %s to v1: %w", gvk.Kind, err)
	}
	return object.(client.Object), nil
}

// ErrNotApplied is the error of a kind that exists in the API but is never applied.
var ErrNotApplied = errors.New("is no object that can be applied; give its items one by one")

var (
	scheme = sync.OnceValue(newScheme)
	strict = sync.OnceValue(func() runtime.Decoder {
		return serializer.NewCodecFactory(scheme(), serializer.EnableStrict).UniversalDeserializer()
	})
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // Types of our own that do not register are a fault in the program.
		}
	}
	return s
}
