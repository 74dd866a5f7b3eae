package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
)

func connect(t *testing.T, url string) client.WithWatch {
	t.Helper()
	c, err := cluster.New(&rest.Config{Host: url})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParseRef(t *testing.T) {
	cases := map[string]struct {
		want    cluster.Ref
		wantErr bool
	}{
		"users":             {want: cluster.Ref{Name: "users"}},
		"gh/users":          {want: cluster.Ref{Kind: status.KindHandler, Name: "users"}},
		"GatiHandler/users": {want: cluster.Ref{Kind: status.KindHandler, Name: "users"}},
		"gatimodule/db":     {want: cluster.Ref{Kind: status.KindModule, Name: "db"}},
		"":                  {wantErr: true},
		"gh/":               {wantErr: true},
		"gh/a/b":            {wantErr: true},
		"pod/a":             {wantErr: true},
		"/a":                {wantErr: true},
	}
	for text, tc := range cases {
		t.Run(text, func(t *testing.T) {
			got, err := cluster.ParseRef(text)
			if got != tc.want || (err != nil) != tc.wantErr {
				t.Errorf("ParseRef(%q) = %v, %v; want %v, error %v", text, got, err, tc.want, tc.wantErr)
			}
		})
	}
}

// TestChunks holds that a long list is read in pieces and comes out whole, each
// object once and none mixed up with another.
func TestChunks(t *testing.T) {
	const total = 7
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasSuffix(r.URL.Path, "/gatihandlers") {
			http.NotFound(w, r)
			return
		}
		if r.URL.Query().Get("limit") != "500" {
			t.Errorf("limit %q, want 500", r.URL.Query().Get("limit"))
		}
		var from int
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
		item := map[string]any{"metadata": map[string]any{"name": fmt.Sprint("h", from), "labels": map[string]string{fmt.Sprint("l", from): "x"}}}
		meta := map[string]any{}
		if from < total-1 {
			meta["continue"] = fmt.Sprint(from + 1)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"kind": "GatiHandlerList", "apiVersion": "gati.dev/v1", "metadata": meta, "items": []any{item}})
	}))
	defer server.Close()
	objs, err := cluster.Namespace(t.Context(), connect(t, server.URL), "shop", "")
	if err != nil {
		t.Fatal(err)
	}
	if len(objs.Handlers) != total {
		t.Fatalf("%d handlers, want %d", len(objs.Handlers), total)
	}
	for i, h := range objs.Handlers {
		if h.Name != fmt.Sprint("h", i) || len(h.Labels) != 1 {
			t.Errorf("handler %d is %s with labels %v", i, h.Name, h.Labels)
		}
	}
}

// TestErrors holds that each way in which a server can fail gives one line and
// the right exit code.
func TestErrors(t *testing.T) {
	dead := clitest.NewServer(t, status.Objects{})
	dead.Dead = []string{status.ResourceHandlers, status.ResourceModules}
	forbidden := clitest.NewServer(t, status.Objects{})
	forbidden.Forbidden = []string{status.ResourceHandlers, status.ResourceModules}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	cases := map[string]struct {
		url      string
		want     string
		wantCode int
	}{
		"no answer":   {dead.URL, "the server did not answer in time; see --request-timeout", exit.Timeout},
		"refused":     {gone.URL, "cannot reach the server 127.0.0.1:PORT: connect: connection refused", exit.Error},
		"forbidden":   {forbidden.URL, `gatihandlers is forbidden: User "dev" cannot list resource "gatihandlers"`, exit.Error},
		"no API here": {notAnAPI(t), "the Gati CRDs are not installed in this cluster; to install them: kubectl gati install", exit.Error},
	}
	for name, tc := range cases {
		for _, ref := range []cluster.Ref{{}, {Name: "users"}, {Kind: status.KindHandler, Name: "users"}, {Kind: status.KindModule, Name: "users"}} {
			t.Run(fmt.Sprint(name, ref), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				c, err := connect(t, tc.url), error(nil)
				if ref.Name == "" {
					_, err = cluster.Namespace(ctx, c, "shop", "")
				} else {
					_, err = cluster.Named(ctx, c, "shop", ref)
				}
				if err == nil {
					t.Fatal("no error")
				}
				got := err.Error()
				want := strings.ReplaceAll(tc.want, "127.0.0.1:PORT", strings.TrimPrefix(gone.URL, "http://"))
				if ref.Kind == status.KindModule {
					want = strings.ReplaceAll(want, "gatihandlers", "gatimodules")
				}
				if got != want {
					t.Errorf("got %q, want %q", got, want)
				}
				if code := exit.Code(t.Context(), err); code != tc.wantCode {
					t.Errorf("exit code %d, want %d", code, tc.wantCode)
				}
			})
		}
	}
}

// notAnAPI is a server without the Gati kinds.
func notAnAPI(t *testing.T) string {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	return server.URL
}

// TestForbiddenList holds that one forbidden list hides nothing else.
func TestForbiddenList(t *testing.T) {
	server := clitest.NewServer(t, statustest.Healthy())
	server.Forbidden = []string{status.ResourcePods, status.ResourceModules}
	objs, err := cluster.Namespace(t.Context(), connect(t, server.URL), statustest.Namespace, "")
	if err != nil {
		t.Fatal(err)
	}
	s := status.Build(objs, statustest.Now)
	want := []status.Unread{{Resource: status.ResourceModules, Reason: "forbidden"}, {Resource: status.ResourcePods, Reason: "forbidden"}}
	if fmt.Sprint(s.Unread) != fmt.Sprint(want) {
		t.Errorf("unread %v, want %v", s.Unread, want)
	}
	if len(s.Handlers) != 1 || s.Handlers[0].Ready != 2 {
		t.Errorf("handlers %+v", s.Handlers)
	}
}
