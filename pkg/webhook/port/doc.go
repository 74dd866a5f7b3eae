// Package port serves the webhook port, which every pod of a cluster may reach unless a
// NetworkPolicy forbids it.
//
// A caller is charged for the bytes that it has sent, not for those that it announces.
// Incomplete connections and bodies share one memory budget, and are evicted in an
// order that does not affect other callers. Handshake, header and body have deadlines
// of seconds, and a path can require client certificates.
//
// It must not know what a hook decides, nor how certificates are created.
package port
