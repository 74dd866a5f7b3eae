package rollout_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

// change is the outcome of a change of a record's guarded field.
type change struct {
	// of is the version whose record is changed, verb the right that it takes.
	of, verb, patch string
	// refused is why it is refused to every user; empty if it is not.
	refused string
	// then is the handler's resulting state, pins the versions and tags that its route
	// leads to by their header.
	then, pins string
}

const servesStill = "is the record of the stable version of users0; promote another version first"

// TestRecordsAnswers is the table of what comes of the guarded fields of a record
// under each strategy, changed by one who may and by one who may not. Each change
// follows upon the one before. The short form has one strategy of three, "make soak
// NAME=recordsAnswers" all.
func TestRecordsAnswers(t *testing.T) {
	t.Parallel()
	const canary, manual = "v1 90 v2 0 v3 10 Progressing", "v1 100 v2 0 v3 0 Stable"
	chosen := soak.Share(t, "recordsAnswers", 3)
	for _, tc := range []struct {
		strategy string
		scene    scene
		changes  []change
	}{
		{"RollingUpdate", rollingScene, []change{
			{of: "v1", verb: "traffic", patch: `{"traffic":50}`},
			{of: "v1", verb: "tag", patch: `{"tags":["blue"]}`},
			{of: "v1", verb: "keep", patch: `{"keep":true}`},
			{of: "v1", verb: "activate", patch: `{"active":false}`, refused: servesStill},
		}},
		{"Canary", canaryScene, []change{
			{of: "v2", verb: "traffic", patch: `{"traffic":50}`, then: canary, pins: "v1, v2, v3"},
			{of: "v2", verb: "tag", patch: `{"tags":["blue"]}`, then: canary, pins: "v1, v2 blue, v3"},
			{of: "v2", verb: "keep", patch: `{"keep":true}`, then: canary, pins: "v1, v2 blue, v3"},
			{of: "v2", verb: "activate", patch: `{"active":false}`, then: canary, pins: "v1, v3"},
			{of: "v1", verb: "activate", patch: `{"active":false}`, refused: servesStill, then: canary, pins: "v1, v3"},
		}},
		{"Manual", manualScene, []change{
			{of: "v2", verb: "tag", patch: `{"tags":["blue"]}`, then: manual, pins: "v1, v2 blue, v3"},
			{of: "v1", verb: "activate", patch: `{"active":false}`, refused: servesStill, then: manual, pins: "v1, v2 blue, v3"},
			{of: "v2", verb: "traffic", patch: `{"traffic":50}`, then: "v1 50 v2 50 v3 0 Stable", pins: "v1, v2 blue, v3"},
			{of: "v3", verb: "traffic", patch: `{"traffic":50}`, then: "v1 0 v2 50 v3 50 Stable", pins: "v1, v2 blue, v3"},
			{of: "v1", verb: "keep", patch: `{"keep":true}`, then: "v1 0 v2 50 v3 50 Stable", pins: "v1, v2 blue, v3"},
			{of: "v3", verb: "activate", patch: `{"active":false}`, then: "v1 0 v2 100 v3 0 Stable", pins: "v1, v2 blue"},
		}},
	} {
		if !chosen() {
			continue
		}
		t.Run(tc.strategy, func(t *testing.T) {
			t.Parallel()
			s := stageHandlers(newWorld(t), tc.scene, 1)
			for _, c := range tc.changes {
				s.assertRecordChange(c)
			}
		})
	}
}

// assertRecordChange has a record changed by a user who may not, and then by a user who may.
func (s *staged) assertRecordChange(c change) {
	s.t.Helper()
	name := "users0-" + c.of
	// The status has a version before its record is created.
	await.Eventually(s.t, "record "+name, func() error {
		return admin.Get(s.t.Context(), client.ObjectKey{Namespace: s.ns, Name: name}, &v1.GatiVersion{})
	})
	if err := s.patchRecord(mayNot, name, c.patch); err == nil || !strings.Contains(err.Error(), "may-not may not change it on record "+name+"; this needs the verb "+c.verb+" on gativersions.gati.dev") {
		s.t.Errorf("%s of %s: one who may not is told %v", c.patch, c.of, err)
	}
	switch err := s.patchRecord(may, name, c.patch); {
	case c.refused == "" && err != nil:
		s.t.Errorf("%s of %s: %v", c.patch, c.of, err)
	case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
		s.t.Errorf("%s of %s: one who may is told %v, want %q", c.patch, c.of, err, c.refused)
	}
	if c.then == "" {
		c.then = s.scene.at
	}
	s.awaitEffect("users0", c.then)
	if c.pins != "" {
		s.awaitPins("users0", c.pins)
	}
}

func (s *staged) patchRecord(who, name, spec string) error {
	s.t.Helper()
	record := &v1.GatiVersion{}
	record.Namespace, record.Name = s.ns, name
	return clientOf(s.t, who).Patch(s.t.Context(), record, client.RawPatch(types.MergePatchType, []byte(`{"spec":`+spec+`}`)))
}

// awaitPins waits until the route of a handler leads to these versions by their header.
func (w *world) awaitPins(name, want string) {
	w.t.Helper()
	w.eventually(fmt.Sprintf("a route with the pins %q", want), func() error {
		route := &gatewayv1.HTTPRoute{}
		if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-" + name}, route); err != nil {
			return err
		}
		if got := pinsOf(route); got != want {
			return errors.New(got)
		}
		return nil
	})
}

// pinsOf are the values of the header in each rule that has one. A path with and without a
// slash at its end has the same ones.
func pinsOf(route *gatewayv1.HTTPRoute) string {
	var out []string
	for _, rule := range route.Spec.Rules {
		var values []string
		for _, m := range rule.Matches {
			for _, h := range m.Headers {
				if !slices.Contains(values, h.Value) {
					values = append(values, h.Value)
				}
			}
		}
		if len(values) > 0 {
			out = append(out, strings.Join(values, " "))
		}
	}
	return strings.Join(out, ", ")
}
