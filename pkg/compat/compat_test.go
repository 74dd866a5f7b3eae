package compat_test

import (
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/facts"
)

const (
	text   = `{"type":"string"}`
	short  = `{"type":"string","maxLength":8}`
	number = `{"type":"number"}`
)

func input(doc string) *v1.VersionSchema {
	return &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(doc)}}
}

// world is a handler in its stored and its new form.
type world struct {
	declared string
	schema   *v1.VersionSchema
	strategy v1.Strategy
	gateway  bool
	mode     v1.Compatibility
	all      bool
	claim    *bool
	versions []v1.VersionStatus
	records  map[string]*v1.GatiVersion
	frozen   map[string]*v1.VersionSchema
}

// served is a version with a workload and a weight.
func served(name string, sequence int64, weight int32) v1.VersionStatus {
	return v1.VersionStatus{Version: name, Sequence: sequence, Weight: weight, Workload: name, Phase: v1.VersionActive}
}

func (w world) source(t *testing.T) compat.Source {
	t.Helper()
	b := builders.MakeHandler("users").Image("app:" + w.declared).Strategy(w.strategy).Status(func(s *v1.GatiHandlerStatus) { s.Versions = w.versions })
	if w.gateway {
		b = b.Gateway("web")
	}
	b = b.Spec(func(s *v1.GatiHandlerSpec) {
		s.Schema = w.schema
		s.Versions = &v1.VersionPolicy{Compatibility: w.mode, Transitive: &w.all}
		if w.claim != nil {
			s.Timescape = &v1.Timescape{Breaking: w.claim}
		}
	})
	h := b.Obj()
	resolved, errs := defaulting.ResolveHandler(&h.Spec, facts.Facts{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return compat.Source{Handler: h, Resolved: resolved, Records: w.records, Frozen: w.frozen}
}

func (w world) family(t *testing.T) compat.Family { return compat.FamilyOf(w.source(t)) }

// pairs returns a record of v2 with transformers.
func pairs(of ...string) map[string]*v1.GatiVersion {
	b := builders.MakeVersion("users-v2")
	for _, p := range of {
		from, to, _ := strings.Cut(p, ">")
		b = b.Pair(from, to)
	}
	return map[string]*v1.GatiVersion{"v2": b.Obj()}
}

// one is a world in which v1 serves all traffic and v2, which accepts only shorter
// texts, is declared.
func one(strategy v1.Strategy, gateway bool) world {
	return world{
		declared: "v2", schema: input(short), strategy: strategy, gateway: gateway,
		versions: []v1.VersionStatus{served("v1", 1, 100)}, frozen: map[string]*v1.VersionSchema{"v1": input(text)},
	}
}

// TestTable covers every row and cell of the table.
func TestTable(t *testing.T) {
	both := pairs("v1>v2", "v2>v1")
	for _, row := range []struct {
		name     string
		strategy v1.Strategy
		gateway  bool
		want     compat.Cell
		remedy   string
	}{
		{"RollingUpdate", v1.StrategyRollingUpdate, false, compat.Refused, "use the strategy Canary with spec.route"},
		{"RollingUpdate, gateway", v1.StrategyRollingUpdate, true, compat.Refused, "use the strategy Canary with spec.route"},
		{"Canary, gateway", v1.StrategyCanary, true, compat.HeaderOnly, ""},
		{"Manual, gateway", v1.StrategyManual, true, compat.HeaderOnly, ""},
		{"Canary, no gateway", v1.StrategyCanary, false, compat.Refused, "set spec.route"},
		{"Manual, no gateway", v1.StrategyManual, false, compat.Refused, "set spec.route"},
	} {
		var j compat.Judge
		w := one(row.strategy, row.gateway)
		t.Run(row.name+"/not covered", func(t *testing.T) {
			f := w.family(t)
			v := verdictOf(t, &j, f, "v2")
			if got := f.Policy.Cell(v); got != row.want || v.Held() == "" {
				t.Fatalf("%s, held %q; want %s", got, v.Held(), row.want)
			}
			if row.want == compat.Refused {
				e := f.Refusal(v, false)
				if e.Field != "spec.schema.input" || !strings.Contains(e.Detail, row.remedy) || !strings.Contains(e.Detail, "kubectl gati version diff users -n default v1 v2 -f FILE") || strings.Count(e.Detail, "\n") > 6 {
					t.Errorf("%v", e)
				}
			} else if len(f.Warnings(v, "")) != 3 {
				t.Errorf("warnings %q", f.Warnings(v, ""))
			}
		})
		t.Run(row.name+"/explicit weight", func(t *testing.T) {
			f := w.family(t)
			e := f.WeightRefusal(field.NewPath("spec", "traffic"), verdictOf(t, &j, f, "v2"), 10, true)
			if e.Field != "spec.traffic" || !strings.Contains(e.Detail, "set it to 0") {
				t.Errorf("%v", e)
			}
		})
		t.Run(row.name+"/covered both ways", func(t *testing.T) {
			w.records = both
			f := w.family(t)
			v := verdictOf(t, &j, f, "v2")
			if got := f.Policy.Cell(v); got != compat.Normal || v.Held() != "" || !v.Breaking {
				t.Errorf("%s, held %q, breaking %v", got, v.Held(), v.Breaking)
			}
		})
		t.Run(row.name+"/covered one way", func(t *testing.T) {
			w.records = pairs("v1>v2")
			f := w.family(t)
			if got := f.Policy.Cell(verdictOf(t, &j, f, "v2")); got != compat.Normal {
				t.Errorf("%s, want %s", got, compat.Normal)
			}
		})
		t.Run(row.name+"/only its own callers are served elsewhere", func(t *testing.T) {
			w.records = pairs("v2>v1")
			f := w.family(t)
			if got := f.Policy.Cell(verdictOf(t, &j, f, "v2")); got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// TestBaseline checks which older versions a version is compared with.
func TestBaseline(t *testing.T) {
	yes, no := true, false
	three := []v1.VersionStatus{served("v1", 1, 0), served("v2", 2, 100), served("v3", 3, 0)}
	tests := map[string]struct {
		change func(*world)

		want   string // the versions whose callers break
		denied bool
	}{
		"the stable one":          {func(*world) {}, "v1", false},
		"the same schema":         {func(w *world) { w.schema = input(`{ "type" : "string" }`) }, "", false},
		"wider":                   {func(w *world) { w.schema = input(`{"type":["string","number"]}`) }, "", false},
		"no schema any more":      {func(w *world) { w.schema = nil }, "v1", false},
		"none before":             {func(w *world) { w.frozen = nil }, "", false},
		"nothing before":          {func(w *world) { w.versions = nil }, "", false},
		"NONE":                    {func(w *world) { w.mode = v1.CompatibilityNone }, "", false},
		"NONE, claimed":           {func(w *world) { w.mode, w.claim = v1.CompatibilityNone, &yes }, "", false},
		"FORWARD, narrower":       {func(w *world) { w.mode = v1.CompatibilityForward }, "", false},
		"FORWARD, wider":          {func(w *world) { w.mode, w.schema = v1.CompatibilityForward, input(`{}`) }, "v1", false},
		"FULL, wider":             {func(w *world) { w.mode, w.schema = v1.CompatibilityFull, input(`{}`) }, "v1", false},
		"claimed":                 {func(w *world) { w.claim, w.schema = &yes, input(text) }, "v1", false},
		"claimed without schemas": {func(w *world) { w.claim, w.schema, w.frozen = &yes, nil, nil }, "v1", false},
		"denied":                  {func(w *world) { w.claim = &no }, "v1", true},
		"denied, rightly":         {func(w *world) { w.claim, w.schema = &no, input(text) }, "", false},
		"the record denies": {func(w *world) {
			w.records = map[string]*v1.GatiVersion{"v2": builders.MakeVersion("users-v2").Breaking(false).Obj()}
		}, "v1", true},
		"an automatic record denies": {func(w *world) {
			w.records = map[string]*v1.GatiVersion{"v2": builders.MakeVersion("users-v2").Label(v1.LabelAutomatic, "true").Breaking(false).Obj()}
		}, "v1", false},
		"the record's schema": {func(w *world) { w.records, w.schema = records("v2", input(text)), nil }, "", false},
		"the record's before": {func(w *world) { w.records, w.frozen = records("v1", input(short)), nil }, "", false},
		"not a live one":      {func(w *world) { w.versions, w.frozen["v2"], w.declared = three, input(short), "v4" }, "", false},
		"every live one":      {func(w *world) { w.all, w.versions, w.frozen["v2"], w.declared = true, three, input(short), "v4" }, "v1", false},
		"every live one, newest first": {func(w *world) {
			w.all, w.versions, w.declared, w.schema = true, three, "v4", input(number)
			w.frozen["v2"] = input(text)
		}, "v2 v1", false},
		"not one that is gone": {func(w *world) {
			w.all, w.versions, w.frozen["v2"], w.declared = true, []v1.VersionStatus{{Version: "v1", Sequence: 1, Phase: v1.VersionDecommissioned}, served("v2", 2, 100)}, input(short), "v3"
		}, "", false},
		"going back is not judged": {func(w *world) {
			w.declared, w.versions = "v0", []v1.VersionStatus{served("v0", 1, 0), served("v1", 2, 100)}
		}, "", false},
		"what serves is not judged":   {func(w *world) { w.versions = []v1.VersionStatus{served("v1", 1, 0), served("v2", 2, 100)} }, "", false},
		"what cannot be read is none": {func(w *world) { w.frozen["v1"] = input(`{"type":"strng"}`) }, "", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := one(v1.StrategyCanary, true)
			tc.change(&w)
			f := w.family(t)
			var j compat.Judge
			v := verdictOf(t, &j, f, w.declared)
			var got []string
			for _, b := range v.Breaks {
				got = append(got, b.Of)
			}
			if strings.Join(got, " ") != tc.want || v.Denied != tc.denied {
				t.Errorf("breaks callers of %v, want %q; denied %v; %+v", got, tc.want, v.Denied, v)
			}
		})
	}
}

func records(version string, s *v1.VersionSchema) map[string]*v1.GatiVersion {
	return map[string]*v1.GatiVersion{version: builders.MakeVersion("users-" + version).Spec(func(spec *v1.GatiVersionSpec) { spec.Schema = s }).Obj()}
}

// Every pair of versions that serve side by side has to be covered, not only pairs with
// the stable version.
func TestEveryPairThatServesIsCovered(t *testing.T) {
	w := one(v1.StrategyManual, true)
	w.declared = "v3"
	w.versions = []v1.VersionStatus{served("v1", 1, 40), served("v2", 2, 60)}
	w.frozen["v1"], w.frozen["v2"] = input(number), input(text)
	w.records = map[string]*v1.GatiVersion{"v3": builders.MakeVersion("users-v3").Pair("v2", "v3").Obj()}
	var j compat.Judge
	if v := verdictOf(t, &j, w.family(t), "v3"); v.Uncovered() == nil || v.Uncovered().Of != "v1" || !strings.Contains(v.Held(), "no transformer from v1 to v2") {
		t.Errorf("%+v", v)
	}
	w.records["v2"] = pairs("v1>v2")["v2"]
	if v := verdictOf(t, &j, w.family(t), "v3"); v.Uncovered() != nil {
		t.Errorf("covered, and held: %s", v.Held())
	}
}

func TestConflicts(t *testing.T) {
	stored := func(w *world) compat.Source {
		src := w.source(t)
		before := src.Handler.Spec
		before.Schema = input(short)
		src.Before, src.BeforeDeclares = &before, "v2"
		return src
	}
	base := one(v1.StrategyCanary, true)
	tests := map[string]struct {
		source compat.Source
		want   string
	}{
		"none":                          {base.source(t), ""},
		"as it is stored":               {stored(&base), ""},
		"another than is stored":        {stored(with(base, func(w *world) { w.schema = input(text) })), "spec.schema.input: v2 as it is stored"},
		"none any more":                 {stored(with(base, func(w *world) { w.schema = nil })), "spec.schema.input: v2 has one"},
		"in the record from now on":     {stored(with(base, func(w *world) { w.schema, w.records = nil, records("v2", input(short)) })), ""},
		"another than the record's":     {with(base, func(w *world) { w.records = records("v2", input(text)) }).source(t), "spec.schema.input: GatiVersion users-v2"},
		"the record's":                  {with(base, func(w *world) { w.records = records("v2", input(short)) }).source(t), ""},
		"another than was admitted":     {with(base, func(w *world) { w.frozen["v2"] = input(text) }).source(t), "spec.schema.input: v2 as it was admitted"},
		"admitted with one, none given": {with(base, func(w *world) { w.frozen["v2"], w.schema = input(text), nil }).source(t), ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, e := range tc.source.Conflicts() {
				got += fmt.Sprintf("%s: %s", e.Field, e.Detail)
			}
			field, who, _ := strings.Cut(tc.want, ": ")
			if !strings.HasPrefix(got, field) || !strings.Contains(got, who) || (got == "") != (tc.want == "") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func with(w world, change func(*world)) *world {
	frozen := map[string]*v1.VersionSchema{}
	for k, v := range w.frozen {
		frozen[k] = v
	}
	w.frozen = frozen
	change(&w)
	return &w
}

func TestTransformers(t *testing.T) {
	w := one(v1.StrategyCanary, true)
	w.versions = []v1.VersionStatus{served("v0", 1, 0), served("v1", 2, 100)}
	tests := map[string]struct {
		pairs  []string
		others map[string]*v1.GatiVersion

		wantErr, wantNote string
	}{
		"both ways":          {[]string{"v1>v2", "v2>v1"}, nil, "", ""},
		"one way":            {[]string{"v1>v2"}, nil, "", ""},
		"a version to come":  {[]string{"v2>v3", "v3>v2"}, nil, "", "names v3"},
		"skips one":          {[]string{"v0>v2", "v2>v0"}, nil, "spec.transformers[0]: Invalid value: the transformer from v0 to v2 skips v1", ""},
		"recorded elsewhere": {[]string{"v1>v2"}, pairs("v1>v2", "v2>v1"), "exists twice", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			record := pairs(tc.pairs...)["v2"]
			record.Name = "mine"
			errs, notes := w.family(t).Transformers(record, compat.HopsOf(tc.others, "mine"))
			for what, pair := range map[string][2]string{"error": {said(errs), tc.wantErr}, "note": {strings.Join(notes, "; "), tc.wantNote}} {
				if !strings.Contains(pair[0], pair[1]) || (pair[0] == "") != (pair[1] == "") {
					t.Errorf("%s %q, want %q", what, pair[0], pair[1])
				}
			}
		})
	}
}

func said(errs field.ErrorList) string {
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}

func TestAllowedBy(t *testing.T) {
	h := builders.MakeHandler("users").Annotation(v1.AnnotationAllowBreaking, "v2/oidc:alice/admin").Obj()
	if by := compat.AllowedBy(h, "v2"); by != "oidc:alice/admin" {
		t.Errorf("by %q", by)
	}
	if by := compat.AllowedBy(h, "v3"); by != "" {
		t.Errorf("another version, by %q", by)
	}
}

func verdictOf(t *testing.T, j *compat.Judge, f compat.Family, version string) compat.Verdict {
	t.Helper()
	v, err := j.Verdict(f, version)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
