package validation

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/crdtest"
	"gati.dev/gati/pkg/admit/crd"
)

// testCase is an object with its expected errors: types and fields, in order.
type testCase struct {
	// check is the one that must find it; empty for an object without a fault.
	check string
	// name is the object's, if it matters.
	name string
	// spec is the object's, as JSON; old that of the stored object.
	spec, old string
	want      []string
}

func TestHandlers(t *testing.T) {
	runCases(t, handlerCases, "GatiHandler", checkHandler, func(t testing.TB, name, spec string) *v1.GatiHandler {
		h := builders.MakeHandler(name).Path("/a").Obj()
		strictly(t, spec, &h.Spec)
		return h
	})
}

func TestModules(t *testing.T) {
	runCases(t, moduleCases, "GatiModule", checkModule, func(t testing.TB, name, spec string) *v1.GatiModule {
		m := builders.MakeModule(name).Obj()
		strictly(t, spec, &m.Spec)
		return m
	})
}

func TestVersions(t *testing.T) {
	runCases(t, versionCases, "GatiVersion", checkVersion, func(t testing.TB, name, spec string) *v1.GatiVersion {
		v := builders.MakeVersion(name).Obj()
		strictly(t, spec, &v.Spec)
		return v
	})
}

// hiddenFromCRD has the cases of each kind in which the CRD alone finds nothing, so that an
// object with such a fault is stored while gati-webhook's configuration is removed.
var hiddenFromCRD = map[string][]string{
	"GatiHandler": {
		"a filter twice", "a parent and its section", "a taken port", "a parent twice", "a prefix of a parameter", "a prefix of an exact path", "a redirect", "a section twice",
		"an expression too long", "bad prefix", "behavior without bounds", "check at the end", "check with a variable of ours",
		"device requested, not limited", "faulty annotation", "faulty downward file", "faulty label", "faulty mounts beside",
		"faulty node label", "faulty projection", "faulty spread", "faulty tolerations", "file of no container",
		"files outside", "half a device", "mount of nothing", "negative request", "no amount", "no pod field",
		"no source", "no source of variables", "parameters and Exact", "parameters and no match",
		"path, one name twice", "ports of a parent", "reference without key", "reference without name", "request above limit",
		"reserved mounts", "resource with a bad name", "source without name", "star and Exact", "steps that fall",
		"timeout above interval", "two sources", "two sources of them", "unknown amount", "unknown pod field",
		"unknown resource", "value and source", "variable with =", "variable without name", "volumes of nothing",
	},
	"GatiModule": {
		"a Secret as files", "a Secret beside", "a claim", "a claim beside that only reads", "a claim that only reads", "containers", "pod", "resources", "scheduling", "volumeMounts",
	},
	"GatiVersion": {
		"deploymentName", "output changed", "serviceName", "transformer twice",
	},
}

// runCases checks each case, that the CRD says nothing that validation does not,
// that it finds every fault that is not hidden from it, and that every check has a case.
func runCases[T any](t *testing.T, cases map[string]testCase, kind string, checks func(new, old *T) []outcome, build func(testing.TB, string, string) *T) {
	whole, found := crdtest.Load(t, kind, "v1"), map[string]bool{}
	for title, tc := range cases {
		t.Run(title, func(t *testing.T) {
			if tc.name == "" {
				tc.name = "a"
			}
			obj := build(t, tc.name, tc.spec)
			var old *T
			if tc.old != "" {
				old = build(t, tc.name, tc.old)
			}
			bounds, within := schemaErrors(t, kind, obj)
			errs := bounds
			if within {
				errs = withSchema(bounds, runChecks(checks, obj, old))
			}
			if diff := cmp.Diff(sorted(tc.want), faults(errs)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, errs)
			}
			if tc.check != "" {
				outcomes := checks(obj, old)
				finds := slices.ContainsFunc(outcomes, func(o outcome) bool { return o.check == tc.check && len(o.errs) > 0 })
				found[tc.check] = found[tc.check] || finds
				if !finds && len(bounds) == 0 {
					t.Errorf("neither the check %q nor the schema finds anything", tc.check)
				}
			}
			if within {
				covered(t, whole, obj, old, bounds, errs)
			} else {
				beyondBounds(t, findByCRD(t, whole, obj, old), bounds)
			}
			hidden := len(errs) > 0 && len(findByCRD(t, whole, obj, old)) == 0
			if listed := slices.Contains(hiddenFromCRD[kind], title); hidden != listed {
				t.Errorf("hidden from the CRD: %t, and hiddenFromCRD says %t", hidden, listed)
			}
		})
	}
	for _, o := range checks(new(T), nil) {
		if !found[o.check] {
			t.Errorf("the check %q has no case", o.check)
		}
	}
}

// schemaErrors returns what the pipeline of package admit finds by the schema, and whether
// the spec is within its bounds.
func schemaErrors(t testing.TB, kind string, obj any) (errs field.ErrorList, within bool) {
	t.Helper()
	schemas, err := crd.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	spec := reflect.ValueOf(obj).Elem().FieldByName("Spec")
	copied := reflect.New(spec.Type())
	copied.Elem().Set(spec)
	if schema := copied.Elem().FieldByName("Schema"); schema.IsValid() {
		schema.SetZero() // a document is checked as such
	}
	return schemas.CheckSpec(v1.GroupVersion.WithKind(kind), copied.Interface())
}

// withSchema joins errors as the pipeline of package admit does.
func withSchema(bounds, rules field.ErrorList) field.ErrorList {
	out := slices.Clone(bounds)
	for _, e := range rules {
		if !crd.Covers(bounds, e.Field) {
			out = append(out, e)
		}
	}
	return out
}

// covered fails where the CRD finds a fault that errs does not have, or one of
// its rules has another sentence. bounds are the errors of the schema, beside which no
// rule speaks of the same field.
func covered[T any](t *testing.T, whole *crdtest.Schema, obj, old *T, bounds, errs field.ErrorList) {
	t.Helper()
	for _, e := range findByCRD(t, whole, obj, old) {
		if !notEvaluated(e) && !crd.Covers(bounds, fieldOf(e)) && !slices.ContainsFunc(errs, func(own *field.Error) bool { return finds(own, fieldOf(e)) }) {
			t.Errorf("only the CRD finds: %v\nvalidation finds: %v", e, faults(errs))
		}
	}
	said := map[string][]string{}
	for _, e := range whole.Rules(defaulted(t, whole, obj), defaulted(t, whole, old)) {
		if !notEvaluated(e) && !crd.Covers(bounds, fieldOf(e)) {
			said[fieldOf(e)] = append(said[fieldOf(e)], e.Detail)
		}
	}
	for at, details := range said {
		if !slices.ContainsFunc(errs, func(own *field.Error) bool { return finds(own, at) && sayTheSame(own, details) }) {
			t.Errorf("%s: the CRD says %q\nvalidation finds %v", at, details, faults(errs))
		}
	}
}

// findByCRD returns what the API server would find by the CRD alone.
func findByCRD[T any](t *testing.T, whole *crdtest.Schema, obj, old *T) field.ErrorList {
	t.Helper()
	return whole.Validate(defaulted(t, whole, obj), defaulted(t, whole, old))
}

// defaulted returns an object as the API server stores it, and nil where there is none.
func defaulted[T any](t *testing.T, whole *crdtest.Schema, obj *T) map[string]any {
	t.Helper()
	if obj == nil {
		return nil
	}
	raw := crdtest.Object(t, obj)
	whole.Default(raw)
	return raw
}

// finds reports whether a fault is about a field, or forbids what the field is in.
func finds(own *field.Error, at string) bool {
	return own.Field == at || own.Type == field.ErrorTypeForbidden && strings.HasPrefix(at, own.Field)
}

// sayTheSame reports whether an error's sentence is one of the CRD's. Validation stops
// at the first error of a value; OpenAPI has its own messages for missing or long
// values.
func sayTheSame(own *field.Error, details []string) bool {
	return slices.Contains(details, own.Detail) || own.Type == field.ErrorTypeRequired || own.Type == field.ErrorTypeTooLong || own.Type == field.ErrorTypeForbidden
}

// notEvaluated reports whether a rule failed on a value that another rule rejects.
func notEvaluated(e *field.Error) bool { return strings.Contains(e.Detail, "evaluating rule") }

// fieldOf returns the field of an error as the API server reports it. A rule about a
// name is on the object, and an object without a name lacks one.
func fieldOf(e *field.Error) string {
	if e.Field == "metadata" {
		return "metadata.name"
	}
	return e.Field
}

// faults returns types and fields, without messages.
func faults(errs field.ErrorList) []string {
	var out []string
	for _, e := range errs {
		out = append(out, string(e.Type)+" "+e.Field)
	}
	return sorted(out)
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// strictly decodes JSON into an existing object.
func strictly(t testing.TB, text string, into any) {
	t.Helper()
	if text == "" {
		return
	}
	strict, err := kjson.UnmarshalStrict([]byte(text), into)
	if err != nil || len(strict) > 0 {
		t.Fatalf("%v %v: %s", err, strict, text)
	}
}

// many returns a JSON list of n entries, with a different name in place of each #.
func many(n int, entry string) string {
	var list []string
	for i := range n {
		list = append(list, strings.ReplaceAll(entry, "#", "n"+strings.Repeat("a", i)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// manyKeys returns a JSON object with n names.
func manyKeys(n int, value string) string {
	m := map[string]json.RawMessage{}
	for i := range n {
		m["n"+strings.Repeat("a", i)] = json.RawMessage(value)
	}
	raw, _ := json.Marshal(m)
	return string(raw)
}

func TestNil(t *testing.T) {
	if errs := append(ValidateHandler(nil, nil), append(ValidateModule(nil, nil), ValidateVersion(nil, nil)...)...); errs != nil {
		t.Errorf("want nothing, got %v", errs)
	}
	if warnings := concat(WarnHandler(nil), WarnModule(nil), WarnVersion(nil, v1.StrategyCanary)); warnings != nil {
		t.Errorf("want nothing, got %v", warnings)
	}
	generated := builders.MakeHandler("").Obj()
	generated.ObjectMeta = metav1.ObjectMeta{GenerateName: "a-"}
	if errs := ValidateHandler(generated, nil); errs != nil {
		t.Errorf("an object whose name is still to be made: %v", errs)
	}
}
