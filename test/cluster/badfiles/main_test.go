package badfiles

import (
	"os"
	"testing"

	"gati.dev/gati/test/support/terminal"
)

// env is shared by all tests.
var env *terminal.Environment

func TestMain(m *testing.M) {
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 1}, &env))
}
