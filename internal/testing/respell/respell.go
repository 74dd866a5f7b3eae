package respell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
)

// Speller writes specs of one kind in other words. The same seed gives the same words.
type Speller struct {
	// NoEmptyObjects is for server-side apply, which makes null of an object whose last
	// field goes.
	NoEmptyObjects bool

	kind   string
	schema apiextensionsv1.JSONSchemaProps
	rand   *rand.Rand
}

// New returns a speller for a kind.
func New(t testing.TB, kind string, seed int64) *Speller {
	t.Helper()
	schema, err := readSchema(kind)
	if err != nil {
		t.Fatal(err)
	}
	return &Speller{kind: kind, schema: schema, rand: rand.New(rand.NewSource(seed))}
}

var schemas sync.Map

// readSchema returns the schema of a spec in v1, which takes long to parse.
func readSchema(kind string) (apiextensionsv1.JSONSchemaProps, error) {
	if known, has := schemas.Load(kind); has {
		return known.(apiextensionsv1.JSONSchemaProps), nil
	}
	var crd apiextensionsv1.CustomResourceDefinition
	raw, err := manifests.FS.ReadFile("crd/gati.dev_" + strings.ToLower(kind) + "s.yaml")
	if err == nil {
		err = yaml.Unmarshal(raw, &crd)
	}
	if err != nil {
		return apiextensionsv1.JSONSchemaProps{}, err
	}
	at := slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	spec := crd.Spec.Versions[at].Schema.OpenAPIV3Schema.Properties["spec"]
	schemas.Store(kind, spec)
	return spec, nil
}

// Respell returns a spec of v1 in other words.
func (s *Speller) Respell(spec map[string]any) map[string]any {
	out := clone(spec)
	s.spellDerived(out)
	out = s.value(out, s.schema).(map[string]any)
	// An empty object as a whole is absent; below that, it may be one of several kinds.
	for _, name := range slices.Sorted(maps.Keys(s.schema.Properties)) {
		p := s.schema.Properties[name]
		if _, has := out[name]; !has && p.Type == "object" && len(p.Required) == 0 && s.addsEmptyObject() {
			out[name] = map[string]any{}
		}
	}
	return out
}

// often is true once in n.
func (s *Speller) often(n int) bool { return s.rand.Intn(n) == 0 }

func (s *Speller) addsEmptyObject() bool { return !s.NoEmptyObjects && s.often(3) }

func (s *Speller) value(x any, schema apiextensionsv1.JSONSchemaProps) any {
	switch {
	case isAmount(schema):
		return s.amount(x)
	case isDuration(schema):
		return s.duration(x)
	case strings.HasSuffix(schema.Pattern, "(h|m|s|ms)){1,4}$"):
		return s.gatewayDuration(x)
	}
	switch x := x.(type) {
	case []any:
		for i := range x {
			x[i] = s.value(x[i], *schema.Items.Schema)
		}
	case map[string]any:
		if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
			for _, key := range slices.Sorted(maps.Keys(x)) {
				x[key] = s.value(x[key], *schema.AdditionalProperties.Schema)
			}
		}
		s.fields(x, schema)
	}
	return x
}

// fields writes the fields of an object in other words, its defaults and its empty lists.
func (s *Speller) fields(x map[string]any, schema apiextensionsv1.JSONSchemaProps) {
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if name == "divisor" {
			continue // It is one of the listed texts.
		}
		p := schema.Properties[name]
		value, has := x[name]
		switch {
		case has && p.Default != nil && (len(x) > 1 || !s.NoEmptyObjects) && s.often(2) && reflect.DeepEqual(value, decode(p.Default.Raw)):
			delete(x, name)
		case has:
			x[name] = s.value(value, p)
		default:
			s.addAbsent(x, name, p)
		}
	}
}

// addAbsent writes a field that is absent: its default, or an empty list or map.
func (s *Speller) addAbsent(x map[string]any, name string, p apiextensionsv1.JSONSchemaProps) {
	switch {
	case p.Default != nil && s.often(2):
		x[name] = s.value(decode(p.Default.Raw), p)
	case p.Default != nil || p.MinItems != nil || p.MinProperties != nil:
	case p.Type == "array" && s.often(3):
		x[name] = []any{}
	case p.Type == "object" && p.AdditionalProperties != nil && s.addsEmptyObject():
		x[name] = map[string]any{}
	}
}

func isAmount(schema apiextensionsv1.JSONSchemaProps) bool {
	return strings.Contains(schema.Pattern, "numkMGTPE")
}

func isDuration(schema apiextensionsv1.JSONSchemaProps) bool {
	return slices.ContainsFunc(schema.XValidations, func(r apiextensionsv1.ValidationRule) bool {
		return strings.HasPrefix(r.Message, "must be days, hours, minutes")
	})
}

// Encode writes an object as JSON with its keys in a random order.
func (s *Speller) Encode(x any) []byte {
	var out bytes.Buffer
	s.encode(&out, x)
	return out.Bytes()
}

func (s *Speller) encode(out *bytes.Buffer, x any) {
	switch x := x.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(x))
		s.rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for i, key := range keys {
			out.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
			fmt.Fprintf(out, "%q:", key)
			s.encode(out, x[key])
		}
		out.WriteString(map[bool]string{true: "{}", false: "}"}[len(keys) == 0])
	case []any:
		out.WriteString("[")
		for i, item := range x {
			if i > 0 {
				out.WriteString(",")
			}
			s.encode(out, item)
		}
		out.WriteString("]")
	default:
		raw, err := json.Marshal(x)
		if err != nil {
			panic(err) // A spec has only values of JSON.
		}
		out.Write(raw)
	}
}

func clone(x map[string]any) map[string]any {
	raw, err := json.Marshal(x)
	if err != nil {
		panic(err) // A spec has only values of JSON.
	}
	return decode(raw).(map[string]any)
}

// decode reads JSON with its numbers as they are written.
func decode(raw []byte) (out any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		panic(err) // Schemas and specs have only values of JSON.
	}
	return out
}
