// Package views holds what people see of Gati's objects through kubectl: get,
// describe, explain and wait, in each phase that an object can be in.
//
//	go test ./test/views
//	go test ./test/views -update    writes the goldens
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, ../../bin
// when empty.
package views

import (
	"os"
	"testing"

	"gati.dev/gati/test/support/console"
)

// terminal is what all tests share.
var terminal *console.Console

func TestMain(m *testing.M) {
	os.Exit(console.Main(m, console.Setup{Nodes: 2}, &terminal))
}
