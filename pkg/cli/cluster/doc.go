// Package cluster reads what commands show from the API server, and writes the
// few fields that they set. It asks for
// selected objects only, never discovers what the server serves, and reads
// lists side by side: what one command costs does not depend on what else lives
// in the namespace.
//
// The package must not know of any command or of how things are shown.
package cluster
