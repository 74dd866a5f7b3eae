package app

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The tests of this file are the evidence of docs/gati-application.md: what the
// published runtime does not do by itself. One that fails after the runtime was
// renewed says that the page, and the sample, can lose a paragraph.

// bare is an application with nothing but the runtime.
const bare = `import { createApp } from '@gati-framework/runtime';
const app = createApp({ port: Number(process.env.PORT), host: process.env.HOST, logging: false });
app.get('/slow', async (_req, res) => { console.log('/slow begins'); await new Promise((r) => setTimeout(r, 2000)); res.json({}); });
app.get('/broken', () => { throw new Error('the hidden reason'); });
app.post('/post', (_req, res) => res.json({}));
process.on('SIGTERM', async () => { const closed = app.close(); console.log('it closes'); await closed; process.exit(0); });
await app.listen();
`

func startBare(t *testing.T) *program {
	t.Helper()
	p := launchScript(t, bare)
	p.awaitListening()
	return p
}

func launchScript(t *testing.T, text string) *program {
	t.Helper()
	return launchProgram(t, []string{"--input-type=module", "--eval", text})
}

func TestRuntimeServesNoHealthAndNoMetrics(t *testing.T) {
	p := startBare(t)
	for _, path := range []string{"/health", "/ready", "/healthz", "/metrics"} {
		p.mustGet(path, 404)
	}
}

func TestRuntimeReadsNeitherPortNorHost(t *testing.T) {
	p := launchScript(t, `import { createApp } from '@gati-framework/runtime';
const { port, host } = createApp({ logging: false }).getConfig();
console.log('listens on ' + host + ':' + port);
`)
	if code := p.awaitEnd(); code != 0 || !strings.Contains(p.log.String(), "listens on localhost:3000") {
		t.Errorf("it ended with %d", code)
	}
}

func TestRuntimeDoesNotDeclareChokidar(t *testing.T) {
	runtime := filepath.Join(installed, "node_modules", "@gati-framework", "runtime")
	manifest, err := os.ReadFile(filepath.Join(runtime, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	imports, err := os.ReadFile(filepath.Join(runtime, "dist", "hot-loader.js"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(manifest), "chokidar") || !strings.Contains(string(imports), "from 'chokidar'") {
		t.Error("the runtime declares chokidar, or needs it no more: the sample need not bring it")
	}
}

func TestRuntimeNeedsItsDirectory(t *testing.T) {
	p := launchScript(t, `import { createApp } from '@gati-framework/runtime';
process.chdir('src');
createApp({ logging: false });
`)
	if code := p.awaitEnd(); code == 0 || !strings.Contains(p.log.String(), "EACCES") {
		t.Errorf("it ended with %d", code)
	}
}

func TestRuntimeEndsWhenAClientGoesAway(t *testing.T) {
	p := startBare(t)
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // the runtime has begun to read the body
	_ = conn.Close()
	if code := p.awaitEnd(); code == 0 || !strings.Contains(p.log.String(), "aborted") {
		t.Errorf("it ended with %d", code)
	}
}

func TestRuntimeRefusesWhileItCloses(t *testing.T) {
	p := startBare(t)
	c := p.openConnection()
	if a := c.postAndRead("/post"); a.status != 200 || a.last {
		t.Fatalf("before: got %d, connection closes: %v", a.status, a.last)
	}
	slow := make(chan answer, 1)
	go func() {
		a, _ := p.sendRequest("/slow", "") // its status says enough
		slow <- a
	}()
	awaitCondition(t, "/slow has begun", func() bool { return strings.Contains(p.log.String(), "/slow begins") })
	p.sendSignal(syscall.SIGTERM)
	awaitCondition(t, "it closes", func() bool { return strings.Contains(p.log.String(), "it closes") })
	if a := c.postAndRead("/post"); a.status != 503 {
		t.Errorf("while it closes: got %d, the page says 503", a.status)
	}
	if a := <-slow; a.status != 200 {
		t.Errorf("the request under way: got %d", a.status)
	}
}

func TestRuntimeLogsNoExceptionOfAHandler(t *testing.T) {
	p := startBare(t)
	p.mustGet("/broken", 500)
	if strings.Contains(p.log.String(), "the hidden reason") {
		t.Error("the reason is in the log: the sample need not write it")
	}
}

// TestRuntimePaths holds which paths of a GatiHandler the router understands.
func TestRuntimePaths(t *testing.T) {
	p := launchScript(t, `import { createApp } from '@gati-framework/runtime';
const app = createApp({ port: Number(process.env.PORT), host: process.env.HOST, logging: false });
for (const path of ['/users/:id', '/items/[id]', '/files/*']) app.get(path, (_req, res) => res.json({}));
await app.listen();
`)
	p.awaitListening()
	p.mustGet("/users/1", 200)
	p.mustGet("/items/1", 404)
	p.mustGet("/files/a", 404)
	p.mustGet("/users/%FF", 500)
	if a, err := fresh.Head("http://" + p.addr + "/users/1"); err != nil || a.Body.Close() != nil || a.StatusCode != 404 {
		t.Errorf("HEAD of a path that has GET: got %v, error %v", a, err)
	}
}
