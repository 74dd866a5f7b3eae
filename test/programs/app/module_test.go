package app

import (
	"strings"
	"testing"
)

// TestTheHandlerReachesTheModule holds that what the handler answers with comes
// from the module's own process.
func TestTheHandlerReachesTheModule(t *testing.T) {
	directory := startProgram(t, module, "INSTANCE_ID=directory-1")
	directory.mustGet("/health", 200)
	users := startProgram(t, handler, "GATI_MODULE_DIRECTORY="+directory.addr)
	a := users.mustGet("/users/5", 200)
	if !strings.Contains(a.body, `"module":"directory-1"`) || !strings.Contains(a.body, "Radia Perlman") && !strings.Contains(a.body, "Radia") {
		t.Errorf("got %s", a.body)
	}
	users.mustGet("/users/0", 404)
	if got := readSeries(t, directory)[`gati_http_requests_total{method="POST",route="/find",status_code="200"}`]; got != 2 {
		t.Errorf("the module has counted %v calls, want 2", got)
	}
}

// TestAModuleThatFailsOnce holds that the runtime's RPC client tries again.
func TestAModuleThatFailsOnce(t *testing.T) {
	directory := startProgram(t, module, "SAMPLE_FAILURE_RATE=0.5")
	users := startProgram(t, handler, "GATI_MODULE_DIRECTORY="+directory.addr)
	for range 4 {
		users.mustGet("/users/1", 200)
	}
}

func TestAModuleThatIsGone(t *testing.T) {
	users := startProgram(t, handler, "GATI_MODULE_DIRECTORY=127.0.0.1:1")
	if a := users.mustGet("/users/1", 502); !strings.Contains(a.body, "directory does not answer") {
		t.Errorf("got %s", a.body)
	}
	users.mustGet("/health", 200)
	if !strings.Contains(users.log.String(), "the module directory failed") {
		t.Error("the log does not say why")
	}
}
