package terminal

import (
	"testing"
	"time"
)

// Patience is ten times what anything in these tests takes on an idle machine.
const Patience = 90 * time.Second

// Eventually waits until a check finds nothing wrong. The failure tells what was
// waited for and what was wrong last.
func Eventually(t testing.TB, what string, check func() error) {
	t.Helper()
	var last error
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); time.Sleep(interval) {
		if last = check(); last == nil {
			return
		}
	}
	t.Fatalf("within %s there was no: %s\nlast seen: %v", Patience, what, last)
}
