package kube_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"

	"gati.dev/gati/test/support/kube"

	"gati.dev/gati/internal/testing/builders"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestPatientClient holds what is sent again: a write that a webhook had no time for.
func TestPatientClient(t *testing.T) {
	const late = `{"kind":"Status","status":"Failure","code":500,"message":"failed calling webhook \"a\": context deadline exceeded"}`
	const refused = `{"kind":"Status","status":"Failure","code":500,"message":"failed calling webhook \"a\": connection refused"}`
	for name, tc := range map[string]struct {
		answer string
		opts   []client.CreateOption
		calls  int
	}{
		"a dry run without an answer":               {late, []client.CreateOption{client.DryRunAll}, 3},
		"a dry run whose webhook cannot be reached": {refused, []client.CreateOption{client.DryRunAll}, 1},
		"a write without an answer":                 {late, nil, 3},
	} {
		t.Run(name, func(t *testing.T) {
			calls, bodies := 0, map[string]bool{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "application/json")
				if r.Method != http.MethodPost {
					_, _ = io.WriteString(w, discovery[r.URL.Path])
					return
				}
				bodies[string(body)] = true
				if calls++; calls < 3 {
					w.WriteHeader(http.StatusInternalServerError)
					_, _ = io.WriteString(w, tc.answer)
					return
				}
				w.WriteHeader(http.StatusCreated)
				_, _ = w.Write(body)
			}))
			defer server.Close()
			c, err := kube.PatientClient(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
			if err != nil {
				t.Fatal(err)
			}
			err = c.Create(t.Context(), builders.MakeHandler("a").Namespace("default").Obj(), tc.opts...)
			if calls != tc.calls || len(bodies) != 1 || (err == nil) != (tc.calls == 3) {
				t.Errorf("%d calls with %d bodies, want %d with one: %v", calls, len(bodies), tc.calls, err)
			}
		})
	}
}

// discovery is what a client asks before its first write.
var discovery = map[string]string{
	"/api":  `{"kind":"APIVersions","versions":[]}`,
	"/apis": `{"kind":"APIGroupList","groups":[{"name":"gati.dev","versions":[{"groupVersion":"gati.dev/v1","version":"v1"}]}]}`,
	"/apis/gati.dev/v1": `{"kind":"APIResourceList","groupVersion":"gati.dev/v1","resources":[
		{"name":"gatihandlers","singularName":"gatihandler","namespaced":true,"kind":"GatiHandler","verbs":["create"]}]}`,
}
