package app

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gati.dev/gati/test/support/await"
)

// short is an application of the npm package: what docs/gati-application.md asks of a
// program is done by the package.
const short = `import { serve } from 'gati-kubernetes';
await serve((app) => {
  app.get('/users/[id]', async (req, res, gctx) => res.json(await gctx.modules.directory.find(req.params.id)));
  app.get('/files/*', (req, res) => res.json({ rest: req.params['*'] }));
  app.post('/users', (req, res) => res.status(201).json(req.body));
  app.get('/slow', async (_req, res) => { await new Promise((r) => setTimeout(r, 1000)); res.json({}); });
  app.get('/broken', () => { throw new Error('the hidden reason'); });
}, { lameDuck: '200ms' });
`

func startShort(t *testing.T, env ...string) *program {
	t.Helper()
	p := launchProgram(t, []string{"--input-type=module", "--eval", short}, env...)
	p.awaitListening()
	return p
}

// requirements shows each row of the page's table on the short application. The key
// is the row's first cell.
var requirements = map[string]func(*testing.T){
	"installs `chokidar` itself":                                                      func(t *testing.T) { startShort(t) },
	"passes `HOST` and `PORT` to `createApp`":                                         func(t *testing.T) { startShort(t).mustGet("/files/a", 200) },
	"runs in a directory with a writable `.gati`":                                     writesItsStateOnly,
	"answers `GET /health`: 200 when it can serve, 503 while it cannot":               func(t *testing.T) { startShort(t).mustGet("/health", 200) },
	"counts requests and serves `/metrics`":                                           countsRequests,
	"stays alive on `unhandledRejection`":                                             survivesClients,
	"stops without `app.close()`":                                                     stopsWithoutLoss,
	"raises `server.keepAliveTimeout` above the gateway's idle time":                  keepsConnections,
	"logs what a handler throws":                                                      logsExceptions,
	"ends a request within 29 s":                                                      endsLongRequests,
	"calls a module by HTTP or gRPC, and registers that client with `registerModule`": callsModules,
	"passes a larger `ConnectionPool` to `registerModule`":                            callsModulesConcurrently,
	"registers `:id`":                                                                 understandsPaths,
	"leaves `better-sqlite3` out":                                                     leavesSQLiteOut,
	"bounds the size of bodies, if clients are not trusted":                           boundsBodies,
}

// TestAShortApplicationMeetsEveryRequirement holds the table against the package.
func TestAShortApplicationMeetsEveryRequirement(t *testing.T) {
	rows := requiredRows(t)
	if want := slices.Sorted(maps.Keys(requirements)); !slices.Equal(rows, want) {
		t.Fatalf("the page has\n%s\nthe tests have\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	for _, row := range rows {
		t.Run(row, requirements[row])
	}
}

// requiredRows reads the first cells of the table "What the program has to do".
func requiredRows(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(repository, "docs", "gati-application.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## What the program has to do\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var rows []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, " | "); len(cells) == 3 && !strings.HasPrefix(line, "| the program") {
			rows = append(rows, strings.TrimPrefix(cells[0], "| "))
		}
	}
	slices.Sort(rows)
	return rows
}

// writesItsStateOnly relies on the folder, in which only .gati can be written.
func writesItsStateOnly(t *testing.T) {
	startShort(t)
	if _, err := os.Stat(filepath.Join(installed, ".gati")); err != nil {
		t.Error(err)
	}
}

func countsRequests(t *testing.T) {
	p := startShort(t)
	p.mustGet("/files/a", 200)
	if got := readSeries(t, p)[`gati_http_requests_total{method="GET",route="/files/*",status_code="200"}`]; got != 1 {
		t.Errorf("counted %v requests, want 1", got)
	}
}

func survivesClients(t *testing.T) {
	p := startShort(t)
	c := p.openConnection()
	if _, err := c.conn.Write([]byte("POST /users HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")); err != nil {
		t.Fatal(err)
	}
	awaitCondition(t, "the request has arrived", func() bool { return readSeries(t, p)["gati_active_connections"] == 2 })
	_ = c.conn.Close()
	awaitCondition(t, "the request is off the gauge", func() bool { return readSeries(t, p)["gati_active_connections"] == 1 })
	p.mustGet("/files/a", 200)
}

func stopsWithoutLoss(t *testing.T) {
	p := startShort(t)
	c := p.openConnection()
	if a := c.postAndRead("/users"); a.last {
		t.Error("it closes the connection before the stop")
	}
	slow := make(chan answer, 1)
	go func() {
		a, _ := p.sendRequest("/slow", "") // its status says enough
		slow <- a
	}()
	awaitCondition(t, "the request is in flight", func() bool { return readSeries(t, p)["gati_active_connections"] == 2 })
	p.sendSignal(syscall.SIGTERM)
	if a := <-slow; a.status != 200 {
		t.Errorf("the request in flight: got %d", a.status)
	}
	if code := p.awaitEnd(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

func keepsConnections(t *testing.T) {
	p := startShort(t)
	response, err := (&http.Client{Timeout: patience}).Get("http://" + p.addr + "/files/a")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if got := response.Header.Get("Keep-Alive"); got != "timeout=100" {
		t.Errorf("Keep-Alive is %q, want 100 seconds", got)
	}
}

func logsExceptions(t *testing.T) {
	p := startShort(t)
	p.mustGet("/broken", 500)
	await.Eventually(t, "reason in the log", func() error {
		if !strings.Contains(p.log.String(), "GET /broken failed: Error: the hidden reason") {
			return errors.New("it has none")
		}
		return nil
	})
}

func endsLongRequests(t *testing.T) {
	startShort(t, "GATI_HANDLER_TIMEOUT=50ms").mustGet("/slow", 504)
}

func callsModules(t *testing.T) {
	directory := startProgram(t, module, "INSTANCE_ID=directory-1")
	p := startShort(t, "GATI_MODULE_DIRECTORY="+directory.addr)
	if a := p.mustGet("/users/5", 200); !strings.Contains(a.body, `"by":"directory-1"`) {
		t.Errorf("got %s", a.body)
	}
}

// callsModulesConcurrently makes more calls than the runtime's pool lends by default,
// each longer than a tenth of what others would wait for their turn.
func callsModulesConcurrently(t *testing.T) {
	directory := startProgram(t, module, "SAMPLE_LATENCY=1s")
	p := startShort(t, "GATI_MODULE_DIRECTORY="+directory.addr)
	const calls = 80
	var all sync.WaitGroup
	failures := make(chan string, calls)
	for i := range calls {
		all.Go(func() {
			if a, err := p.sendRequest(fmt.Sprintf("/users/%d", i+1), ""); err != nil || a.status != 200 {
				failures <- fmt.Sprintf("got %d %s, error %v", a.status, a.body, err)
			}
		})
	}
	all.Wait()
	close(failures)
	for failure := range failures {
		t.Error(failure)
	}
}

func understandsPaths(t *testing.T) {
	directory := startProgram(t, module)
	p := startShort(t, "GATI_MODULE_DIRECTORY="+directory.addr)
	p.mustGet("/users/1", 200)
	if a := p.mustGet("/files/a/b", 200); a.body != `{"rest":"a/b"}` {
		t.Errorf("got %s", a.body)
	}
	p.mustGet("/files/%FF", 400)
	a, err := fresh.Head("http://" + p.addr + "/files/a")
	if err != nil || a.Body.Close() != nil || a.StatusCode != 200 {
		t.Errorf("HEAD of a path that has GET: got %v, error %v", a, err)
	}
}

// leavesSQLiteOut holds that the application starts without it.
func leavesSQLiteOut(t *testing.T) {
	startShort(t)
	if _, err := os.Stat(filepath.Join(installed, "node_modules", "better-sqlite3")); !os.IsNotExist(err) {
		t.Errorf("it is installed: %v", err)
	}
}

func boundsBodies(t *testing.T) {
	p := startShort(t, "GATI_BODY_LIMIT=1KiB")
	for size, want := range map[int]int{1000: 201, 1100: 413} {
		a, err := p.sendRequest("/users", `{"note":"`+strings.Repeat("x", size-len(`{"note":""}`))+`"}`)
		if err != nil || a.status != want {
			t.Errorf("a body of %d bytes: got %d, error %v, want %d", size, a.status, err, want)
		}
	}
}
