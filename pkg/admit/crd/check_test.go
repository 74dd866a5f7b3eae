package crd_test

import (
	"encoding/json"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
	"gati.dev/gati/pkg/admit/crd"
)

func shipped(t *testing.T) (raw [][]byte) {
	t.Helper()
	paths, err := fs.Glob(manifests.FS, "crd/gati.dev_*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	for _, path := range paths {
		text, err := manifests.FS.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, text)
	}
	return raw
}

// TestCheck checks the schema's findings. test/cluster/badfiles checks that the
// messages are the API server's.
func TestCheck(t *testing.T) {
	schemas, err := crd.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		spec string
		want []string
	}{
		"nothing wrong":          {spec: "{path: /a, resources: {requests: {cpu: 1, memory: 64Mi}}}"},
		"a null with a default":  {spec: "{path: /a, replicas: null, healthCheck: null}"},
		"unknown fields":         {spec: "{path: /a, replica: 1, pod: {hostNetwork: true}}", want: []string{`unknown "spec.pod.hostNetwork"`, `unknown "spec.replica"`}},
		"a bound":                {spec: "{path: /a, port: 0}", want: []string{"spec.port: Invalid value: 0: spec.port in body should be greater than or equal to 1"}},
		"a type":                 {spec: "{path: 1}", want: []string{`spec.path: Invalid value: "integer": spec.path in body must be of type string: "integer"`}},
		"one of some":            {spec: "{path: /a, rollout: {strategy: Blue}}", want: []string{`spec.rollout.strategy: Unsupported value: "Blue": supported values: "RollingUpdate", "Canary", "Manual"`}},
		"missing":                {spec: "{}", want: []string{"spec.path: Required value"}},
		"twice":                  {spec: "{path: /a, modules: [a, a]}", want: []string{`spec.modules[1]: Duplicate value: "a"`}},
		"too many":               {spec: "{path: /a, protected: 1}", want: []string{`unknown "spec.protected"`}},
		"an empty text":          {spec: `{path: /a, image: ""}`, want: []string{`spec.image: Invalid value: "": must be an image reference such as registry.example.com/app:v1.2.3, without spaces`}},
		"no quantity":            {spec: "{path: /a, resources: {limits: {cpu: 1e1e}}}", want: []string{`spec.resources.limits.cpu: Invalid value: "1e1e": spec.resources.limits.cpu in body should match '^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,3})?$'`}},
		"amounts as numbers":     {spec: "{path: /a, resources: {requests: {cpu: 0.25, memory: 1e9}, limits: {cpu: 1, memory: 2000000000}}}"},
		"an amount that is true": {spec: "{path: /a, resources: {requests: {cpu: true}}}", want: []string{`<nil>: Invalid value: "": "spec.resources.requests.cpu" must not validate the schema (not)`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var o unstructured.Unstructured
			text := "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: a}\nspec: " + tc.spec
			raw, err := yaml.YAMLToJSON([]byte(text))
			if err == nil {
				err = o.UnmarshalJSON(raw)
			}
			if err != nil {
				t.Fatal(err)
			}
			before := o.DeepCopy()
			found := schemas.Check(&o)
			var got []string
			for _, u := range found.Unknown {
				got = append(got, `unknown "`+u+`"`)
			}
			for _, e := range found.Errors {
				got = append(got, e.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
			if diff := cmp.Diff(before, &o); diff != "" {
				t.Errorf("the object has changed:\n%s", diff)
			}
		})
	}
}

// TestFirstRuleOfATextWantsSomething checks the assumption behind the check of empty
// texts: the empty text breaks the first rule of a text, and no other.
func TestFirstRuleOfATextWantsSomething(t *testing.T) {
	texts := 0
	var walk func(path string, s *apiextensionsv1.JSONSchemaProps)
	walk = func(path string, s *apiextensionsv1.JSONSchemaProps) {
		for i, rule := range s.XValidations {
			if s.Type != "string" {
				continue
			}
			texts++
			blank := strings.HasPrefix(rule.Rule, `!self.matches('^[ `) // the empty text is blank
			forbids := strings.HasPrefix(rule.Rule, "!") && !blank
			if forbids != (i > 0) {
				t.Errorf("%s: rule %d is %q: the first has to say what the text is, the others what it is not", path, i+1, rule.Rule)
			}
		}
		for name, p := range s.Properties {
			walk(path+"."+name, &p)
		}
		if s.Items != nil {
			walk(path+"[]", s.Items.Schema)
		}
	}
	for _, raw := range shipped(t) {
		var definition apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(raw, &definition); err != nil {
			t.Fatal(err)
		}
		for _, v := range definition.Spec.Versions {
			walk("spec", ptr(v.Schema.OpenAPIV3Schema.Properties["spec"]))
		}
	}
	if texts < 20 {
		t.Errorf("%d rules of texts: were the CRDs read?", texts)
	}
}

func ptr[T any](v T) *T { return &v }

// TestAmountsCanBeRead holds that clients read every amount that the CRDs accept, and that the
// CRDs accept every number.
func TestAmountsCanBeRead(t *testing.T) {
	schemas, err := crd.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	accepts := func(amount any) bool {
		o := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "gati.dev/v1", "kind": "GatiHandler", "metadata": map[string]any{"name": "a"},
			"spec": map[string]any{"path": "/a", "resources": map[string]any{"requests": map[string]any{"cpu": amount}}},
		}}
		return len(schemas.Check(o).Errors) == 0
	}
	dice, read := rand.New(rand.NewPCG(1, 2)), 0
	for range 3000 {
		text := make([]byte, 1+dice.IntN(6))
		for i := range text {
			text[i] = "0159.+-eEikKMGTPnum"[dice.IntN(19)]
		}
		if !accepts(string(text)) {
			continue
		}
		read++
		if _, err := resource.ParseQuantity(string(text)); err != nil {
			t.Errorf("%s is accepted: %v", text, err)
		}
	}
	if read < 50 {
		t.Errorf("only %d texts were accepted", read)
	}
	for range 300 {
		number := math.Float64frombits(dice.Uint64())
		if math.IsNaN(number) || math.IsInf(number, 0) {
			continue
		}
		text, err := json.Marshal(number)
		if err != nil {
			t.Fatal(err)
		}
		var amount resource.Quantity
		if err := json.Unmarshal(text, &amount); err != nil || !accepts(number) {
			t.Errorf("%s: accepted: %v, read: %v", text, accepts(number), err)
		}
	}
}
