package state

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// MarkerPrefix returns what the markers of all runs in a directory begin
// with. It finds the processes of a cluster whose directory was deleted under
// it, state and all.
func MarkerPrefix(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:8]) + "-"
}

// NewMarker returns a marker that no other run of any cluster has.
func NewMarker(dir string) string {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // It never fails; the runtime aborts first.
	return MarkerPrefix(dir) + hex.EncodeToString(random)
}
