package badfiles

import (
	"os"
	"testing"

	"gati.dev/gati/test/support/console"
)

// terminal is what all tests share.
var terminal *console.Console

func TestMain(m *testing.M) {
	os.Exit(console.Main(m, console.Setup{Nodes: 1}, &terminal))
}
