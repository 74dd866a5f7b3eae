package guard

import (
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

const (
	// arrivalTime bounds the handshake, the header and the body of a request, each.
	// The API server sends all of them at once.
	arrivalTime = 10 * time.Second
	// callTime bounds a request with its answer: the longest call of the API server, and
	// time for an answer of many objects.
	callTime = 45 * time.Second
	// idleTime is how long a connection is kept for the next request. The API server
	// closes its own after 90 s, and must be first: a call could meet our close.
	idleTime = 100 * time.Second
	// shutdownTime bounds the calls that are in flight when the server ends.
	shutdownTime = time.Minute
	// maxHeader bounds a request's header. The API server's have less than 1 KiB.
	maxHeader = 16 << 10
)

// Server serves one port.
type Server struct {
	// Name is the port's name in the log.
	Name    string
	Address string
	Handler http.Handler
	// TLS is nil for a port without.
	TLS *tls.Config
	// Room is the memory of connections whose request has not arrived whole, in bytes.
	Room int64
	Log  logr.Logger
	// arrivalTime is for tests; the constant if zero.
	arrivalTime time.Duration
}

// Start serves until the context ends, and then finishes the calls in flight.
func (s *Server) Start(ctx context.Context) error {
	plain, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Address)
	if err != nil {
		return fmt.Errorf("serve %s: %w", s.Name, err)
	}
	return s.serve(ctx, plain)
}

func (s *Server) serve(ctx context.Context, plain net.Listener) error {
	var from net.Listener = newWaiting(plain, s.Room)
	if s.TLS != nil {
		config := s.TLS.Clone()
		// The API server speaks HTTP/1.1 to Services so as to spread its calls; without
		// HTTP/2 its attacks are nothing to us.
		config.MinVersion, config.NextProtos = tls.VersionTLS12, []string{"http/1.1"}
		from = tls.NewListener(from, config)
	}
	grace := shutdownTime
	return (&manager.Server{Name: s.Name, Server: s.newHTTPServer(ctx), Listener: from, ShutdownTimeout: &grace}).Start(ctx)
}

func (s *Server) newHTTPServer(ctx context.Context) *http.Server {
	if s.arrivalTime == 0 {
		s.arrivalTime = arrivalTime
	}
	return &http.Server{
		Handler:     s.Handler,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, arrivalKey{}, arrival{connOf(c), s.arrivalTime})
		},
		ConnState: func(c net.Conn, state http.ConnState) {
			if x := connOf(c); x != nil && state == http.StateIdle {
				x.waitInLine()
			}
		},
		MaxHeaderBytes:    maxHeader,
		ReadHeaderTimeout: s.arrivalTime, // bounds the handshake, too
		WriteTimeout:      callTime,
		IdleTimeout:       idleTime,
		// Any caller can fill a log with handshakes that fail.
		ErrorLog: log.New(debugLog{s.Log}, "", 0),
	}
}

type arrivalKey struct{}

// arrival is the connection of a request, and how long its body may take.
type arrival struct {
	conn     *conn
	patience time.Duration
}

// debugLog writes the complaints of net/http where they are asked for.
type debugLog struct{ log logr.Logger }

func (d debugLog) Write(line []byte) (int, error) {
	d.log.V(1).Info(strings.TrimSpace(string(line)))
	return len(line), nil
}
