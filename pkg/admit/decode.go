package admit

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
)

// Document is one object of a manifest and its place.
type Document struct {
	// Source names the file, and Index counts its documents from 1.
	Source string
	Index  int
	// Object is the object as gati.dev/v1; nil when Foreign.
	Object client.Object
	// Foreign tells that the document is of another API group: it is none of
	// ours to judge.
	Foreign bool
}

// Decode reads a stream of YAML or JSON documents. Documents of gati.dev are
// decoded strictly, in either version, and returned as v1. The error names every
// document that is at fault; the others are returned beside it.
func Decode(r io.Reader, source string) ([]Document, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(r))
	var out []Document
	var faults []error
	for index := 1; ; {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out, errors.Join(faults...)
		}
		if err != nil {
			return out, errors.Join(append(faults, fmt.Errorf("%s: %w", source, err))...)
		}
		if isBlank(text) {
			continue
		}
		doc, err := decodeOne(text)
		doc.Source, doc.Index = source, index
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: document %d: %w", source, index, err))
		} else {
			out = append(out, doc)
		}
		index++
	}
}

// isBlank tells whether a document holds comments and white space only.
func isBlank(text []byte) bool {
	for _, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}

func decodeOne(text []byte) (Document, error) {
	content, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return Document{}, err
	}
	var meta runtime.TypeMeta
	if err := yaml.Unmarshal(content, &meta); err != nil {
		return Document{}, fmt.Errorf("is no Kubernetes object: %w", err)
	}
	if meta.Kind == "" || meta.APIVersion == "" {
		return Document{}, errors.New("has no apiVersion or no kind, so it is no Kubernetes object")
	}
	if group, _, _ := strings.Cut(meta.APIVersion, "/"); group != v1.Group {
		return Document{Foreign: true}, nil
	}
	object, err := DecodeObject(content)
	return Document{Object: object}, err
}

// DecodeObject decodes one object of gati.dev strictly, in either version, and
// returns it as v1.
func DecodeObject(content []byte) (client.Object, error) {
	decoded, gvk, err := strict.Decode(content, nil, nil)
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(client.Object)
	if !ok {
		// Lists and the options of requests are registered beside the kinds.
		return nil, fmt.Errorf("%s is no object that can be applied; give its items one by one", gvk.Kind)
	}
	if gvk.Version == v1.GroupVersion.Version {
		return object, nil
	}
	return convert(content, *gvk)
}

// convert turns an object of an older version, already found well-formed, into
// v1.
func convert(content []byte, gvk schema.GroupVersionKind) (client.Object, error) {
	var untyped map[string]any
	if err := utiljson.Unmarshal(content, &untyped); err != nil {
		return nil, err
	}
	converted, err := v1alpha1.ToV1(untyped)
	if err != nil {
		return nil, err
	}
	object, err := scheme.New(v1.GroupVersion.WithKind(gvk.Kind))
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(converted, object); err != nil {
		return nil, fmt.Errorf("convert %s to v1: %w", gvk.Kind, err)
	}
	return object.(client.Object), nil
}

var (
	scheme = newScheme()
	strict = serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
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
