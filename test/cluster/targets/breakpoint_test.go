package targets

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/gittest"
)

// breakpoint stands between gati-webhook and what it writes to, the API server and the
// repository of plans. It counts the writes and kills gati-webhook at some of them.
type breakpoint struct {
	t     *testing.T
	proxy *httptest.Server
	// every is the number of writes under a target from one kill to the next, of which
	// there are atMost.
	every, atMost int

	mu sync.Mutex
	// writes are those under each target since the last kill there, kills the kills there.
	writes, kills map[string]int
	// killed are the writes that a process died at.
	killed []string
	// isOver holds from the end of the test.
	isOver bool
}

// lifeKey has, in the context of a request, how many processes had died when its
// connection was made.
type lifeKey struct{}

// discardLog takes what the proxy says of requests whose process was killed.
var discardLog = log.New(io.Discard, "", 0)

// newBreakpoint has gati-webhook write through a breakpoint until the test ends.
func newBreakpoint(t *testing.T, every, atMost int) *breakpoint {
	t.Helper()
	b := &breakpoint{t: t, every: every, atMost: atMost, writes: map[string]int{}, kills: map[string]int{}}
	// The process proves by its own token who it is.
	transport, err := rest.TransportFor(rest.AnonymousClientConfig(env.Config))
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(env.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(server) },
		Transport:     transport,
		FlushInterval: -1, // Watches are answers without end.
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:      discardLog,
	}
	b.proxy = httptest.NewUnstartedServer(b.guardWrites(isWrite, forward))
	b.proxy.EnableHTTP2, b.proxy.Config.ErrorLog = true, discardLog
	b.proxy.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		b.mu.Lock()
		defer b.mu.Unlock()
		return context.WithValue(ctx, lifeKey{}, len(b.killed))
	}
	b.proxy.StartTLS()
	backend := git.Backend
	git.Backend = b.guardWrites(gittest.IsPush, backend)
	b.restartBehind(b.proxy)
	t.Cleanup(func() {
		git.Backend = backend
		b.restartBehind(nil)
		b.proxy.CloseClientConnections()
		b.proxy.Close()
	})
	return b
}

// isWrite reports whether a request changes what the API server stores. Events are told
// once and at best.
func isWrite(r *http.Request) bool {
	switch {
	case r.Method == http.MethodGet, r.URL.Query().Has("dryRun"):
		return false
	default:
		return !strings.Contains(r.URL.Path, "/events") && !strings.HasPrefix(r.URL.Path, "/apis/authorization.k8s.io/") &&
			!strings.HasPrefix(r.URL.Path, "/apis/authentication.k8s.io/")
	}
}

// restartBehind starts gati-webhook anew with a proxy in front of the API server, or with
// none.
func (b *breakpoint) restartBehind(proxy *httptest.Server) {
	b.t.Helper()
	err := webhook.Stop()
	if err == nil {
		err = webhook.Authorize(context.Background())
	}
	for _, account := range []string{local.Account, local.ControllerAccount} {
		if err == nil && proxy != nil {
			err = pointTo(filepath.Join(filepath.Dir(webhook.LogPath()), account+".kubeconfig"), proxy)
		}
	}
	if err == nil {
		err = webhook.Start(context.Background())
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// pointTo puts a proxy in the place of the API server into a kubeconfig.
func pointTo(path string, proxy *httptest.Server) error {
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return err
	}
	for _, cluster := range config.Clusters {
		cluster.Server = proxy.URL
		cluster.CertificateAuthorityData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: proxy.Certificate().Raw})
	}
	return clientcmd.WriteToFile(*config, path)
}

// guardWrites passes requests on, and kills at writes: in turn before one is passed on, and
// after it was made and before it is answered.
func (b *breakpoint) guardWrites(isWrite func(*http.Request) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !isWrite(r) {
			next.ServeHTTP(rw, r)
			return
		}
		// The writes of a process are made one after the other, so that a kill has its
		// moment among them.
		b.mu.Lock()
		defer b.mu.Unlock()
		if life, ok := r.Context().Value(lifeKey{}).(int); ok && life < len(b.killed) || r.Context().Err() != nil {
			panic(http.ErrAbortHandler) // Its process is dead.
		}
		row := findRow(r)
		b.writes[row]++
		if row == "" || b.isOver || b.kills[row] >= b.atMost || b.writes[row] < b.every {
			next.ServeHTTP(rw, r)
			return
		}
		moment := "before"
		if b.kills[row]%2 == 1 {
			moment = "after"
			next.ServeHTTP(httptest.NewRecorder(), r)
		}
		b.writes[row], b.kills[row] = 0, b.kills[row]+1
		b.killProcess(fmt.Sprintf("%s %s %s", moment, r.Method, r.URL.Path))
		panic(http.ErrAbortHandler)
	})
}

// findRow returns the target that a write is under; empty for what belongs to none, such
// as a certificate.
func findRow(r *http.Request) string {
	if gittest.IsPush(r) {
		return v1.TargetGitOps
	}
	for _, row := range rows {
		if strings.Contains(r.URL.Path, "/namespaces/"+row.name+"-") {
			return row.name
		}
	}
	return ""
}

// killProcess ends the process and launches the next one.
func (b *breakpoint) killProcess(at string) {
	b.killed = append(b.killed, at)
	err := webhook.Kill()
	if err == nil {
		err = webhook.Launch()
	}
	if err != nil {
		b.t.Error(err)
	}
}

// endKills ends the kills and returns what a process died at. gati-webhook runs then.
func (b *breakpoint) endKills() []string {
	b.t.Helper()
	b.mu.Lock()
	b.isOver = true
	b.mu.Unlock()
	if err := webhook.AwaitReady(b.t.Context()); err != nil {
		b.t.Error(err)
	}
	return b.killed
}
