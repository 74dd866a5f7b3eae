package kubernetes

import (
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// maxCompared is how many objects are remembered. Those of which more change in a moment are
// compared again, which costs a fraction of a millisecond each.
const maxCompared = 10_000

// compared has the objects that were found to be as planned. Most turns of a handler come from
// a change of one of its children, and the others need not be compared again.
type compared struct{ last *lru.Cache }

// comparison is of one state of an object with one plan, which its hash stands for.
type comparison struct{ version, hash string }

func newCompared() *compared { return &compared{last: lru.New(maxCompared)} }

// noteAsPlanned remembers that an object is as planned.
func (c *compared) noteAsPlanned(live client.Object, hash string) {
	if live.GetUID() != "" && live.GetResourceVersion() != "" {
		c.last.Add(live.GetUID(), comparison{live.GetResourceVersion(), hash})
	}
}

// isAsPlanned reports whether an object was compared with this plan in the state that it is
// in, and was as planned.
func (c *compared) isAsPlanned(live client.Object, hash string) bool {
	last, known := c.last.Get(live.GetUID())
	return known && last.(comparison) == comparison{live.GetResourceVersion(), hash}
}
