package guard

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
)

// running is a server under test.
type running struct {
	t       *testing.T
	address string
	tls     *tls.Config
}

// run serves a guarded hook at /hook, which answers with the length of the body.
func run(t *testing.T, change func(*Server)) *running {
	t.Helper()
	authority := httptest.NewTLSServer(nil)
	defer authority.Close()
	hook := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		fmt.Fprint(w, len(text), err)
	})
	mux := http.NewServeMux()
	limits := roomy
	limits.Body, limits.Memory = 1<<20, 8<<20
	guarded, _ := guardedBy(hook, limits)
	mux.Handle("/hook", guarded)
	s := &Server{Name: "test", Handler: mux, Room: 64 << 20, Log: logr.Discard(), TLS: &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return &authority.TLS.Certificates[0], nil
	}}}
	if change != nil {
		change(s)
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, plain) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	roots := x509.NewCertPool()
	roots.AddCert(authority.Certificate())
	return &running{t: t, address: plain.Addr().String(), tls: &tls.Config{RootCAs: roots, ServerName: "example.com", MinVersion: tls.VersionTLS12}}
}

func (r *running) dial() *tls.Conn {
	r.t.Helper()
	c, err := tls.Dial("tcp", r.address, r.tls)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (r *running) post(body io.Reader) (int, string) {
	r.t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: r.tls, DisableKeepAlives: true}}
	answer, err := client.Post("https://"+r.address+"/hook", "", body)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text)
}

func TestBodies(t *testing.T) {
	r := run(t, nil)
	for length, want := range map[int]string{
		0: "0 <nil>", 1: "1 <nil>", 4096: "4096 <nil>", 1 << 20: "1048576 <nil>",
		1<<20 + 1: "the review is larger than 1048576 bytes, which is the most that is read\n",
	} {
		text := strings.Repeat("x", length)
		if _, got := r.post(strings.NewReader(text)); got != want {
			t.Errorf("a body of %d bytes: %q, want %q", length, got, want)
		}
		if _, got := r.post(io.MultiReader(strings.NewReader(text))); got != want { // of unknown length
			t.Errorf("a body of %d bytes in pieces: %q, want %q", length, got, want)
		}
	}
}

// A caller that stops is dropped, whatever it has announced, and others are answered
// meanwhile.
func TestCallersThatStop(t *testing.T) {
	for name, begin := range map[string]string{
		"nothing":  "",
		"a header": "POST /hook HTTP/1.1\r\nHost: x\r\n",
		"half a body": "POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" +
			strings.Repeat("x", 500),
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, func(s *Server) { s.arrivalTime = time.Second })
			c := r.dial()
			if _, err := io.WriteString(c, begin); err != nil {
				t.Fatal(err)
			}
			if _, got := r.post(strings.NewReader("x")); got != "1 <nil>" {
				t.Errorf("meanwhile: %q", got)
			}
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			line, err := bufio.NewReader(c).ReadString('\n')
			switch {
			case name == "half a body" && !strings.HasPrefix(line, "HTTP/1.1 408 "):
				t.Errorf("got %q and %v, want status 408", line, err)
			case name != "half a body" && err == nil:
				t.Errorf("got %q, want a closed connection", line)
			}
		})
	}
}

// A handshake that does not come is not waited for either.
func TestASilentHandshakeEnds(t *testing.T) {
	r := run(t, func(s *Server) { s.arrivalTime = time.Second })
	c, err := net.Dial("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.ReadAll(c); err != nil {
		t.Errorf("got %v, want a closed connection", err)
	}
}

// A connection is kept for the next call, and its room is given back between calls.
func TestAConnectionIsKept(t *testing.T) {
	r := run(t, nil)
	c := r.dial()
	reader := bufio.NewReader(c)
	for range 3 {
		if _, err := io.WriteString(c, "POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if string(text) != "5 <nil>" {
			t.Errorf("answered %q", text)
		}
	}
}

func TestPeer(t *testing.T) {
	for remote, want := range map[string]string{"10.0.0.1:1": "10.0.0.1", "[::1]:2": "::1", "pipe": "pipe"} {
		if got := peerOf(remote); got != want {
			t.Errorf("%s is of %s, want %s", remote, got, want)
		}
	}
}
