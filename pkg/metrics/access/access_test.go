package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// server answers reviews: it knows the token of reader, who may get /metrics, and that of
// tenant, who may not.
type server struct {
	mu    sync.Mutex
	asked int
	down  bool
	// waits is received from before each answer, if set.
	waits chan struct{}
}

func (s *server) Create(_ context.Context, obj client.Object, _ ...client.CreateOption) error {
	s.mu.Lock()
	s.asked++
	s.mu.Unlock()
	if s.waits != nil {
		<-s.waits
	}
	if s.down {
		return errors.New("down")
	}
	switch o := obj.(type) {
	case *authenticationv1.TokenReview:
		if o.Spec.Token == "reader" || o.Spec.Token == "tenant" {
			o.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: o.Spec.Token, Groups: []string{"g"}}}
		}
		if o.Spec.Token == "nameless" {
			o.Status.Authenticated = true
		}
	case *authorizationv1.SubjectAccessReview:
		o.Status.Allowed = o.Spec.User == "reader" && o.Spec.Groups[0] == "g" && *o.Spec.NonResourceAttributes == authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"}
	}
	return nil
}

func ask(t *testing.T, g *Gate, method, path, authorization string) int {
	t.Helper()
	h, err := g.Filter(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "metrics") }))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(method, path, nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if told := w.Body.String() == "metrics"; told != (w.Code == http.StatusOK) {
		t.Errorf("status %d with the body %q", w.Code, w.Body)
	}
	return w.Code
}

func TestWhoMayRead(t *testing.T) {
	for name, tc := range map[string]struct {
		method, path, authorization string
		down                        bool
		want                        int
	}{
		"a reader":                   {"GET", "/metrics", "Bearer reader", false, 200},
		"a reader, to change":        {"POST", "/metrics", "Bearer reader", false, 403},
		"a reader, of another path":  {"GET", "/debug", "Bearer reader", false, 403},
		"a tenant":                   {"GET", "/metrics", "Bearer tenant", false, 403},
		"a token that is none":       {"GET", "/metrics", "Bearer x", false, 401},
		"a user without a name":      {"GET", "/metrics", "Bearer nameless", false, 503},
		"no token":                   {"GET", "/metrics", "", false, 401},
		"an empty token":             {"GET", "/metrics", "Bearer ", false, 401},
		"a password":                 {"GET", "/metrics", "Basic cmVhZGVyOg==", false, 401},
		"an API server that is down": {"GET", "/metrics", "Bearer reader", true, 503},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, New(&server{down: tc.down}), tc.method, tc.path, tc.authorization); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

// An answer holds for a while, for its token, verb and path alone, and a failure is none.
func TestAnAnswerHoldsForAWhile(t *testing.T) {
	s := &server{down: true}
	g, now := New(s), time.Now()
	g.now = func() time.Time { return now }
	for _, step := range []struct {
		after         time.Duration
		path, token   string
		down          bool
		status, asked int
	}{
		{0, "/metrics", "reader", true, 503, 1},
		{0, "/metrics", "reader", false, 200, 2},
		{allowedFor - 1, "/metrics", "reader", false, 200, 0},
		{1, "/metrics", "reader", false, 200, 2},
		{0, "/debug", "reader", false, 403, 2},
		{0, "/metrics", "tenant", false, 403, 2},
		{refusedFor - 1, "/metrics", "tenant", false, 403, 0},
		{1, "/metrics", "tenant", false, 403, 2},
	} {
		now = now.Add(step.after)
		s.down, s.asked = step.down, 0
		if got := ask(t, g, "GET", step.path, "Bearer "+step.token); got != step.status || s.asked != step.asked {
			t.Errorf("%+v: got %d after %d questions", step, got, s.asked)
		}
	}
	for i := range 2 * maxAnswers {
		ask(t, g, "GET", "/metrics", fmt.Sprint("Bearer ", i))
	}
	if len(g.answers) > maxAnswers {
		t.Errorf("%d answers are kept, want at most %d", len(g.answers), maxAnswers)
	}
}

// A flood of tokens asks the API server a few questions at a time.
func TestAFloodOfTokens(t *testing.T) {
	s := &server{waits: make(chan struct{})}
	g := New(s)
	var wait sync.WaitGroup
	for i := range maxReviews {
		wait.Go(func() { ask(t, g, "GET", "/metrics", fmt.Sprint("Bearer ", i)) })
	}
	for asked := 0; asked < maxReviews; time.Sleep(time.Millisecond) { // until all wait
		s.mu.Lock()
		asked = s.asked
		s.mu.Unlock()
	}
	if got := ask(t, g, "GET", "/metrics", "Bearer reader"); got != http.StatusTooManyRequests {
		t.Errorf("one more gets %d, want 429", got)
	}
	close(s.waits)
	wait.Wait()
	if got := ask(t, g, "GET", "/metrics", "Bearer reader"); got != http.StatusOK {
		t.Errorf("afterwards: %d", got)
	}
}
