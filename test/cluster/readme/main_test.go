// Package readme walks through the README as a user new would: it types what stands
// there and compares what comes of it with what stands there, the live views included.
//
//	go test ./test/cluster/readme
//	go test ./test/cluster/readme -update    writes what comes into the README
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty.
//
// In the section "A tour" a block of the kind console has commands behind "$ " and what
// they print. Where a block of the kind text follows, the last command has opened a live
// view, and the block is its screen. Keys that are named as code between it and the next
// screen are pressed; those after the last screen have to end the command.
package readme

import (
	"os"
	"testing"

	"gati.dev/gati/test/support/terminal"
)

// env is a cluster without Gati: the tests install it.
var env *terminal.Environment

// alone is a single replica that is not restarted, so it needs no election.
var alone = []string{"--leader-elect=false"}

func TestMain(m *testing.M) {
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 3, Bare: true, Flags: alone}, &env))
}
