package rollout_test

import (
	"fmt"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// twenty is a handler with 20 live versions, of which the first so many share the
// traffic. Every look of it is held to the promise that a route has room.
func twenty(t *testing.T, share int) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyManual)
	for n := 2; n <= 20; n++ {
		l.Declare(fmt.Sprintf("v%d", n), 1)
		pass(t, l, 12)
	}
	for n := 1; n <= share; n++ {
		ask(l, n, 5)
	}
	pass(t, l, 20)
	if got := sharing(l); got != share {
		t.Fatalf("%d versions share the traffic, want %d: %s", got, share, l.Last.Reason)
	}
	return l
}

func ask(l *rollouttest.Life, n int, traffic int32) {
	l.Records[fmt.Sprintf("v%d", n)] = rollout.Record{Traffic: &traffic}
}

func sharing(l *rollouttest.Life) int {
	n := 0
	for _, p := range l.Last.Workloads {
		if p.Weight > 0 {
			n++
		}
	}
	return n
}

// TestSeventeenSharesAreNamed holds that what a route has no room for changes no
// weight and is told, and that it ends when the records request less.
func TestSeventeenSharesAreNamed(t *testing.T) {
	l := twenty(t, rollout.MaxShares)
	ask(l, 17, 5)
	pass(t, l, 3)
	const want = "17 versions request traffic, an HTTPRoute divides it among 16 at most: v1 "
	if !l.Last.Stalled || !strings.HasPrefix(l.Last.Reason, want) || !strings.Contains(l.Last.Reason, "kubectl gati version set-traffic") {
		t.Errorf("stalled %v: %s", l.Last.Stalled, l.Last.Reason)
	}
	if p := planOf(l, "v17"); p == nil || p.Weight != 0 || !p.Pinned {
		t.Errorf("v17 is %+v, want no weight and a pin", p)
	}
	ask(l, 1, 0)
	pass(t, l, 20)
	if p := planOf(l, "v17"); p == nil || p.Weight == 0 || l.Last.Stalled || sharing(l) != rollout.MaxShares {
		t.Errorf("v17 is %+v, %d share: %s", p, sharing(l), l.Last.Reason)
	}
}

// TestARollbackFromAFullRoute holds that one more version finds room at once.
func TestARollbackFromAFullRoute(t *testing.T) {
	l := twenty(t, rollout.MaxShares)
	l.Ask(request.Rollback, "v18")
	pass(t, l, 20)
	if p := planOf(l, "v18"); p == nil || p.Weight != 100 {
		t.Errorf("v18 is %+v: %s", p, l.Last.Reason)
	}
}

// TestAllSharesChangeHands holds that there is room at every look on the way.
func TestAllSharesChangeHands(t *testing.T) {
	l := twenty(t, 10)
	for n := 1; n <= 10; n++ {
		ask(l, n, 0)
		ask(l, n+10, int32(n))
	}
	pass(t, l, 30)
	if p := planOf(l, "v20"); p == nil || p.Weight == 0 || sharing(l) != 10 {
		t.Errorf("v20 is %+v, %d share: %s", p, sharing(l), l.Last.Reason)
	}
}
