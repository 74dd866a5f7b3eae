package schemadiff

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// makeDocument puts a schema into an OpenAPI document, as request body or as response.
// Its references become those of a component.
func makeDocument(schema []byte, request bool) ([]byte, error) {
	const place = "#/components/schemas/S"
	schema = bytes.ReplaceAll(schema, []byte(`"$ref":"#`), []byte(`"$ref":"`+place))
	content := map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": place}}}
	empty := map[string]any{"description": "ok"}
	operation := map[string]any{"operationId": "op", "responses": map[string]any{"200": empty}}
	if request {
		operation["requestBody"] = map[string]any{"required": true, "content": content}
	} else {
		operation["responses"] = map[string]any{"200": map[string]any{"description": "ok", "content": content}}
	}
	return json.Marshal(map[string]any{
		"openapi": "3.1.0", "info": map[string]any{"title": "t", "version": "1"},
		"paths":      map[string]any{"/p": map[string]any{"post": operation}},
		"components": map[string]any{"schemas": map[string]any{"S": json.RawMessage(schema)}},
	})
}

func loadDocument(schema []byte, request bool) (*load.SpecInfo, error) {
	raw, err := makeDocument(schema, request)
	if err != nil {
		return nil, err
	}
	spec, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	return &load.SpecInfo{Spec: spec}, nil
}

// findBreakingRules returns the rules of level error that oasdiff finds.
func findBreakingRules(old, new []byte, request bool) ([]string, error) {
	a, err := loadDocument(old, request)
	if err != nil {
		return nil, fmt.Errorf("old: %w", err)
	}
	b, err := loadDocument(new, request)
	if err != nil {
		return nil, fmt.Errorf("new: %w", err)
	}
	report, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), a, b)
	if err != nil {
		return nil, err
	}
	var rules []string
	for _, change := range checker.CheckBackwardCompatibilityUntilLevel(checker.NewConfig(checker.GetAllChecks()), report, sources, checker.ERR) {
		rules = append(rules, change.GetId())
	}
	return rules, nil
}
