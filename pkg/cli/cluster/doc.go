// Package cluster reads the objects that commands show from the API server, and writes
// the few fields that they set. It requests selected objects only, skips API discovery,
// and reads lists concurrently. The cost of a command does not depend on other objects
// in the namespace.
//
// The package must not know of any command or of how things are shown.
package cluster
