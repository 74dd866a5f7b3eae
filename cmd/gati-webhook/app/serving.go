package app

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"gati.dev/gati/pkg/webhook/guard"
)

// pathHealth answers the readiness check's own call, on the port of the hooks.
const pathHealth = "/healthz"

// hooksRoom is the memory of calls of the hooks that have not arrived whole: that of the 600
// that an API server makes at once by default, each of 64 KiB.
const hooksRoom = 60 * mib

// server is the webhook server with the runnables that it needs. The manager starts
// webhook servers before the caches, and the certificates must exist as early:
// listing objects for a cache may need conversion.
type server struct {
	webhook.Server // its registration, with its metrics
	// runnables run as long as the server does; the port is one of them.
	runnables []manager.Runnable
	draining  func() bool
}

func newServer(c *config, source func(*tls.ClientHelloInfo) (*tls.Certificate, error), draining func() bool, log logr.Logger, beside ...manager.Runnable) (*server, error) {
	mux := http.NewServeMux()
	mux.HandleFunc(pathHealth, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	secure := &tls.Config{GetCertificate: source}
	if c.ClientCAFile != "" {
		var err error
		if secure.ClientCAs, err = guard.ReadAuthorities(c.ClientCAFile); err != nil {
			return nil, err
		}
		// A client without one is served all the same, except behind guard.RequireClient.
		secure.ClientAuth = tls.VerifyClientCertIfGiven
	}
	hooks := &guard.Server{
		Name: "hooks", Address: net.JoinHostPort(c.WebhookBindAddress, strconv.Itoa(c.WebhookPort)),
		Handler: mux, TLS: secure, Room: hooksRoom, Log: log.WithName("port"),
	}
	return &server{
		Server:    webhook.NewServer(webhook.Options{WebhookMux: mux}),
		runnables: append(slices.Clone(beside), hooks), draining: draining,
	}, nil
}

// Register closes connections after their answer during shutdown: the API server
// keeps them open and would send its next call to a replica that is gone.
func (s *server) Register(path string, hook http.Handler) {
	s.Server.Register(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining() {
			w.Header().Set("Connection", "close")
		}
		hook.ServeHTTP(w, r)
	}))
}

// Start serves until the context ends.
func (s *server) Start(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, r := range s.runnables {
		group.Go(func() error { return r.Start(ctx) })
	}
	return group.Wait()
}

// listenerAddress returns the address of our own listener.
func listenerAddress(c *config) string {
	host := c.WebhookBindAddress
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, strconv.Itoa(c.WebhookPort))
}
