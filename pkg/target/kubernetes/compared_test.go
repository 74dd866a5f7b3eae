package kubernetes

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestCompared holds that an object counts as compared in one state, with one plan.
func TestCompared(t *testing.T) {
	object := func(uid types.UID, version string) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version}}
	}
	for name, tc := range map[string]struct {
		noted, asked *corev1.Service
		plan         string
		want         bool
	}{
		"nothing has changed":    {object("u", "1"), object("u", "1"), "plan", true},
		"the object has changed": {object("u", "1"), object("u", "2"), "plan", false},
		"the plan has changed":   {object("u", "1"), object("u", "1"), "another plan", false},
		"it was created again":   {object("u", "1"), object("v", "1"), "plan", false},
		"it was not stored":      {object("", ""), object("", ""), "plan", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCompared()
			c.noteAsPlanned(tc.noted, "plan")
			if got := c.isAsPlanned(tc.asked, tc.plan); got != tc.want {
				t.Errorf("it counts as planned: %v, want %v", got, tc.want)
			}
		})
	}
}
