package records_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/records"
)

func TestInUse(t *testing.T) {
	runs := func(phase v1.VersionPhase, weight int32) *v1.GatiHandler {
		return builders.MakeHandler("users").Status(func(s *v1.GatiHandlerStatus) {
			s.Versions = []v1.VersionStatus{{Version: "v1", Record: "users-v1", Phase: phase, Weight: weight}}
		}).Obj()
	}
	going := runs(v1.VersionActive, 100)
	going.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	bound := func(name string) *v1.GatiVersion { return builders.MakeVersion(name).Bound("users", "v1").Obj() }
	automatic := bound("users-auto")
	automatic.Labels[v1.LabelAutomatic] = "true"
	tests := map[string]struct {
		record  *v1.GatiVersion
		handler *v1.GatiHandler
		others  []v1.GatiVersion
		want    string
	}{
		"active": {bound("users-v1"), runs(v1.VersionActive, 40), nil,
			"it is the record of v1, which GatiHandler users runs with 40 % of the traffic, and would be written again without its tags, schema and transformers; roll another version out first"},
		"draining": {bound("users-v1"), runs(v1.VersionDraining, 0), nil,
			"it is the record of v1, which GatiHandler users runs with 0 % of the traffic, and would be written again without its tags, schema and transformers; set spec.active to false, and delete the record once its phase is Decommissioned"},
		"over":                       {bound("users-v1"), runs(v1.VersionDecommissioned, 0), nil, ""},
		"the handler goes too":       {bound("users-v1"), going, nil, ""},
		"the handler is gone":        {bound("users-v1"), nil, nil, ""},
		"not bound":                  {builders.MakeVersion("users-v1").Obj(), runs(v1.VersionActive, 100), nil, ""},
		"not the one that counts":    {bound("users-v1-again"), runs(v1.VersionActive, 100), nil, ""},
		"another takes its place":    {bound("users-v1"), runs(v1.VersionActive, 100), []v1.GatiVersion{*bound("users-v1"), *bound("mine")}, ""},
		"an automatic one would not": {bound("users-v1"), runs(v1.VersionDraining, 0), []v1.GatiVersion{*automatic}, "it is the record of v1, which GatiHandler users runs with 0 % of the traffic, and would be written again without its tags, schema and transformers; set spec.active to false, and delete the record once its phase is Decommissioned"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := records.InUse(tc.record, tc.handler, tc.others); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}
