package app

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"gati.dev/gati/test/support/load"
)

// TestARolloutLosesNoRequest replaces the process behind a Service three times
// under load. Connections that clients keep stay with the process they were
// opened to, as kube-proxy leaves them; new ones go to the new process.
func TestARolloutLosesNoRequest(t *testing.T) {
	versions := []string{"v1.0.0", "v1.1.0", "v2.0.0", "v2.0.1"}
	old := startProgram(t, handler, "APP_VERSION="+versions[0], "SAMPLE_LAME_DUCK=5s")
	front := newService(t, old.addr)
	report := replaceUnderLoad(t, front, versions[1:], old)
	t.Log(report)
	if report.Failed() != 0 || report.Answered() != report.Offered || report.Offered == 0 {
		t.Errorf("%d of %d requests failed", report.Failed(), report.Offered)
	}
	for _, version := range versions {
		if report.By(version) == 0 {
			t.Errorf("%s has answered nothing", version)
		}
	}
}

func replaceUnderLoad(t *testing.T, front *service, versions []string, old *program) load.Report {
	t.Helper()
	config := load.Config{Targets: []load.Target{{URL: "http://" + front.addr + "/users/%d"}}, Rate: 100, Count: 20_000, Seed: 11}
	traffic, err := load.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range versions {
		next := startProgram(t, handler, "APP_VERSION="+version, "SAMPLE_LAME_DUCK=5s")
		awaitAnswers(t, traffic, 100)
		front.backend.Store(&next.addr)
		awaitAnswers(t, traffic, 50)
		old.sendSignal(syscall.SIGTERM)
		if code := old.awaitEnd(); code != 0 {
			t.Errorf("the old process ended with %d", code)
		}
		old = next
	}
	awaitAnswers(t, traffic, 100)
	return traffic.Stop()
}

// awaitAnswers returns after so many further answers.
func awaitAnswers(t *testing.T, traffic *load.Run, further int) {
	t.Helper()
	before, _ := traffic.Progress()
	awaitCondition(t, "requests are answered", func() bool {
		done, _ := traffic.Progress()
		return done >= before+further
	})
}

// service passes each new connection on to the backend of that moment.
type service struct {
	addr    string
	backend atomic.Pointer[string]
}

func newService(t *testing.T, backend string) *service {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := &service{addr: listener.Addr().String()}
	s.backend.Store(&backend)
	go func() {
		for {
			client, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				go s.copyBothWays(client)
			}
		}
	}()
	return s
}

// copyBothWays copies both ways, and passes on that a side has ended.
func (s *service) copyBothWays(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", *s.backend.Load())
	if err != nil {
		return
	}
	defer server.Close()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			_, _ = io.Copy(way[1], way[0])         // an error ends the connection as well
			_ = way[1].(*net.TCPConn).CloseWrite() // so that the other side hears of it
		})
	}
	both.Wait()
}
