package admission

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// An update that leaves the spec as it was is let through without a look, so whatever
// differs in it has to be seen, schemas included.
func TestSameSpec(t *testing.T) {
	taking := func(input string) client.Object {
		return builders.MakeHandler("users").Image("app:v1").Spec(func(s *v1.GatiHandlerSpec) {
			if input != "" {
				s.Schema = &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(input)}}
			}
		}).Obj()
	}
	labelled := taking(`{"type":"object"}`)
	labelled.SetLabels(map[string]string{"team": "a"})
	for name, tc := range map[string]struct {
		obj, old client.Object
		want     bool
	}{
		"a create":             {taking(""), nil, false},
		"nothing":              {taking(`{"type":"object"}`), taking(`{"type":"object"}`), true},
		"metadata":             {labelled, taking(`{"type":"object"}`), true},
		"spaces in the schema": {taking(`{"type": "object"}`), taking(`{"type":"object"}`), true},
		"the schema":           {taking(`{"type":"object"}`), taking(`{"type":"string"}`), false},
		"a schema more":        {taking(`{"type":"object"}`), taking(""), false},
		"the image":            {builders.MakeHandler("users").Image("app:v2").Obj(), taking(""), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sameSpec(tc.obj, tc.old); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
