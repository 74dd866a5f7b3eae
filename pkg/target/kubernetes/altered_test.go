package kubernetes

import (
	"testing"
)

func TestAltered(t *testing.T) {
	tests := map[string]struct{ want, live, field string }{
		"the same":                       {`{"spec":{"a":1}}`, `{"spec":{"a":1}}`, ""},
		"more than ours":                 {`{"spec":{"a":1}}`, `{"spec":{"a":1,"b":2},"status":{}}`, ""},
		"another value":                  {`{"spec":{"a":1}}`, `{"spec":{"a":2}}`, "spec.a"},
		"taken away":                     {`{"spec":{"a":1}}`, `{"spec":{}}`, "spec.a"},
		"all taken away":                 {`{"data":{"A":"x"}}`, `{}`, "data.A"},
		"a quantity in another form":     {`{"l":{"cpu":"0.5","memory":"1024Mi"}}`, `{"l":{"cpu":"500m","memory":"1Gi"}}`, ""},
		"another quantity":               {`{"l":{"cpu":"0.5"}}`, `{"l":{"cpu":"501m"}}`, "l.cpu"},
		"nothing of ours in it":          {`{"v":{"emptyDir":{}}}`, `{"v":{}}`, ""},
		"an empty list":                  {`{"v":[]}`, `{}`, ""},
		"an item of others before ours":  {`{"c":[{"name":"a","image":"x"}]}`, `{"c":[{"name":"sidecar","image":"s"},{"name":"a","image":"x","pull":"Always"}]}`, ""},
		"an item of ours with others":    {`{"c":[{"name":"a","image":"x"}]}`, `{"c":[{"name":"sidecar","image":"s"},{"name":"a","image":"y"}]}`, "c[0].image"},
		"an item that is gone":           {`{"c":[{"name":"a","image":"x"}]}`, `{"c":[]}`, "c[0].image"},
		"a list of values, longer":       {`{"args":["a"]}`, `{"args":["a","b"]}`, "args"},
		"a list of values, other order":  {`{"args":["a","b"]}`, `{"args":["b","a"]}`, "args"},
		"the same list of values":        {`{"args":["a","b"]}`, `{"args":["a","b"]}`, ""},
		"a text that looks like another": {`{"labels":{"a":"v1"}}`, `{"labels":{"a":"v2"}}`, "labels.a"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := findAlteration(object(t, tc.want), object(t, tc.live))
			if (got == nil) != (tc.field == "") || got != nil && got.field != tc.field {
				t.Errorf("got %v, want %q", got, tc.field)
			}
		})
	}
}
