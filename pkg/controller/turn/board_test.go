package turn_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/turn"
	"gati.dev/gati/pkg/rollout"
)

var start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// at is a second after the start.
func at(second int) time.Time { return start.Add(time.Duration(second) * time.Second) }

func stable(name string) *v1.GatiHandler {
	return &v1.GatiHandler{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-of-" + name)},
		Status:     v1.GatiHandlerStatus{Rollout: &v1.RolloutStatus{Phase: v1.RolloutStable}},
	}
}

func underWay(name string) *v1.GatiHandler {
	h := stable(name)
	h.Status.Rollout.Phase = v1.RolloutProgressing
	return h
}

func waiting(name string, second int) *v1.GatiHandler {
	h := stable(name)
	since := metav1.NewTime(at(second))
	h.Status.Rollout.WaitingFor, h.Status.Rollout.QueuedAt = &v1.WaitingStatus{Reason: v1.WaitingForTurn}, &since
	return h
}

func in(namespace string, h *v1.GatiHandler) *v1.GatiHandler {
	h.Namespace = namespace
	return h
}

func changed(h *v1.GatiHandler, change func(*v1.GatiHandler)) *v1.GatiHandler {
	change(h)
	return h
}

func filled(limits turn.Limits, handlers ...*v1.GatiHandler) *turn.Board {
	b := turn.New(limits)
	for _, h := range handlers {
		b.Observe(h)
	}
	return b
}

// TestLook holds the bounds that a handler sees.
func TestLook(t *testing.T) {
	five := turn.Limits{Namespace: 5}
	paused := func(h *v1.GatiHandler) { h.Status.Health = v1.Paused }
	tests := map[string]struct {
		limits turn.Limits
		others []*v1.GatiHandler
		of     *v1.GatiHandler
		want   []rollout.Bound
	}{
		"no other handler": {five, nil, stable("a"), []rollout.Bound{{Scope: "namespace shop", Limit: 5}}},
		"others of the namespace alone": {
			five, []*v1.GatiHandler{underWay("b"), stable("c"), in("bank", underWay("d")), in("bank", waiting("e", 0))}, stable("a"),
			[]rollout.Bound{{Scope: "namespace shop", Limit: 5, Taken: 1}},
		},
		"behind those who have waited longer": {
			five, []*v1.GatiHandler{waiting("x", 1), waiting("y", 2), waiting("z", 3)}, waiting("y", 2),
			[]rollout.Bound{{Scope: "namespace shop", Limit: 5, Before: 1}},
		},
		"a new one is behind all": {
			five, []*v1.GatiHandler{waiting("x", 1), waiting("y", 2)}, stable("a"), []rollout.Bound{{Scope: "namespace shop", Limit: 5, Before: 2}},
		},
		"by name where they have waited equally long": {
			five, []*v1.GatiHandler{waiting("x", 1), waiting("y", 1)}, waiting("y", 1), []rollout.Bound{{Scope: "namespace shop", Limit: 5, Before: 1}},
		},
		"one with a place is bounded by nothing": {five, []*v1.GatiHandler{underWay("a"), underWay("b")}, underWay("a"), nil},
		"invalid and deleted handlers take no place from others": {
			five, []*v1.GatiHandler{
				changed(waiting("x", 1), func(h *v1.GatiHandler) { h.Status.Health = v1.Invalid }),
				changed(underWay("y"), func(h *v1.GatiHandler) { h.DeletionTimestamp = &metav1.Time{Time: start} }),
			}, stable("a"), []rollout.Bound{{Scope: "namespace shop", Limit: 5}},
		},
		"paused ones are named": {
			five, []*v1.GatiHandler{changed(underWay("c"), paused), changed(underWay("b"), paused), underWay("d")}, stable("a"),
			[]rollout.Bound{{Scope: "namespace shop", Limit: 5, Taken: 3, Blocked: 2, FirstBlocked: "b"}},
		},
		"the cluster counts every namespace": {
			turn.Limits{Cluster: 3}, []*v1.GatiHandler{changed(in("bank", underWay("b")), paused), waiting("c", 1), in("bank", waiting("d", 2))}, stable("a"),
			[]rollout.Bound{{Scope: "the cluster", Limit: 3, Taken: 1, Before: 2, Blocked: 1, FirstBlocked: "bank/b"}},
		},
		// A namespace that is full must not keep the places of the cluster from others.
		"who waits for its namespace does not wait for the cluster": {
			turn.Limits{Namespace: 1, Cluster: 3}, []*v1.GatiHandler{in("bank", underWay("b")), in("bank", waiting("c", 1)), in("bank", waiting("d", 1))}, stable("a"),
			[]rollout.Bound{{Scope: "namespace shop", Limit: 1}, {Scope: "the cluster", Limit: 3, Taken: 1}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := filled(tc.limits, tc.others...).Look(tc.of, at(60))
			if diff := cmp.Diff(tc.want, got.Bounds); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCalled holds who is woken by which change.
func TestCalled(t *testing.T) {
	names := func(keys []types.NamespacedName) (out []string) {
		for _, key := range keys {
			out = append(out, key.Namespace+"/"+key.Name)
		}
		return out
	}
	b := filled(turn.Limits{Namespace: 2, Cluster: 3}, underWay("a"), underWay("b"), in("bank", underWay("c")),
		waiting("e", 2), waiting("d", 1), waiting("f", 3), in("bank", waiting("g", 4)))
	if got := names(b.Observe(underWay("a"))); got != nil {
		t.Errorf("what is known already wakes %q", got)
	}
	if got := names(b.Observe(stable("a"))); !slices.Equal(got, []string{"shop/d"}) {
		t.Errorf("a place becomes free and wakes %q, not the one that has waited longest", got)
	}
	if refused := b.Take(waiting("d", 1), at(9)); refused != nil {
		t.Fatalf("%+v", refused)
	}
	if got := names(b.Forget(types.NamespacedName{Namespace: "shop", Name: "b"})); !slices.Equal(got, []string{"shop/e"}) {
		t.Errorf("a deletion wakes %q", got)
	}
	if got := b.Forget(types.NamespacedName{Namespace: "shop", Name: "b"}); got != nil {
		t.Errorf("what was not known wakes %q", names(got))
	}
}

// TestTake holds that two who have seen the same free place do not both get it, and that a
// place is not lost while the cache does not show the rollout yet.
func TestTake(t *testing.T) {
	b := filled(turn.Limits{Namespace: 1}, stable("a"), stable("b"))
	for _, name := range []string{"a", "b"} {
		if b.Look(stable(name), at(1)).Full() != nil {
			t.Fatalf("%s sees no free place", name)
		}
	}
	if refused := b.Take(stable("a"), at(1)); refused != nil {
		t.Fatalf("refused: %+v", refused)
	}
	if refused := b.Take(stable("b"), at(1)); refused == nil || refused.Full() == nil {
		t.Fatal("both got the one place")
	}
	if refused := b.Take(stable("a"), at(1)); refused != nil {
		t.Error("what it has is refused")
	}
	b.Observe(changed(stable("a"), func(h *v1.GatiHandler) { h.Status.Health = v1.Progressing })) // Not its own write yet.
	if b.Take(stable("b"), at(2)) == nil {
		t.Error("the place is lost before the status shows the rollout")
	}
	b.Observe(underWay("a"))
	b.Release(types.NamespacedName{Namespace: "shop", Name: "a"}) // A reconciler that failed.
	if b.Take(stable("b"), at(3)) == nil {
		t.Error("a rollout under way lost its place")
	}
	b.Observe(stable("a"))
	if refused := b.Take(stable("b"), at(4)); refused != nil {
		t.Errorf("refused after the end: %+v", refused)
	}
	b.Release(types.NamespacedName{Namespace: "shop", Name: "b"})
	if refused := b.Take(stable("a"), at(5)); refused != nil {
		t.Errorf("refused what was given back: %+v", refused)
	}
	again := changed(stable("a"), func(h *v1.GatiHandler) { h.UID = "another" })
	b.Observe(again)
	if refused := b.Take(stable("b"), at(6)); refused != nil {
		t.Errorf("another handler of the name has the place of the one before: %+v", refused)
	}
}

// TestNoBoard holds that nothing is bounded by default.
func TestNoBoard(t *testing.T) {
	b := turn.New(turn.Limits{All: true})
	b.Occupy(stable("a"))
	b.Release(types.NamespacedName{})
	if b != nil || b.Look(stable("a"), start) != nil || b.Take(stable("a"), start) != nil {
		t.Error("without a limit there is a bound")
	}
}

// fleet is many handlers that want a rollout at once: their statuses as they are stored, and
// events that a board has not seen yet.
type fleet struct {
	limits turn.Limits
	board  *turn.Board
	stored map[string]*v1.GatiHandler
	names  []string
	unseen []*v1.GatiHandler
	wanted map[string]bool
	begun  []string
	second int
	random *rand.Rand
}

// look does what a reconciler does: it decides by the board, takes a place and writes.
func (f *fleet) look(name string) error {
	h := f.stored[name].DeepCopy()
	before := h.Status.Rollout.Phase
	switch {
	case before == v1.RolloutProgressing:
		if f.random.Intn(3) == 0 {
			h.Status.Rollout.Phase = v1.RolloutStable
			f.wanted[name] = false
		}
	case !f.wanted[name]:
		f.board.Release(types.NamespacedName{Namespace: h.Namespace, Name: h.Name})
	case f.board.Look(h, at(f.second)).Full() == nil && f.board.Take(h, at(f.second)) == nil:
		h.Status.Rollout = &v1.RolloutStatus{Phase: v1.RolloutProgressing}
		f.begun = append(f.begun, name)
	case h.Status.Rollout.QueuedAt == nil:
		h.Status.Rollout = waiting("", f.second).Status.Rollout
	}
	f.stored[name] = h
	f.unseen = append(f.unseen, h)
	return f.check()
}

// check counts the stored rollouts under way.
func (f *fleet) check() error {
	count := map[string]int{}
	for _, h := range f.stored {
		if h.Status.Rollout.Phase == v1.RolloutProgressing {
			count[h.Namespace]++
			count["in all"]++
		}
	}
	for namespace, n := range count {
		limit := f.limits.Namespace
		if namespace == "in all" {
			limit = f.limits.Cluster
		}
		if limit > 0 && n > limit {
			return fmt.Errorf("%d rollouts under way in %s, %d are allowed", n, namespace, limit)
		}
	}
	return nil
}

// TestAFleetKeepsItsBound rolls out random fleets, with a cache that is behind and leaders
// that die: never more than allowed at once, all in the end, and none by luck alone.
func TestAFleetKeepsItsBound(t *testing.T) {
	for seed := range int64(300) {
		random := rand.New(rand.NewSource(seed))
		f := &fleet{
			limits: []turn.Limits{{Namespace: 3}, {Cluster: 4}, {Namespace: 2, Cluster: 3}, {Namespace: 3, Cluster: 2}}[seed%4],
			stored: map[string]*v1.GatiHandler{}, wanted: map[string]bool{}, random: random,
		}
		f.board = turn.New(f.limits)
		for i := range 30 {
			name := fmt.Sprintf("h%02d", i)
			f.names = append(f.names, name)
			f.stored[name], f.wanted[name] = in([]string{"shop", "bank", "toys"}[random.Intn(3)], stable(name)), true
			f.board.Observe(f.stored[name])
		}
		for f.second = 1; len(f.begun) < 30 && f.second < 20_000; f.second++ {
			if err := f.look(f.names[random.Intn(30)]); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for len(f.unseen) > 0 && random.Intn(3) > 0 {
				f.board.Observe(f.unseen[0])
				f.unseen = f.unseen[1:]
			}
			if random.Intn(200) == 0 { // Another leader reads what is stored.
				f.board, f.unseen = turn.New(f.limits), nil
				for _, h := range f.stored {
					f.board.Observe(h)
				}
			}
		}
		if len(f.begun) != 30 {
			t.Fatalf("seed %d: %d of 30 rollouts have begun: %v", seed, len(f.begun), f.begun)
		}
	}
}

// TestTheOldestBeginsFirst holds the order of a namespace's line.
func TestTheOldestBeginsFirst(t *testing.T) {
	b := filled(turn.Limits{Namespace: 1}, underWay("z"))
	var want []string
	line := map[string]*v1.GatiHandler{}
	for i := range 50 {
		name := fmt.Sprintf("h%02d", (i*37)%50)
		want, line[name] = append(want, name), waiting(name, i)
		b.Observe(line[name])
	}
	var got []string
	free := b.Observe(stable("z"))
	for len(free) == 1 {
		name := free[0].Name
		if b.Take(stable("newcomer"), at(1000)) == nil {
			t.Fatal("a newcomer begins before those who wait")
		}
		if refused := b.Take(line[name], at(1000)); refused != nil {
			t.Fatalf("%s is called and refused: %+v", name, refused)
		}
		got = append(got, name)
		b.Observe(underWay(name))
		free = b.Observe(stable(name))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAChangeCostsTheSameInAnyFleet bounds what one change of a handler costs the board: it
// must not grow with the handlers that wait.
func TestAChangeCostsTheSameInAnyFleet(t *testing.T) {
	allocations := func(n int) float64 {
		b := turn.New(turn.Limits{Namespace: 5, Cluster: 20})
		for i := range n {
			b.Observe(waiting(fmt.Sprintf("h%05d", i), i))
		}
		one, other := underWay("x"), stable("x")
		return testing.AllocsPerRun(100, func() {
			b.Observe(one)
			b.Observe(other)
			b.Look(other, at(n))
		})
	}
	if few, many := allocations(10), allocations(10_000); many > few+2 {
		t.Errorf("%.0f allocations with 10 that wait, %.0f with 10,000", few, many)
	}
}
