package port

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
)

// listener counts the connections of a port with its arrivals.
type listener struct {
	net.Listener
	arrivals *arrivals
}

// conn is a connection whose room is given back when it is closed.
type conn struct {
	net.Conn
	arrival *arrival
}

func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{
		Conn:    accepted,
		arrival: l.arrivals.open(Peer(accepted.RemoteAddr().String()), func() { _ = accepted.Close() }),
	}, nil
}

func (c *conn) Close() error {
	c.arrival.close()
	return c.Conn.Close()
}

// Peer returns the address of a caller without its port.
func Peer(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return host
}

type arrivalKey struct{}

// withArrival gives the requests of a connection access to its arrival.
func withArrival(ctx context.Context, c net.Conn) context.Context {
	if x := arrivalOf(c); x != nil {
		return context.WithValue(ctx, arrivalKey{}, x)
	}
	return ctx
}

// awaitNext counts a connection again that waits for its next request.
func awaitNext(c net.Conn, state http.ConnState) {
	if x := arrivalOf(c); x != nil && state == http.StateIdle {
		x.await()
	}
}

func arrivalOf(c net.Conn) *arrival {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if counted, ok := c.(*conn); ok {
		return counted.arrival
	}
	return nil
}
