package port

import (
	"sync"
	"time"
)

// arrivals bounds the memory of requests that have not arrived whole. When room is
// short, the peer that holds the most loses the connection that waits longest.
type arrivals struct {
	// room bounds all peers, and share each of them.
	room, share int64
	// patience is how long a body may take to arrive.
	patience time.Duration

	mu    sync.Mutex
	held  int64
	peers map[string]*peer
	turns uint64
}

// peer is one address that requests come from.
type peer struct {
	held     int64
	arrivals map[*arrival]struct{}
}

// arrival is a connection. It holds room from when it is opened, or waits for its next
// request, until the work on a request begins.
type arrival struct {
	in   *arrivals
	from string
	drop func()
	// The rest is guarded by in.mu.
	held    int64
	turn    uint64 // the lowest has waited longest
	dropped bool
}

func newArrivals(room, share int64, patience time.Duration) *arrivals {
	return &arrivals{room: room, share: share, patience: patience, peers: map[string]*peer{}}
}

// open returns the arrival of a new connection. drop closes the connection.
func (a *arrivals) open(from string, drop func()) *arrival {
	x := &arrival{in: a, from: from, drop: drop}
	x.await()
	return x
}

// await makes a connection hold what an idle one costs, and puts it last in line.
func (x *arrival) await() {
	x.hold(func() int64 {
		x.in.turns++
		x.turn = x.in.turns
		return connectionCost
	})
}

// take holds more room. Connections may be dropped for it, this one among them.
func (x *arrival) take(n int64) { x.hold(func() int64 { return x.held + n }) }

// settle gives the room back: from now on the work on the request is counted.
func (x *arrival) settle() { x.hold(func() int64 { return 0 }) }

// close ends the arrival of a connection that is closed.
func (x *arrival) close() {
	x.in.mu.Lock()
	defer x.in.mu.Unlock()
	x.in.remove(x)
}

// hold sets what a connection holds, and drops connections until all have room.
func (x *arrival) hold(amount func() int64) {
	for _, victim := range x.in.update(x, amount) {
		victim.drop()
	}
}

// update returns the connections to drop.
func (a *arrivals) update(x *arrival, amount func() int64) []*arrival {
	a.mu.Lock()
	defer a.mu.Unlock()
	if x.dropped {
		return nil
	}
	p := a.peers[x.from]
	if p == nil {
		p = &peer{arrivals: map[*arrival]struct{}{}}
		a.peers[x.from] = p
	}
	p.arrivals[x] = struct{}{}
	more := amount() - x.held
	x.held += more
	p.held += more
	a.held += more
	return a.makeRoom(p)
}

// makeRoom removes connections until a peer is within its share and all are within the
// room.
func (a *arrivals) makeRoom(p *peer) []*arrival {
	var victims []*arrival
	for p.held > a.share || a.held > a.room {
		from := p
		if p.held <= a.share {
			from = a.heaviest()
		}
		v := from.longestWaiting()
		a.remove(v)
		victims = append(victims, v)
	}
	return victims
}

// heaviest returns the peer that holds the most; of several, the one whose connection
// waits longest.
func (a *arrivals) heaviest() *peer {
	var out *peer
	for _, p := range a.peers {
		switch {
		case out == nil || p.held > out.held:
			out = p
		case p.held == out.held && p.held > 0 && p.longestWaiting().turn < out.longestWaiting().turn:
			out = p
		}
	}
	return out
}

// longestWaiting returns the connection to drop. One whose request is in work holds
// nothing and is not among them.
func (p *peer) longestWaiting() *arrival {
	var out *arrival
	for x := range p.arrivals {
		if x.held > 0 && (out == nil || x.turn < out.turn) {
			out = x
		}
	}
	return out
}

// remove takes a connection out; later calls for it do nothing.
func (a *arrivals) remove(x *arrival) {
	if x.dropped {
		return
	}
	x.dropped = true
	p := a.peers[x.from]
	p.held -= x.held
	a.held -= x.held
	x.held = 0
	if delete(p.arrivals, x); len(p.arrivals) == 0 {
		delete(a.peers, x.from)
	}
}
