package port

import (
	"fmt"
	"strings"
	"testing"
)

// TestArrivals plays what connections send and names those that are dropped. A step is
// "peer/connection" with a verb: opens, settles, rests, closes, or takes as many
// connectionCosts as follow.
func TestArrivals(t *testing.T) {
	tests := map[string]struct {
		room, share int64 // in connectionCosts
		steps       string
		dropped     string
	}{
		"there is room":                          {4, 3, "a/1 opens, a/2 opens, a/3 opens, b/1 opens", ""},
		"a peer has its share":                   {9, 2, "a/1 opens, a/2 opens, a/3 opens", "a/1"},
		"the heaviest peer makes room":           {3, 3, "a/1 opens, a/2 opens, b/1 opens, b/2 opens", "a/1"},
		"however small the others are":           {4, 4, "a/1 opens, a/1 takes 2, b/1 opens, c/1 opens", "a/1"},
		"a body counts as it arrives":            {9, 4, "a/1 opens, a/2 opens, a/2 takes 2, a/2 takes 1", "a/1"},
		"a body larger than the share":           {9, 4, "a/1 opens, a/1 takes 4", "a/1"},
		"the longest waiting goes, not the last": {9, 3, "a/1 opens, a/2 opens, a/1 settles, a/1 rests, a/3 opens, a/4 opens", "a/2"},
		"work in progress is never dropped":      {2, 2, "a/1 opens, a/1 takes 1, a/1 settles, a/2 opens, a/3 opens, a/4 opens", "a/2"},
		"a closed one leaves its room":           {2, 2, "a/1 opens, a/2 opens, a/1 closes, a/3 opens", ""},
		"a dropped one takes nothing":            {2, 2, "a/1 opens, a/2 opens, a/3 opens, a/1 takes 9, a/1 rests, a/1 closes", "a/1"},
		"many are dropped for one":               {4, 4, "a/1 opens, a/2 opens, b/1 opens, b/1 takes 1, a/3 opens, a/3 takes 1", "a/1 a/2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := newArrivals(tc.room*connectionCost, tc.share*connectionCost, arrivalTime)
			dropped, open := play(a, tc.steps)
			if got := strings.Join(dropped, " "); got != tc.dropped {
				t.Errorf("dropped %q, want %q", got, tc.dropped)
			}
			checkSums(t, a)
			for _, x := range open {
				x.close()
			}
			if a.held != 0 || len(a.peers) != 0 {
				t.Errorf("with all closed, %d bytes of %d peers are held", a.held, len(a.peers))
			}
		})
	}
}

func play(a *arrivals, steps string) (dropped []string, open map[string]*arrival) {
	open = map[string]*arrival{}
	for step := range strings.SplitSeq(steps, ", ") {
		var who, verb string
		var n int64
		_, _ = fmt.Sscan(step, &who, &verb, &n) // Only takes has a number.
		from, _, _ := strings.Cut(who, "/")
		switch verb {
		case "opens":
			open[who] = a.open(from, func() { dropped = append(dropped, who) })
		case "takes":
			open[who].take(n * connectionCost)
		case "settles":
			open[who].settle()
		case "rests":
			open[who].await()
		case "closes":
			open[who].close()
		}
	}
	return dropped, open
}

func checkSums(t *testing.T, a *arrivals) {
	t.Helper()
	var all int64
	for name, p := range a.peers {
		var sum int64
		for x := range p.arrivals {
			sum += x.held
		}
		if sum != p.held || sum > a.share {
			t.Errorf("peer %s holds %d, its connections %d, its share is %d", name, p.held, sum, a.share)
		}
		all += sum
	}
	if all != a.held || all > a.room {
		t.Errorf("all hold %d, the sum is %d, the room %d", a.held, all, a.room)
	}
}

// TestAnAPIServerHasRoom holds that one address may have as many calls under way as an API
// server makes at once, 600 by default, each with a review of 64 KiB.
func TestAnAPIServerHasRoom(t *testing.T) {
	a := newArrivals(arrivalRoom, peerShare, arrivalTime)
	for range 600 {
		a.open("server", func() { t.Error("a connection of the API server was dropped") }).take(64 * kib)
	}
}

// TestAFloodLeavesRoomForOthers holds that a thousand attackers on ten addresses drop
// only their own connections.
func TestAFloodLeavesRoomForOthers(t *testing.T) {
	a := newArrivals(arrivalRoom, peerShare, arrivalTime)
	lost := map[string]int{}
	open := func(from string) *arrival { return a.open(from, func() { lost[from]++ }) }
	var server []*arrival
	for range 25 {
		server = append(server, open("server"))
	}
	for i := range 10_000 {
		open(fmt.Sprint("attacker-", i%10)).take(128 * kib)
		if i%100 == 0 {
			server[i/100%25].take(mib) // a body of a review
			server[i/100%25].settle()
			server[i/100%25].await()
		}
	}
	if lost["server"] > 0 || len(lost) != 10 {
		t.Errorf("dropped %v, want none of the server and some of each attacker", lost)
	}
	if a.held > arrivalRoom {
		t.Errorf("%d bytes are held, the room is %d", a.held, arrivalRoom)
	}
}
