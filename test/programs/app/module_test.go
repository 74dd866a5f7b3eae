package app

import (
	"encoding/json"
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

// A database in the form of upstream's examples, a program that serves it, and one that calls
// it, and registers it in its own process as well.
const (
	database = `const database = { users: { findById: async (id) => {
	  if (id === '9') throw new HandlerError('user 9 is locked', 423);
	  return { id, name: 'John Doe', pid: process.pid };
	} } };`
	databaseModule = `import { HandlerError } from '@gati-framework/runtime'; import { serveModule } from 'gati-kubernetes';
	` + database + `
	await serveModule(database);`
	databaseHandler = `import { HandlerError } from '@gati-framework/runtime'; import { addModule, serve } from 'gati-kubernetes';
	` + database + `
	await serve((app) => {
	  addModule(app, 'database', database);
	  app.get('/users/:id', async (req, res, gctx) => res.json({ user: await gctx.modules.database.users.findById(req.params.id), self: process.pid }));
	});`
)

// TestAGroupOfFunctionsIsCalledInBothPlaces holds that a handler calls
// database.users.findById unchanged, in its own process and in that of a GatiModule.
func TestAGroupOfFunctionsIsCalledInBothPlaces(t *testing.T) {
	start := func(t *testing.T, text string, env ...string) *program {
		p := launchProgram(t, []string{"--input-type=module", "--eval", text}, env...)
		p.awaitListening()
		return p
	}
	for _, asPods := range []bool{false, true} {
		t.Run(map[bool]string{false: "in process", true: "as pods"}[asPods], func(t *testing.T) {
			var env []string
			if asPods {
				env = append(env, "GATI_MODULE_DATABASE="+start(t, databaseModule).addr)
			}
			users := start(t, databaseHandler, env...)
			var got struct {
				User struct {
					ID, Name string
					PID      int
				}
				Self int
			}
			if err := json.Unmarshal([]byte(users.mustGet("/users/7", 200).body), &got); err != nil {
				t.Fatal(err)
			}
			if got.User.ID != "7" || got.User.Name != "John Doe" || (got.User.PID != got.Self) != asPods {
				t.Errorf("got %+v", got)
			}
			if a := users.mustGet("/users/9", 423); !strings.Contains(a.body, "user 9 is locked") {
				t.Errorf("got %s", a.body)
			}
		})
	}
}
