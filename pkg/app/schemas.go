package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	v1 "gati.dev/gati/api/v1"
)

// RouteSchema is what gati-kubernetes reads from the code of a handler. A schema is absent
// where the code says nothing.
type RouteSchema struct {
	Method string          `json:"method"`
	Route  string          `json:"route"`
	File   string          `json:"file"`
	Input  json.RawMessage `json:"input,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	// Gaps are the places that the code leaves open, with file and line.
	Gaps []string `json:"gaps,omitempty"`
}

// HandlerSchema is the schema that all routes of a handler share.
type HandlerSchema struct {
	Input, Output json.RawMessage
	Routes        []RouteSchema
}

// FindSchema returns the schema of a handler. A handler whose routes differ has none: one
// of two forms could change into the other unnoticed.
func FindSchema(spec *v1.GatiHandlerSpec, all []RouteSchema) (HandlerSchema, error) {
	var out HandlerSchema
	for _, r := range all {
		served := len(spec.Methods) == 0 || slices.ContainsFunc(spec.Methods, func(m v1.HTTPMethod) bool { return string(m) == r.Method })
		if served && (spec.Path == "/*" || normalize(spec.Path) == normalize(r.Route)) {
			out.Routes = append(out.Routes, r)
		}
	}
	for _, r := range out.Routes {
		if !mergeSchema(&out.Input, r.Input) || !mergeSchema(&out.Output, r.Output) {
			return out, fmt.Errorf("its %d routes have different schemas; give each route a handler of its own, as init --per route does", len(out.Routes))
		}
	}
	return out, nil
}

func normalize(path string) string { return param.ReplaceAllString(path, ":$1") }

// mergeSchema reports whether a schema is that of all routes so far.
func mergeSchema(common *json.RawMessage, schema json.RawMessage) bool {
	if len(schema) == 0 || bytes.Equal(*common, schema) {
		return true
	}
	if len(*common) > 0 {
		return false
	}
	*common = schema
	return true
}

// SetSchema sets the schema of a handler in a manifest and keeps everything else, comments
// as well. A document that is absent stays as it is in the manifest.
func SetSchema(manifest []byte, handler string, s HandlerSchema) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	for decoder := yaml.NewDecoder(bytes.NewReader(manifest)); ; {
		var doc yaml.Node
		if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if err := setSchema(&doc, handler, s); err != nil {
			return nil, err
		}
		if err := encoder.Encode(&doc); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), encoder.Close()
}

func setSchema(doc *yaml.Node, handler string, s HandlerSchema) error {
	if len(doc.Content) == 0 || valueOf(doc.Content[0], "kind") != "GatiHandler" || valueOf(child(doc.Content[0], "metadata"), "name") != handler {
		return nil
	}
	for _, side := range []struct {
		name string
		text json.RawMessage
	}{{"input", s.Input}, {"output", s.Output}} {
		if len(side.text) == 0 {
			continue
		}
		var value yaml.Node
		if err := yaml.Unmarshal(side.text, &value); err != nil {
			return err
		}
		makePlain(&value)
		*child(child(child(doc.Content[0], "spec"), "schema"), side.name) = *value.Content[0]
	}
	return nil
}

// child returns the value of a key, which is added where it is missing.
func child(of *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(of.Content); i += 2 {
		if of.Content[i].Value == key {
			return of.Content[i+1]
		}
	}
	value := &yaml.Node{Kind: yaml.MappingNode}
	of.Content = append(of.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
	return value
}

func valueOf(of *yaml.Node, key string) string { return child(of, key).Value }

// makePlain writes JSON as YAML is usually written: a list of plain values in one line.
func makePlain(node *yaml.Node) {
	node.Style = 0
	if node.Kind == yaml.SequenceNode && !slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode }) {
		node.Style = yaml.FlowStyle
	}
	for _, n := range node.Content {
		makePlain(n)
	}
}
