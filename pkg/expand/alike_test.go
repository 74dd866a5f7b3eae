package expand_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/respell"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/expand"
)

// pair is one meaning in two words, or two meanings that look alike.
type pair struct{ a, b string }

// sameHandlers has pairs for each field that is hashed, beside a handler of the namespace's
// image, shop:v7.
var sameHandlers = map[string][]pair{
	"version":     {{`{}`, `{"version":"v7"}`}},
	"image":       {{`{}`, `{"image":"registry.example.com/shop:v7"}`}},
	"port":        {{`{}`, `{"port":3000}`}},
	"env":         {{`{}`, `{"env":[]}`}, {`{"env":[{"name":"A"}]}`, `{"env":[{"name":"A"},{"name":"HOST","value":"0.0.0.0"}]}`}, {`{}`, `{"env":[{"name":"PORT","value":"3000"}]}`}, secretPair, divisorPair},
	"envFrom":     {{`{}`, `{"envFrom":[]}`}, {`{"envFrom":[{"secretRef":{"name":"a"}}]}`, `{"envFrom":[{"secretRef":{"name":"a","optional":false}}]}`}},
	"resources":   {memory(`"1G"`, `"1e9"`), memory(`"1Gi"`, `1073741824`), memory(`1`, `"1e0"`), memory(`0.25`, `"250m"`), memory(`"1000M"`, `"1G"`), {`{}`, `{"resources":{}}`}, defaultsPair, limitsPair},
	"healthCheck": {{`{"healthCheck":{"interval":"60s"}}`, `{"healthCheck":{"interval":"1m"}}`}, {`{}`, `{"healthCheck":{"type":"http","path":"/health","interval":"10s","timeout":"3s","failureThreshold":3}}`}},
	"pod": {
		{`{}`, `{"pod":{"terminationGracePeriodSeconds":30,"runAsUser":1001,"automountServiceAccountToken":false,"schedulerName":"default-scheduler","serviceAccountName":"default"}}`},
		{`{}`, `{"pod":{"labels":{},"tolerations":[],"affinity":{},"imagePullPolicy":"IfNotPresent"}}`},
		{`{"pod":{"tolerations":[{"key":"a","value":"b"}]}}`, `{"pod":{"tolerations":[{"key":"a","value":"b","operator":"Equal"}]}}`},
		{`{"pod":{"volumes":[{"name":"a","secret":{"secretName":"s"}}]}}`, `{"pod":{"volumes":[{"name":"a","secret":{"secretName":"s","defaultMode":420,"optional":false}}]}}`},
		{`{"pod":{"volumes":[{"name":"a","emptyDir":{"sizeLimit":"1Gi"}}]}}`, `{"pod":{"volumes":[{"name":"a","emptyDir":{"sizeLimit":"1024Mi"}}]}}`},
	},
	"modules": {{`{}`, `{"modules":[]}`}, {`{"modules":["a","b"]}`, `{"modules":["b","a"]}`}},
}

var sameModules = map[string][]pair{
	"type":         nil, // One word each.
	"moduleName":   nil,
	"runtime":      nil,
	"image":        {{`{}`, `{"image":"registry.example.com/shop:v7"}`}},
	"port":         {{`{}`, `{"port":50051}`}},
	"env":          {{`{}`, `{"env":[{"name":"PORT","value":"50051"}]}`}, secretPair},
	"resources":    {memory(`"1G"`, `"1e9"`), defaultsPair},
	"healthCheck":  {{`{"healthCheck":{"interval":"90s"}}`, `{"healthCheck":{"interval":"1m30s"}}`}},
	"pod":          {{`{}`, `{"pod":{"terminationGracePeriodSeconds":30}}`}},
	"config":       {{`{}`, `{"config":{}}`}},
	"capabilities": {{`{}`, `{"capabilities":[]}`}, {`{"capabilities":["network","storage"]}`, `{"capabilities":["storage","network"]}`}},
}

var (
	secretPair   = pair{`{"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}]}`, `{"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k","optional":false}}}]}`}
	divisorPair  = pair{`{"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}]}`, `{"env":[{"name":"A","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"1"}}}]}`}
	defaultsPair = pair{`{}`, `{"resources":{"requests":{"cpu":"0.1","memory":"128Mi"},"limits":{"cpu":0.5,"memory":"512Mi"}}}`}
	limitsPair   = pair{`{"resources":{"limits":{"cpu":1}}}`, `{"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1000m"}}}`}
)

func memory(a, b string) pair {
	of := func(amount string) string { return `{"resources":{"limits":{"memory":` + amount + `}}}` }
	return pair{of(a), of(b)}
}

// otherHandlers are pairs of two meanings.
var otherHandlers = []pair{
	memory(`"1G"`, `"1Gi"`), {`{"healthCheck":{"interval":"60s"}}`, `{"healthCheck":{"interval":"61s"}}`},
	{`{}`, `{"env":[{"name":"HOST","value":"127.0.0.1"}]}`}, {`{}`, `{"pod":{"imagePullPolicy":"Always"}}`}, {`{}`, `{"version":"v2"}`},
	{`{"env":[{"name":"A","value":"$(B)"},{"name":"B","value":"1"}]}`, `{"env":[{"name":"B","value":"1"},{"name":"A","value":"$(B)"}]}`},
	{`{"pod":{"volumes":[{"name":"a","secret":{"secretName":"s"}}]}}`, `{"pod":{"volumes":[{"name":"a","secret":{"secretName":"s","optional":true}}]}}`},
	{`{"modules":["a"]}`, `{"modules":["b"]}`},
}

// TestTheSameInOtherWordsIsTheSameRevision holds that other words for a spec find the revision
// that was cut for it, in both directions, and that another meaning does not.
func TestTheSameInOtherWordsIsTheSameRevision(t *testing.T) {
	for fields, tables := range map[*map[string]bool]map[string][]pair{&handlerFields: sameHandlers, &moduleFields: sameModules} {
		for field, isHashed := range *fields {
			if _, has := tables[field]; has != isHashed {
				t.Errorf("%s has pairs: %t, and is hashed: %t", field, has, isHashed)
			}
		}
	}
	handler := func(text string) client.Object { return decodeSpec(t, builders.MakeHandler("users").Obj(), text) }
	module := func(text string) client.Object { return decodeSpec(t, builders.MakeModule("db").Obj(), text) }
	for _, field := range slices.Sorted(maps.Keys(sameHandlers)) {
		for _, p := range sameHandlers[field] {
			assertAlike(t, handler(p.a), handler(p.b), true)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(sameModules)) {
		for _, p := range sameModules[field] {
			assertAlike(t, module(p.a), module(p.b), true)
		}
	}
	for _, p := range otherHandlers {
		assertAlike(t, handler(p.a), handler(p.b), false)
	}
}

func decodeSpec(t *testing.T, o client.Object, text string) client.Object {
	t.Helper()
	if err := json.Unmarshal([]byte(`{"spec":`+text+`}`), o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

func assertAlike(t *testing.T, a, b client.Object, want bool) {
	t.Helper()
	for _, order := range [][2]client.Object{{a, b}, {b, a}} {
		kept := cut(t, order[0])
		if found, got := expand.FindRevision([]expand.Revision{kept}, cut(t, order[1]), order[1]); got != want || want && found.Name != kept.Name {
			t.Errorf("found: %t, want %t\n%s\n%s", got, want, encoded(t, order[0]), encoded(t, order[1]))
		}
	}
}

// TestOtherWordsChangeNoPlan writes random specs in other words: the kept revision is found,
// and its plan is the same.
func TestOtherWordsChangeNoPlan(t *testing.T) {
	changed := 0
	for i, kind := range slices.Repeat([]string{"GatiHandler", "GatiModule"}, 100) {
		speller := respell.New(t, kind, int64(i))
		spec := speller.Spec()
		o, other := fromSpec(t, kind, speller.Encode(spec)), fromSpec(t, kind, speller.Encode(speller.Respell(spec)))
		for _, spelled := range []client.Object{o, other} {
			if got := admit.Check(spelled, nil, admit.Surroundings{Facts: cluster}); len(got.Errors) > 0 {
				t.Fatalf("%v\n%s", got.Errors, encoded(t, spelled))
			}
		}
		if encoded(t, o) != encoded(t, other) {
			changed++
		}
		kept, fresh := cut(t, o), cut(t, other)
		found, ok := expand.FindRevision([]expand.Revision{kept}, fresh, other)
		if !ok {
			t.Fatalf("no revision\n%s\n%s", encoded(t, o), encoded(t, other))
		}
		if diff := cmp.Diff(text(t, planOf(t, o, kept).Objects), text(t, planOf(t, other, found).Objects)); diff != "" {
			t.Fatalf("another plan:\n%s\n%s\n%s", diff, encoded(t, o), encoded(t, other))
		}
	}
	if changed < 175 {
		t.Errorf("%d specs had other words", changed)
	}
}

func fromSpec(t *testing.T, kind string, spec []byte) client.Object {
	t.Helper()
	if kind == "GatiModule" {
		return decodeSpec(t, builders.MakeModule("db").Obj(), string(spec))
	}
	return decodeSpec(t, builders.MakeHandler("users").Obj(), string(spec))
}
