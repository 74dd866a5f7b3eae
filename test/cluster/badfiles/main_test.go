package badfiles

import (
	"os"
	"testing"

	"gati.dev/gati/test/support/terminal"
)

// env is shared by all tests.
var env *terminal.Environment

// declared lets records of transformers count: simulated pods report none.
var declared = []string{"--transformer-evidence=declared"}

func TestMain(m *testing.M) {
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 2, GatewayAPI: true, Flags: declared}, &env))
}
