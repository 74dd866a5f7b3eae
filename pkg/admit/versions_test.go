package admit_test

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"slices"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/expand"
)

const (
	texts   = `{"type":"string"}`
	shorter = `{"type":"string","maxLength":8}`
)

func takes(doc string) *v1.VersionSchema { return &v1.VersionSchema{Input: document(doc)} }

// declaring returns the handler users in which v1 serves all traffic, with a newly
// declared version.
func declaring(version string, strategy v1.Strategy, change ...func(*v1.GatiHandlerSpec)) *v1.GatiHandler {
	b := builders.MakeHandler("users").Path("/users").Image("app:" + version).Strategy(strategy).Gateway("web").Status(func(s *v1.GatiHandlerStatus) {
		s.Versions = []v1.VersionStatus{{Version: "v1", Sequence: 1, Weight: 100, Workload: "v1", Phase: v1.VersionActive}}
	})
	for _, c := range change {
		b = b.Spec(c)
	}
	return b.Obj()
}

// waiting returns the stored handler while a version waits for its transformers.
func waiting(version string) *v1.GatiHandler {
	h := declaring("v1", v1.StrategyCanary, says(texts))
	h.Status.Rollout = &v1.RolloutStatus{
		Declared:   &v1.UnitRef{Version: version},
		WaitingFor: &v1.WaitingStatus{Reason: v1.WaitingForTransformers, Message: "0 of 1 pod of v2 hold v1→v2; a lacks it"},
	}
	return h
}

func says(doc string) func(*v1.GatiHandlerSpec) {
	return func(s *v1.GatiHandlerSpec) { s.Schema = takes(doc) }
}

func claims(breaking bool) func(*v1.GatiHandlerSpec) {
	return func(s *v1.GatiHandlerSpec) { s.Timescape = &v1.Timescape{Breaking: &breaking} }
}

// first returns the record of v1, which accepts any text.
func first() v1.GatiVersion {
	return *builders.MakeVersion("users-v1").Handler("users").Version("v1").Spec(func(s *v1.GatiVersionSpec) { s.Schema = takes(texts) }).Obj()
}

// second returns a record of v2.
func second(change ...func(*v1.GatiVersionSpec)) *v1.GatiVersion {
	b := builders.MakeVersion("users-v2").Handler("users").Version("v2")
	for _, c := range change {
		b = b.Spec(c)
	}
	return b.Obj()
}

func both(s *v1.GatiVersionSpec) {
	s.Transformers = []v1.Transformer{{From: "v1", To: "v2", Request: "up"}, {From: "v2", To: "v1", Request: "down"}}
}

// wants are the fields of the errors, the beginnings of the warnings, and whether the
// audit log reports broken callers.
type wants struct {
	errors, warnings []string
	breaking         bool
}

func (w wants) hold(t *testing.T, got admit.Result) {
	t.Helper()
	var fields []string
	for _, e := range got.Errors {
		fields = append(fields, e.Field)
	}
	if !slices.Equal(fields, w.errors) {
		t.Errorf("errors %v, want at %v", got.Errors, w.errors)
	}
	if (got.Breaking != "") != w.breaking {
		t.Errorf("the audit is told %q, want anything: %v", got.Breaking, w.breaking)
	}
	for _, want := range w.warnings {
		if !slices.ContainsFunc(got.Warnings, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("warnings %q, want one that begins with %q", got.Warnings, want)
		}
	}
	if len(w.warnings) == 0 && len(got.Warnings) > 0 {
		t.Errorf("warnings %q, want none", got.Warnings)
	}
}

// asObject returns the object, or no object for a nil pointer.
func asObject[T any, P interface {
	*T
	client.Object
}](obj P) client.Object {
	if obj == nil {
		return nil
	}
	return obj
}

func TestCompareHandler(t *testing.T) {
	before := declaring("v1", v1.StrategyCanary, says(texts))
	replicas := func(s *v1.GatiHandlerSpec) { r := int32(9); s.Replicas = &r }
	broken := declaring("v2", v1.StrategyRollingUpdate, says(shorter))
	tests := map[string]struct {
		h, old  *v1.GatiHandler
		records []v1.GatiVersion
		allowed string
		want    wants
	}{
		"the same schema":          {h: declaring("v2", v1.StrategyCanary, says(texts)), old: before},
		"one that keeps callers":   {h: declaring("v2", v1.StrategyCanary, says(`{"type":["string","null"]}`)), old: before},
		"one that breaks":          {h: declaring("v2", v1.StrategyCanary, says(shorter)), old: before, want: wants{warnings: []string{"v2 breaks callers of v1: it gets no weight"}, breaking: true}},
		"one that breaks, at once": {h: broken, old: before, want: wants{errors: []string{"spec.schema.input"}, breaking: true}},
		"the author says so":       {h: declaring("v2", v1.StrategyRollingUpdate, says(texts), claims(true)), old: before, want: wants{errors: []string{"spec.timescape.breaking"}, breaking: true}},
		"the author denies it":     {h: declaring("v2", v1.StrategyCanary, says(shorter), claims(false)), old: before, want: wants{errors: []string{"spec.timescape.breaking"}, warnings: []string{"v2 breaks"}, breaking: true}},
		"covered both ways":        {h: broken, old: before, records: []v1.GatiVersion{*second(both)}, want: wants{breaking: true}},
		"covered, and its pods are known to lack it": {h: declaring("v2", v1.StrategyCanary, says(shorter)), old: waiting("v2"), records: []v1.GatiVersion{*second(both)}, want: wants{
			warnings: []string{"v2 waits for its transformers: 0 of 1 pod of v2 hold v1→v2; a lacks it"}, breaking: true}},
		"covered, and another one waits": {h: declaring("v2", v1.StrategyCanary, says(shorter)), old: waiting("v3"), records: []v1.GatiVersion{*second(both)}, want: wants{breaking: true}},
		"stored, and something else": {h: func() *v1.GatiHandler { h := broken.DeepCopy(); replicas(&h.Spec); return h }(), old: broken, want: wants{
			warnings: []string{"spec.schema: v2 is not rolled out"}, breaking: true}},
		"stored, and its schema again": {h: declaring("v2", v1.StrategyRollingUpdate, says(`{"type":"string","maxLength":7}`)), old: broken, want: wants{
			errors: []string{"spec.schema.input", "spec.schema.input"}, breaking: true}},
		"with an override": {h: broken, old: before, allowed: "v2/7e36", want: wants{warnings: []string{"v2 breaks callers of v1: allowed by"}, breaking: true}},
		"its first weight": {h: declaring("v2", v1.StrategyManual, says(shorter), func(s *v1.GatiHandlerSpec) {
			w := int32(10)
			s.Timescape = &v1.Timescape{RoutingWeight: &w}
		}), old: before, want: wants{errors: []string{"spec.timescape.routingWeight"}, warnings: []string{"v2 breaks"}, breaking: true}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			h := tc.h.DeepCopy()
			if tc.allowed != "" {
				h.Annotations = map[string]string{v1.AnnotationAllowBreaking: tc.allowed}
			}
			around := admit.Surroundings{Facts: known, Judge: &compat.Judge{}, Records: append(tc.records, first())}
			tc.want.hold(t, admit.Check(h, asObject(tc.old), around))
		})
	}
}

func TestCompareRecord(t *testing.T) {
	share := func(n int32) func(*v1.GatiVersionSpec) {
		return func(s *v1.GatiVersionSpec) { s.Traffic = &n }
	}
	denies := func(s *v1.GatiVersionSpec) { no := false; s.Breaking = &no }
	manual := declaring("v2", v1.StrategyManual, says(shorter))
	tests := map[string]struct {
		record, old *v1.GatiVersion
		// counts is another record, which has been the elected one so far.
		counts *v1.GatiVersion
		h      *v1.GatiHandler
		want   wants
	}{
		"no handler yet":          {record: second(share(10))},
		"another handler's":       {record: builders.MakeVersion("orders-v2").Handler("orders").Version("v2").Traffic(10).Obj(), h: manual},
		"no weight asked for":     {record: second(), h: manual, want: wants{warnings: []string{"v2 breaks callers of v1: it gets no weight"}, breaking: true}},
		"a weight asked for":      {record: second(share(10)), h: manual, want: wants{errors: []string{"spec.traffic"}, breaking: true}},
		"it was asked for before": {record: second(share(10)), old: second(share(10)), h: manual, want: wants{warnings: []string{"v2 breaks"}, breaking: true}},
		"covered both ways":       {record: second(share(10), both), h: manual, want: wants{breaking: true}},
		"the author denies it":    {record: second(denies), h: manual, want: wants{errors: []string{"spec.breaking"}, warnings: []string{"v2 breaks"}, breaking: true}},
		"another schema":          {record: second(func(s *v1.GatiVersionSpec) { s.Schema = takes(texts) }), h: manual, want: wants{errors: []string{"spec.schema.input"}}},
		"nothing that breaks":     {record: second(share(10)), h: declaring("v2", v1.StrategyManual, says(texts))},
		"not declared yet":        {record: second(both), h: declaring("v1", v1.StrategyManual, says(texts))},
		"not declared, and a gap": {record: builders.MakeVersion("users-v3").Handler("users").Version("v3").Spec(func(s *v1.GatiVersionSpec) {
			s.Transformers = []v1.Transformer{{From: "v1", To: "v3", Request: "up"}}
		}).Obj(), h: declaring("v2", v1.StrategyManual, says(texts)), want: wants{warnings: []string{"spec.transformers[0]: the transformer from v1 to v3 skips v2"}}},
		"to a version of nothing": {record: second(func(s *v1.GatiVersionSpec) { s.Transformers = []v1.Transformer{{From: "v2", To: "v9", Request: "up"}} }), h: declaring("v1", v1.StrategyManual, says(texts)), want: wants{warnings: []string{"spec.transformers[0]: the transformer from v2 to v9 names v9"}}},
		"what covered it is gone": {record: second(), counts: second(both), h: declaring("v2", v1.StrategyRollingUpdate, says(shorter)), want: wants{errors: []string{"spec.schema.input"}, breaking: true}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			around := admit.Surroundings{Facts: known, Judge: &compat.Judge{}, Handler: tc.h, Records: []v1.GatiVersion{first()}}
			if tc.old != nil {
				around.Records = append(around.Records, *tc.old)
			}
			if tc.counts != nil {
				around.Records = append(around.Records, *tc.counts)
			}
			tc.want.hold(t, admit.Check(tc.record, asObject(tc.old), around))
		})
	}
}

// A schema that is stored with a revision outlives its record.
func TestCompareWithWhatWasFrozen(t *testing.T) {
	h := declaring("v2", v1.StrategyRollingUpdate, says(shorter))
	around := admit.Surroundings{Facts: known, Judge: &compat.Judge{}, Revisions: []expand.Revision{{Version: "v1", Schema: takes(texts)}}}
	wants{errors: []string{"spec.schema.input"}, breaking: true}.hold(t, admit.Check(h, declaring("v1", v1.StrategyRollingUpdate), around))
}
