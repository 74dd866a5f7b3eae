package targets

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// calm is how long nothing changes before children count as at rest.
const calm = 3 * time.Second

// reference has what is live under the first row after each act. The others wait until
// theirs is the same.
type reference struct{ acts map[string]chan objects }

// playRows plays the acts of a story under every row at once.
func playRows(t *testing.T, acts []act) {
	t.Helper()
	ref := reference{map[string]chan objects{}}
	for _, act := range acts {
		ref.acts[act.name] = make(chan objects, len(rows))
	}
	t.Run("story", func(t *testing.T) {
		for i, r := range rows {
			t.Run(r.name, func(t *testing.T) {
				t.Parallel()
				s := newStory(t, r)
				s.ref, s.isFirst = ref, i == 0
				if s.isFirst {
					defer ref.closeActs()
				}
				for _, act := range acts {
					act.play(s)
					s.endAct(act.name)
				}
			})
		}
	})
}

// closeActs ends the waits for acts that the first row has not come to.
func (r reference) closeActs() {
	for _, c := range r.acts {
		close(c)
	}
}

// endAct ends an act: the children come to rest, and are those of the first row.
func (s *story) endAct(act string) {
	s.t.Helper()
	c := s.ref.acts[act]
	if s.isFirst {
		seen := s.awaitRest()
		for range rows[1:] {
			c <- seen
		}
		return
	}
	want, ok := <-c
	if !ok {
		s.t.Fatalf("%s did not come to the end of %q", rows[0].name, act)
	}
	s.t.Logf("%s: %d objects under %s", act, len(want), rows[0].name)
	s.awaitChildren(want)
}

// awaitRest returns the children once nothing has changed them for some time. As long as the
// route goes through the front Service they are still to change: a version's own Service
// takes its place when the gateway has heard of that.
func (s *story) awaitRest() objects {
	s.t.Helper()
	var seen objects
	var since, looked time.Time
	s.eventually("children at rest", func() error {
		if time.Since(looked) < calm/3 {
			return errors.New("they were looked at a moment ago")
		}
		looked = time.Now()
		now := s.readChildren()
		if diff := cmp.Diff(seen, now); diff != "" || seen == nil {
			seen, since = now, looked
			return errors.New(diff)
		}
		if leadsTo(now, "handler-users") {
			return errors.New("the route goes through the front Service")
		}
		if time.Since(since) < calm {
			return errors.New("they have changed lately")
		}
		return nil
	})
	return seen
}

// leadsTo reports whether the route among children has a Service as a backend.
func leadsTo(children objects, service string) bool {
	route, _ := children["HTTPRoute handler-users"].(map[string]any)
	rules, _, _ := unstructured.NestedSlice(route, "spec", "rules")
	return slices.ContainsFunc(rules, func(rule any) bool {
		backends, _, _ := unstructured.NestedSlice(rule.(map[string]any), "backendRefs")
		return slices.ContainsFunc(backends, func(b any) bool { return b.(map[string]any)["name"] == service })
	})
}
