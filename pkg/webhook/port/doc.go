// Package port serves the port of the hooks, which every pod of a cluster may reach
// unless a NetworkPolicy says otherwise.
//
// A caller costs what it has sent, not what it announces: connections and bodies that
// have not arrived whole share one room, and are dropped from it in an order that no
// other caller notices. Handshake, header and body have deadlines of seconds, and
// client certificates can be required for a path.
//
// It must not know what a hook decides, nor how certificates are made.
package port
