package guard

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
)

// TestWaiting plays what connections send and names those that are dropped. A step is
// "peer/connection" with a verb: opens, begins, waits, closes, or sends as many
// connectionCosts as follow.
func TestWaiting(t *testing.T) {
	tests := map[string]struct {
		room    int64 // in connectionCosts
		steps   string
		dropped string
	}{
		"there is room":                          {4, "a/1 opens, a/2 opens, a/3 opens, b/1 opens", ""},
		"the heaviest peer makes room":           {3, "a/1 opens, a/2 opens, b/1 opens, b/2 opens", "a/1"},
		"however small the others are":           {4, "a/1 opens, a/1 sends 2, b/1 opens, c/1 opens", "a/1"},
		"a body counts as it arrives":            {4, "a/1 opens, a/2 opens, a/2 sends 2, a/2 sends 1", "a/1"},
		"a body larger than the room":            {4, "a/1 opens, a/1 sends 4", "a/1"},
		"the longest waiting goes, not the last": {3, "a/1 opens, a/2 opens, a/1 begins, a/1 waits, a/3 opens, a/4 opens", "a/2"},
		"work in progress is never dropped":      {2, "a/1 opens, a/1 sends 1, a/1 begins, a/2 opens, a/3 opens, a/4 opens", "a/2"},
		"what work reads is not counted":         {2, "a/1 opens, a/1 begins, a/1 sends 9, b/1 opens", ""},
		"a closed one leaves its room":           {2, "a/1 opens, a/2 opens, a/1 closes, a/3 opens", ""},
		"a dropped one takes nothing":            {2, "a/1 opens, a/2 opens, a/3 opens, a/1 sends 9, a/1 waits, a/1 closes", "a/1"},
		"many are dropped for one":               {4, "a/1 opens, a/2 opens, b/1 opens, b/1 sends 1, a/3 opens, a/3 sends 1", "a/1 a/2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWaiting(nil, tc.room*connectionCost)
			dropped, open := play(t, w, tc.steps)
			if got := strings.Join(dropped(), " "); got != tc.dropped {
				t.Errorf("dropped %q, want %q", got, tc.dropped)
			}
			checkSums(t, w)
			for _, c := range open {
				_ = c.Close()
			}
			if w.held != 0 || len(w.peers) != 0 || w.order.Len() != 0 {
				t.Errorf("with all closed, %d bytes of %d peers are held", w.held, len(w.peers))
			}
		})
	}
}

// wire is a connection that sends whatever is read of it.
type wire struct {
	net.Conn
	closed bool
}

func (w *wire) Read(p []byte) (int, error) { return len(p), nil }

func (w *wire) Close() error {
	w.closed = true
	return nil
}

// open opens a connection of a peer.
func open(w *waiting, from string) *conn {
	c := &conn{Conn: &wire{}, in: w, from: from}
	c.waitInLine()
	return c
}

func (c *conn) isDropped() bool { return c.Conn.(*wire).closed }

func play(t *testing.T, w *waiting, steps string) (dropped func() []string, all map[string]*conn) {
	t.Helper()
	all = map[string]*conn{}
	closed := map[string]bool{}
	for step := range strings.SplitSeq(steps, ", ") {
		var who, verb string
		var n int64
		_, _ = fmt.Sscan(step, &who, &verb, &n) // Only sends has a number.
		from, _, _ := strings.Cut(who, "/")
		switch verb {
		case "opens":
			all[who] = open(w, from)
		case "sends":
			if _, err := all[who].Read(make([]byte, n*connectionCost)); err != nil {
				t.Fatal(err)
			}
		case "begins":
			all[who].beginWork()
		case "waits":
			all[who].waitInLine()
		case "closes":
			closed[who] = !all[who].isDropped()
			_ = all[who].Close()
		}
	}
	return func() (out []string) {
		for _, who := range slices.Sorted(maps.Keys(all)) {
			if all[who].isDropped() && !closed[who] {
				out = append(out, who)
			}
		}
		return out
	}, all
}

func checkSums(t *testing.T, w *waiting) {
	t.Helper()
	var all int64
	peers := map[string]int64{}
	for e := w.order.Front(); e != nil; e = e.Next() {
		c := e.Value.(*conn)
		all += c.held
		peers[c.from] += c.held
	}
	if all != w.held || all > w.room || !maps.Equal(peers, w.peers) {
		t.Errorf("all hold %d, the sum is %d, the room %d; peers %v, want %v", w.held, all, w.room, w.peers, peers)
	}
}

// TestAnAPIServerHasRoom holds that one address may have as many calls under way as an API
// server makes at once, 600 by default, each with a review of 64 KiB.
func TestAnAPIServerHasRoom(t *testing.T) {
	w := newWaiting(nil, 64<<20) // as cmd/gati-webhook
	var all []*conn
	for range 600 {
		c := open(w, "server")
		_, _ = c.Read(make([]byte, 64<<10))
		all = append(all, c)
	}
	for _, c := range all {
		if c.isDropped() {
			t.Fatal("a connection of the API server was dropped")
		}
	}
}

// TestAFloodLeavesRoomForOthers holds that a thousand attackers on ten addresses drop
// only their own connections.
func TestAFloodLeavesRoomForOthers(t *testing.T) {
	const room = 64 << 20
	w := newWaiting(nil, room)
	var server []*conn
	for range 25 {
		server = append(server, open(w, "server"))
	}
	for i := range 10_000 {
		_, _ = open(w, fmt.Sprint("attacker-", i%10)).Read(make([]byte, 128<<10))
		if i%100 == 0 {
			of := server[i/100%25]
			_, _ = of.Read(make([]byte, 1<<20)) // a body of a review
			of.beginWork()
			of.waitInLine()
		}
	}
	for _, c := range server {
		if c.isDropped() {
			t.Fatal("a connection of the API server was dropped")
		}
	}
	if w.held > room {
		t.Errorf("%d bytes are held, the room is %d", w.held, room)
	}
}
