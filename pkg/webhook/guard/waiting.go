package guard

import (
	"container/list"
	"crypto/tls"
	"net"
	"sync"
)

// connectionCost is about the memory of an idle connection.
const connectionCost = 32 << 10

// waiting are the connections of a port whose request is incomplete. When their memory
// exceeds the room, the address that holds the most loses the connection that waits
// longest.
type waiting struct {
	net.Listener
	room int64

	mu    sync.Mutex
	held  int64
	peers map[string]int64 // what each address holds
	order list.List        // the connections, the longest waiting first
}

// conn is a connection of a port.
type conn struct {
	net.Conn
	in   *waiting
	from string
	// The rest is guarded by in.mu.
	held   int64
	at     *list.Element // nil while a request is in work, and when closed
	closed bool
}

func newWaiting(l net.Listener, room int64) *waiting {
	return &waiting{Listener: l, room: room, peers: map[string]int64{}}
}

// Accept implements net.Listener.
func (w *waiting) Accept() (net.Conn, error) {
	accepted, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, in: w, from: peerOf(accepted.RemoteAddr().String())}
	c.waitInLine()
	return c, nil
}

// Read counts what arrives. Connections may be closed for it, this one among them.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.changeHeld(func() {
		if c.at != nil {
			c.setHeld(c.held + int64(n))
		}
	})
	return n, err
}

// waitInLine puts a connection last in line, for its next request.
func (c *conn) waitInLine() {
	c.changeHeld(func() {
		c.setHeld(0)
		c.setHeld(connectionCost)
	})
}

// beginWork gives the room back: from now on the work on the request is counted.
func (c *conn) beginWork() { c.changeHeld(func() { c.setHeld(0) }) }

// Close implements net.Conn.
func (c *conn) Close() error {
	c.changeHeld(func() { c.setHeld(0); c.closed = true })
	return c.Conn.Close()
}

// changeHeld changes the memory of a connection, and closes connections until all have
// room.
func (c *conn) changeHeld(step func()) {
	var victims []*conn
	w := c.in
	w.mu.Lock()
	if !c.closed {
		step()
	}
	for w.held > w.room {
		v := w.findVictim()
		v.setHeld(0)
		v.closed = true
		victims = append(victims, v)
	}
	w.mu.Unlock()
	for _, v := range victims {
		_ = v.Conn.Close()
	}
}

// setHeld sets the memory of a connection; with 0 it does not wait.
func (c *conn) setHeld(bytes int64) {
	w, more := c.in, bytes-c.held
	c.held = bytes
	w.held += more
	if w.peers[c.from] += more; w.peers[c.from] == 0 {
		delete(w.peers, c.from)
	}
	switch {
	case bytes > 0 && c.at == nil:
		c.at = w.order.PushBack(c)
	case bytes == 0 && c.at != nil:
		w.order.Remove(c.at)
		c.at = nil
	}
}

// findVictim returns the longest waiting connection of the address that holds the most.
func (w *waiting) findVictim() *conn {
	var out *conn
	for e := w.order.Front(); e != nil; e = e.Next() {
		if c, _ := e.Value.(*conn); out == nil || w.peers[c.from] > w.peers[out.from] {
			out = c
		}
	}
	return out
}

// peerOf returns the address of a caller without its port.
func peerOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return host
}

// connOf returns the connection below TLS; nil where there is none of ours.
func connOf(c net.Conn) *conn {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	out, _ := c.(*conn)
	return out
}
