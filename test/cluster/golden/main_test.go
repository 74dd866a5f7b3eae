// Package golden holds what people see of Gati's objects through kubectl: get,
// describe, explain and wait, in each phase that an object can be in.
//
//	go test ./test/cluster/golden
//	go test ./test/cluster/golden -update    writes the goldens
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty.
package golden

import (
	"os"
	"testing"

	"gati.dev/gati/cmd/gati-webhook/app"
	"gati.dev/gati/test/support/terminal"
)

// env is shared by all tests.
var env *terminal.Environment

func TestMain(m *testing.M) {
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 2, Serve: app.Serve}, &env))
}
