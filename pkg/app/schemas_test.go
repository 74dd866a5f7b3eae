package app_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/app"
)

// TestFindSchema holds that only a schema that all routes of a handler share is its schema.
func TestFindSchema(t *testing.T) {
	one, two := json.RawMessage(`{"type":"string"}`), json.RawMessage(`{"type":"object"}`)
	routes := []app.RouteSchema{
		{Method: "GET", Route: "/users/:id", Output: one},
		{Method: "PUT", Route: "/users/:id", Input: two, Output: one},
		{Method: "DELETE", Route: "/users/:id", Output: two},
	}
	tests := map[string]struct {
		spec    v1.GatiHandlerSpec
		want    app.HandlerSchema
		refused bool
	}{
		"one method":       {spec: v1.GatiHandlerSpec{Path: "/users/[id]", Methods: []v1.HTTPMethod{"GET"}}, want: app.HandlerSchema{Output: one, Routes: routes[:1]}},
		"the same answers": {spec: v1.GatiHandlerSpec{Path: "/users/:id", Methods: []v1.HTTPMethod{"GET", "PUT"}}, want: app.HandlerSchema{Input: two, Output: one, Routes: routes[:2]}},
		"other answers":    {spec: v1.GatiHandlerSpec{Path: "/*"}, want: app.HandlerSchema{Input: two, Output: one, Routes: routes}, refused: true},
		"no such route":    {spec: v1.GatiHandlerSpec{Path: "/other"}},
	}
	for name, test := range tests {
		got, err := app.FindSchema(&test.spec, routes)
		if diff := cmp.Diff(test.want, got); diff != "" || test.refused != (err != nil) {
			t.Errorf("%s: error %v, (-want,+got):\n%s", name, err, diff)
		}
	}
}

// TestSetSchemaKeepsTheRest holds that comments, other objects and other fields stay.
func TestSetSchemaKeepsTheRest(t *testing.T) {
	const manifest = `# Ours.
apiVersion: gati.dev/v1
kind: GatiHandler
metadata:
  name: users
spec:
  path: /users # Public.
  replicas: 3
  schema:
    input: {type: string}
---
apiVersion: gati.dev/v1
kind: GatiHandler
metadata:
  name: other
spec:
  path: /other
`
	const want = `# Ours.
apiVersion: gati.dev/v1
kind: GatiHandler
metadata:
  name: users
spec:
  path: /users # Public.
  replicas: 3
  schema:
    input: {type: string}
    output:
      type: object
      properties:
        name:
          type: string
      required: [name]
---
apiVersion: gati.dev/v1
kind: GatiHandler
metadata:
  name: other
spec:
  path: /other
`
	s := app.HandlerSchema{Output: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)}
	got, err := app.SetSchema([]byte(manifest), "users", s)
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Fatalf("error %v, (-want,+got):\n%s", err, diff)
	}
	if again, err := app.SetSchema(got, "users", s); err != nil || string(again) != want {
		t.Errorf("the second time: error %v, %s", err, again)
	}
}

func TestNextVersion(t *testing.T) {
	for _, test := range []struct {
		last              string
		breaking, changed bool
		want              string
	}{
		{"v1.2.3", true, true, "v2.0.0"}, {"1.2.3", false, true, "1.3.0"}, {"v1.2.3", false, false, "v1.2.4"}, {"tsv:1-a-1", true, true, ""},
	} {
		if got := app.NextVersion(test.last, test.breaking, test.changed); got != test.want {
			t.Errorf("%+v: got %q", test, got)
		}
	}
}
