package admit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
)

// Document is one object of a manifest and its place.
type Document struct {
	// Source is the file's name, and Index the document's number from 1. Line is its
	// first line, and Text its source.
	Source string
	Index  int
	Line   int
	Text   []byte
	// Content is the document as JSON, and Kind its declared kind.
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
	parts, err := split(r)
	if err != nil {
		err = fmt.Errorf("%s: %w", source, err)
	}
	var out []Document
	for i, p := range parts {
		doc := Document{Source: source, Index: i + 1, Line: p.line, Text: p.text}
		doc.decode()
		if items, isList := doc.items(); isList {
			out = append(out, items...)
			continue
		}
		out = append(out, doc)
	}
	return out, err
}

// decode parses the text as far as possible.
func (d *Document) decode() {
	if d.Content, d.Err = yaml.YAMLToJSONStrict(d.Text); d.Err != nil {
		return
	}
	var meta runtime.TypeMeta
	if err := yaml.Unmarshal(d.Content, &meta); err != nil {
		d.Err = fmt.Errorf("is no Kubernetes object: %w", err)
		return
	}
	if meta.Kind == "" || meta.APIVersion == "" {
		d.Err = errNoObject
		return
	}
	d.Kind = schema.FromAPIVersionAndKind(meta.APIVersion, meta.Kind)
	if d.Foreign = d.Kind.Group != v1.Group; !d.Foreign {
		d.Object, d.Err = DecodeObject(d.Content)
	}
}

// items returns the documents of a Kubernetes List, as "kubectl get -o yaml" writes it.
func (d *Document) items() ([]Document, bool) {
	if d.Err != nil || d.Kind != (schema.GroupVersionKind{Version: "v1", Kind: "List"}) {
		return nil, false
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(d.Content, &list); err != nil {
		return nil, false // something else goes by this name
	}
	out := make([]Document, len(list.Items))
	for i, item := range list.Items {
		out[i] = Document{Source: d.Source, Index: d.Index, Line: d.Line, Text: item}
		out[i].decode()
	}
	return out, true
}

// DecodeObject decodes one object of gati.dev strictly, in either version, and
// returns it as v1.
func DecodeObject(content []byte) (client.Object, error) {
	decoded, gvk, err := strict().Decode(content, nil, nil)
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(client.Object)
	if !ok {
		// Lists and request options are registered in the same scheme as the kinds.
		return nil, fmt.Errorf("%s %w", gvk.Kind, ErrNotApplied)
	}
	if gvk.Version == v1.GroupVersion.Version {
		return object, nil
	}
	return convert(content, *gvk)
}

// convert converts a well-formed object of an older version to v1.
func convert(content []byte, gvk schema.GroupVersionKind) (client.Object, error) {
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
