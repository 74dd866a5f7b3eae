package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gati.dev/gati/internal/ports"
	"gati.dev/gati/pkg/appimage"
)

// patience bounds every wait; on a machine at rest a start takes half a second.
const patience = 60 * time.Second

const (
	handler = "src/main.js"
	module  = "src/module.js"
)

// program is one process of the application.
type program struct {
	t    *testing.T
	addr string
	cmd  *exec.Cmd
	log  *transcript
	done chan struct{}
}

// launchProgram starts a program as a pod would, with further environment, and does not
// wait for it.
func launchProgram(t *testing.T, args []string, env ...string) *program {
	t.Helper()
	node, err := appimage.FindNode()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, args...)
	cmd.Dir = installed
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	return startCommand(t, cmd, env)
}

func startCommand(t *testing.T, cmd *exec.Cmd, env []string) *program {
	t.Helper()
	port, err := ports.Take()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, addr: fmt.Sprintf("127.0.0.1:%d", port), cmd: cmd, log: &transcript{}, done: make(chan struct{})}
	cmd.Env = append([]string{"HOST=127.0.0.1", fmt.Sprintf("PORT=%d", port), "NODE_ENV=production", "SAMPLE_LAME_DUCK=200ms"}, env...)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // how it ended is in ProcessState
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("%s wrote:\n%s", strings.Join(cmd.Args, " "), p.log)
		}
	})
	return p
}

// startProgram launches a program and waits until it answers.
func startProgram(t *testing.T, script string, env ...string) *program {
	t.Helper()
	p := launchProgram(t, []string{script}, env...)
	p.awaitListening()
	return p
}

// awaitListening waits until the program takes connections.
func (p *program) awaitListening() {
	p.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		connection, err := net.Dial("tcp", p.addr)
		if err == nil {
			_ = connection.Close()
			return
		}
		select {
		case <-p.done:
			p.t.Fatalf("it ended with %v", p.cmd.ProcessState)
		default:
		}
	}
	p.t.Fatalf("nothing listens on %s", p.addr)
}

// awaitEnd waits for the end and returns the exit code.
func (p *program) awaitEnd() int {
	p.t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		p.t.Fatal("it has not ended")
		return 0
	}
}

func (p *program) sendSignal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// answer is the response to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// fresh sends each request on a connection of its own.
var fresh = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

// sendRequest sends a request; a body makes it a POST.
func (p *program) sendRequest(path, body string) (answer, error) {
	method, content := http.MethodGet, io.Reader(nil)
	if body != "" {
		method, content = http.MethodPost, strings.NewReader(body)
	}
	request, err := http.NewRequest(method, "http://"+p.addr+path, content)
	if err != nil {
		return answer{}, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return doRequest(fresh, request)
}

func doRequest(client *http.Client, request *http.Request) (answer, error) {
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text)}, errors.Join(err, response.Body.Close())
}

// mustGet asks and wants an answer of that status.
func (p *program) mustGet(path string, status int) answer {
	p.t.Helper()
	a, err := p.sendRequest(path, "")
	if err != nil {
		p.t.Fatal(err)
	}
	if a.status != status {
		p.t.Fatalf("%s: got %d, want %d: %s", path, a.status, status, a.body)
	}
	return a
}

// transcript is the output of a program, readable while it writes.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
