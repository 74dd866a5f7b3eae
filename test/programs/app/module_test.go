package app

import (
	"strings"
	"testing"
)

// TestTheHandlerReachesTheModule holds that what the handler answers with comes
// from the module's own process.
func TestTheHandlerReachesTheModule(t *testing.T) {
	directory := start(t, module, "INSTANCE_ID=directory-1")
	directory.get("/health", 200)
	users := start(t, handler, "GATI_MODULE_DIRECTORY="+directory.addr)
	a := users.get("/users/5", 200)
	if !strings.Contains(a.body, `"module":"directory-1"`) || !strings.Contains(a.body, "Radia Perlman") && !strings.Contains(a.body, "Radia") {
		t.Errorf("got %s", a.body)
	}
	users.get("/users/0", 404)
	if got := series(t, directory)[`gati_http_requests_total{method="POST",route="/find",status_code="200"}`]; got != 2 {
		t.Errorf("the module has counted %v calls, want 2", got)
	}
}

// TestAModuleThatFailsOnce holds that the runtime's RPC client tries again.
func TestAModuleThatFailsOnce(t *testing.T) {
	directory := start(t, module, "SAMPLE_FAILURE_RATE=0.5")
	users := start(t, handler, "GATI_MODULE_DIRECTORY="+directory.addr)
	for range 4 {
		users.get("/users/1", 200)
	}
}

func TestAModuleThatIsGone(t *testing.T) {
	users := start(t, handler, "GATI_MODULE_DIRECTORY=127.0.0.1:1")
	if a := users.get("/users/1", 502); !strings.Contains(a.body, "directory does not answer") {
		t.Errorf("got %s", a.body)
	}
	users.get("/health", 200)
	if !strings.Contains(users.log.String(), "the module directory failed") {
		t.Error("the log does not say why")
	}
}
