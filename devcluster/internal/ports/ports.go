// Package ports finds free TCP ports on the loopback address and keeps them
// taken until the moment their user starts.
//
// It must not know who uses them.
package ports

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
)

// Loopback is the only address that anything here listens on.
const Loopback = "127.0.0.1"

// Reservation holds a set of ports by listening on them.
type Reservation struct{ listeners map[string]net.Listener }

// Reserve takes one free port for each name. All are held at the same time,
// so no two names, and no two reservations, get the same one.
func Reserve(names ...string) (*Reservation, error) {
	r := &Reservation{listeners: map[string]net.Listener{}}
	for _, name := range names {
		listener, err := net.Listen("tcp", net.JoinHostPort(Loopback, "0"))
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("find a free port on %s for %s: %w", Loopback, name, err)
		}
		r.listeners[name] = listener
	}
	return r, nil
}

// Numbers returns the port of each name that is still held.
func (r *Reservation) Numbers() map[string]int {
	numbers := map[string]int{}
	for name, listener := range r.listeners {
		numbers[name] = listener.Addr().(*net.TCPAddr).Port
	}
	return numbers
}

// Release frees the ports of the names. Nothing was ever accepted on them, so
// the next listener can take them at once.
func (r *Reservation) Release(names ...string) {
	for _, name := range names {
		if listener, ok := r.listeners[name]; ok {
			listener.Close()
			delete(r.listeners, name)
		}
	}
}

// Close frees all ports that are still held.
func (r *Reservation) Close() { r.Release(slices.Collect(maps.Keys(r.listeners))...) }

// Taken reports whether a component's log shows that another program took its port
// between the release and its start.
func Taken(log string) bool { return strings.Contains(log, "address already in use") }
