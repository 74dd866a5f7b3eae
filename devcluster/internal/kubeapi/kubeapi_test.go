package kubeapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestClient(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "GET /thing":
			io.WriteString(w, `{"name":"it"}`)
		case "POST /things":
			http.Error(w, "exists", http.StatusConflict)
		case "DELETE /gone":
			http.Error(w, "gone", http.StatusNotFound)
		default:
			http.Error(w, "no", http.StatusForbidden)
		}
	}))
	defer server.Close()
	ctx, client := context.Background(), New(server.URL, server.Client())
	var thing struct{ Name string }
	if err := client.Get(ctx, "/thing", &thing); err != nil || thing.Name != "it" {
		t.Errorf("get: %+v, %v", thing, err)
	}
	if err := client.Create(ctx, "/things", thing); err != nil {
		t.Errorf("create what exists: %v", err)
	}
	if err := client.Delete(ctx, "/gone"); err != nil {
		t.Errorf("delete what is gone: %v", err)
	}
	var status *StatusError
	if err := client.Create(ctx, "/forbidden", thing); !errors.As(err, &status) || status.Code != http.StatusForbidden {
		t.Errorf("forbidden: %v", err)
	}
}
