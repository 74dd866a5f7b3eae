// Package peers marks the tests that drive other projects' programs, which "make test-peers"
// builds and "make test" does not.
//
// It must not know any program.
package peers

import (
	"os"
	"testing"
)

// variable is set by "make test-peers" and "make soak".
const variable = "GATI_TEST_PEERS"

// Need skips a test that "make test" runs without the programs it drives. "make test-peers" runs
// it by its name, which begins with TestHelm, TestArgoCD or TestFlux; a test holds that.
func Need(t testing.TB) {
	t.Helper()
	if os.Getenv(variable) == "" {
		t.Skip("make test-peers runs it: it drives another project's program")
	}
}
