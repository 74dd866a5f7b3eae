package admit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/schema"
)

func document(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }

// An error inside a document is reported at its field, of handlers and records alike.
func TestDocuments(t *testing.T) {
	tests := map[string]struct {
		input string

		want []string
	}{
		"valid":                 {`{"type":"object"}`, nil},
		"Gati's own form":       {`{"kind":"object","properties":{"id":{"kind":"string","brand":"UserId"}},"required":["id"]}`, nil},
		"a kind that says less": {`{"kind":"object","properties":{"state":{"kind":"union"}}}`, []string{"spec.schema.input.properties.state.kind"}},
		"the document itself":   {`{"$schema":"http://json-schema.org/draft-03/schema#"}`, []string{"spec.schema.input.$schema"}},
		"a property":            {`{"properties":{"id":{"type":"strng"}}}`, []string{"spec.schema.input.properties.id.type"}},
		"a name in quotes":      {`{"properties":{"user/name":{"type":"strng"}}}`, []string{"spec.schema.input.properties[user/name].type"}},
		"an item":               {`{"anyOf":[{},{"minLength":-1}]}`, []string{"spec.schema.input.anyOf[1].minLength"}},
		"a list is told once":   {`[]`, []string{"spec.schema.input"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &v1.VersionSchema{Input: document(tc.input)}
			for _, obj := range []client.Object{
				builders.MakeHandler("users").Image("app:v1").Spec(func(spec *v1.GatiHandlerSpec) { spec.Schema = s }).Obj(),
				builders.MakeVersion("users-v1").Spec(func(spec *v1.GatiVersionSpec) { spec.Schema = s }).Obj(),
			} {
				var got []string
				for _, e := range admit.Check(obj, nil, admit.Surroundings{Facts: known}).Errors {
					got = append(got, e.Field)
				}
				if fmt.Sprint(got) != fmt.Sprint(tc.want) {
					t.Errorf("%T: at %v, want %v", obj, got, tc.want)
				}
			}
		})
	}
}

// An invalid document that is already stored is admitted, without a plan.
func TestStoredDocumentIsLetThrough(t *testing.T) {
	old := builders.MakeHandler("users").Image("app:v1").Spec(func(s *v1.GatiHandlerSpec) {
		s.Schema = &v1.VersionSchema{Output: document(`{"type":"strng"}`)}
	}).Obj()
	h := old.DeepCopy()
	h.Spec.Path = "/users"
	got := admit.Check(h, old, admit.Surroundings{Facts: known})
	if len(got.Errors) > 0 || len(got.Warnings) != 1 || got.Hash != "" {
		t.Errorf("errors %v, warnings %q, hash %q", got.Errors, got.Warnings, got.Hash)
	}
}

// What comparisons know nothing of is warned of at its place, in handlers and records.
func TestUncheckedPatternsAreWarnedOf(t *testing.T) {
	s := &v1.VersionSchema{Output: document(`{"items":[{"pattern":"(?<=a)b"}]}`)}
	for _, obj := range []client.Object{
		builders.MakeHandler("users").Image("app:v1").Path("/users").Spec(func(spec *v1.GatiHandlerSpec) { spec.Schema = s }).Obj(),
		builders.MakeVersion("users-v1").Handler("users").Version("v1").Spec(func(spec *v1.GatiVersionSpec) { spec.Schema = s }).Obj(),
	} {
		got := admit.Check(obj, nil, admit.Surroundings{Facts: known})
		const want = "spec.schema.output.items[0].pattern: has look-behind, which cannot be checked in linear time"
		if len(got.Errors) > 0 || len(got.Warnings) != 1 || !strings.HasPrefix(got.Warnings[0], want) {
			t.Errorf("%T: errors %v, warnings %q", obj, got.Errors, got.Warnings)
		}
	}
}

// A custom reader is called, and its own failure is no error of the document.
func TestReader(t *testing.T) {
	asked := 0
	p := admit.Pipeline{Read: func([]byte) (*schema.Schema, error) { asked++; return nil, errors.New("out of order") }}
	h := builders.MakeHandler("users").Image("app:v1").Spec(func(s *v1.GatiHandlerSpec) {
		s.Schema = &v1.VersionSchema{Input: document(`{}`)}
	}).Obj()
	if got := p.Check(h, nil, admit.Surroundings{Facts: known}); asked != 1 || len(got.Errors) != 1 || got.Errors[0].Type != "InternalError" {
		t.Errorf("asked %d times: %v", asked, got.Errors)
	}
}
