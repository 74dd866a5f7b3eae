package port

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// shutdownTime bounds the calls that are in flight when the server ends.
const shutdownTime = time.Minute

// Options configure a Server.
type Options struct {
	Host string
	Port int
	// GetCertificate returns the serving certificate.
	GetCertificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// ClientCAs signed the certificates of clients; nil asks for none. A client without
	// one is served all the same, except behind RequireClient.
	ClientCAs *x509.CertPool
	Mux       *http.ServeMux
	Log       logr.Logger
}

// Server is a webhook server that bounds what callers may take.
type Server struct {
	webhook.Server // its registration, with its metrics
	options        Options
	arrivalTime    time.Duration
}

// NewServer returns a server to be started by the manager.
func NewServer(o Options) *Server {
	return &Server{Server: webhook.NewServer(webhook.Options{WebhookMux: o.Mux}), options: o, arrivalTime: arrivalTime}
}

// Start serves until the context ends, and then finishes the calls in flight.
func (s *Server) Start(ctx context.Context) error {
	address := net.JoinHostPort(s.options.Host, strconv.Itoa(s.options.Port))
	plain, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen for the API server: %w", err)
	}
	return s.serve(ctx, plain)
}

func (s *Server) serve(ctx context.Context, plain net.Listener) error {
	counted := &listener{Listener: plain, arrivals: newArrivals(arrivalRoom, peerShare, s.arrivalTime)}
	server := s.newHTTPServer(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if err := server.Shutdown(grace); err != nil {
			s.options.Log.Error(err, "calls were in flight at the end")
		}
	}()
	if err := server.Serve(tls.NewListener(counted, s.tlsConfig())); err != http.ErrServerClosed {
		return fmt.Errorf("serve the API server: %w", err)
	}
	<-ended
	return nil
}

func (s *Server) newHTTPServer(ctx context.Context) *http.Server {
	return &http.Server{
		Handler:           s.options.Mux,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ConnContext:       withArrival,
		ConnState:         awaitNext,
		MaxHeaderBytes:    maxHeader,
		ReadHeaderTimeout: s.arrivalTime, // bounds the handshake, too
		WriteTimeout:      callTime,
		IdleTimeout:       idleTime,
		// Any caller can fill a log with handshakes that fail.
		ErrorLog: log.New(debugLog{s.options.Log}, "", 0),
	}
}

func (s *Server) tlsConfig() *tls.Config {
	config := &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: s.options.GetCertificate,
		// The API server speaks HTTP/1.1 to Services so as to spread its calls;
		// without HTTP/2 its attacks are nothing to us.
		NextProtos: []string{"http/1.1"},
	}
	if s.options.ClientCAs != nil {
		config.ClientCAs, config.ClientAuth = s.options.ClientCAs, tls.VerifyClientCertIfGiven
	}
	return config
}

// debugLog writes the complaints of net/http where they are asked for.
type debugLog struct{ log logr.Logger }

func (d debugLog) Write(line []byte) (int, error) {
	d.log.V(1).Info(strings.TrimSpace(string(line)))
	return len(line), nil
}
