package records_test

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/records"
)

func TestTagTaken(t *testing.T) {
	others := []v1.GatiVersion{
		*user("users-v1", 1).Handler("users").Version("v1").Tags("blue").Obj(),
		*user("orders-v1", 1).Handler("orders").Version("v1").Tags("green").Obj(),
	}
	const taken = "leads to version v1 by GatiVersion users-v1 already; remove it there first"
	tests := map[string]struct {
		record *v1.GatiVersion
		tag    v1.Tag
		want   string
	}{
		"of another version":           {user("users-v2", 2).Handler("users").Version("v2").Obj(), "blue", taken},
		"of no other version":          {user("users-v2", 2).Handler("users").Version("v2").Obj(), "red", ""},
		"of another handler":           {user("users-v2", 2).Handler("users").Version("v2").Obj(), "green", ""},
		"of the same version":          {user("mine", 2).Handler("users").Version("v1").Obj(), "blue", ""},
		"of the version declared then": {user("mine", 2).Handler("users").Obj(), "blue", ""},
		"its own":                      {user("users-v1", 1).Handler("users").Version("v1").Obj(), "blue", ""},
		"of no handler, not bound yet": {user("x", 2).Version("v2").Obj(), "blue", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := records.TagTaken(tc.record, tc.tag, others); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
	if older := records.Older(&others[0], []v1.GatiVersion{*user("a", 0).Obj(), *user("z", 1).Obj(), *user("new", 2).Obj()}); len(older) != 1 || older[0].Name != "a" {
		t.Errorf("older are %v, want a alone", older)
	}
}
