package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// tenant is a handler that shares a hostname with others. answers are the sample's
// routes.
type tenant struct {
	name, path string
	methods    []v1.HTTPMethod
	version    string
	answers    string
}

// tenants overlap: what is more exact outranks what is less, a method outranks none,
// and the version that a caller asks for outranks both.
var tenants = []tenant{
	{"list", "/users", []v1.HTTPMethod{"GET"}, "v1.0.0", "GET /users"},
	{"me", "/users/me", []v1.HTTPMethod{"GET"}, "v1.1.0", "GET /users/me"},
	{"one", "/users/:id", []v1.HTTPMethod{"GET"}, "v1.0.0", "GET /users/:id"},
	{"change", "/users/:id", []v1.HTTPMethod{"POST", "PUT"}, "v2.0.0", "PUT /users/me, POST /users/:id, PUT /users/:id"},
	{"rest", "/users/*", nil, "v2.0.0", "POST /users, DELETE /users/me, DELETE /users/:id, PATCH /users/:id, GET /users/:id/orders"},
}

// visit is a request, and who has to answer it. %d in its path is any number.
type visit struct {
	method, path, pin string
	handler, version  string
}

var visits = []visit{
	{"GET", "/users", "", "list", "v1.0.0"},
	{"GET", "/users/me", "", "me", "v1.1.0"},
	{"GET", "/users/%d", "", "one", "v1.0.0"},
	{"GET", "/users/%d", "v1.0.0", "one", "v1.0.0"},
	{"GET", "/users/%d", "v1.1.0", "one", "v1.1.0"},
	{"GET", "/users/%d", "v9.9.9", "one", "v1.0.0"},
	{"POST", "/users/%d", "", "change", "v2.0.0"},
	{"PUT", "/users/%d", "", "change", "v2.0.0"},
	{"PUT", "/users/me", "", "change", "v2.0.0"},
	{"POST", "/users", "", "rest", "v2.0.0"},
	{"PATCH", "/users/%d", "", "rest", "v2.0.0"},
	{"DELETE", "/users/%d", "", "rest", "v2.0.0"},
	{"DELETE", "/users/me", "", "rest", "v2.0.0"},
	{"GET", "/users/%d/orders", "", "rest", "v2.0.0"},
}

func TestFiveHandlersOnOneHostname(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	handlers := given.handlersFor(tenants...)
	one := handlers["one"]
	useCanary(&one.Spec)
	setSteps(makeStep(0, ""), makeStep(100, ""))(&one.Spec)
	setImage("v1.1.0")(&one.Spec)
	when.applyObject(one)
	then.eachVisitReachesItsHandler(1000)
}

// eachVisitReachesItsHandler waits until the gateway knows every route, and then
// counts.
func (n then) eachVisitReachesItsHandler(times int) {
	n.t.Helper()
	gateway := n.gatewayURL()
	for _, v := range visits {
		n.eventually(fmt.Sprintf("%s %s (%s) at %s", v.method, v.path, v.pin, v.handler), func() error { return n.checkAnsweredBy(gateway, v, 1) })
	}
	random := rand.New(rand.NewPCG(seedOf(n.t), 0))
	astray, to := 0, map[string]int{}
	for range times {
		v := visits[random.IntN(len(visits))]
		if err := n.checkAnsweredBy(gateway, v, 1+random.IntN(1000)); err != nil {
			astray++
			n.t.Error(err)
			continue
		}
		to[v.handler+" "+v.version]++
	}
	n.logStep("then of %d mixed requests, seed %d, %d went astray: %v", times, seedOf(n.t), astray, to)
}

// checkAnsweredBy sends one request and checks who has answered.
func (w *world) checkAnsweredBy(gateway string, v visit, user int) error {
	ctx, cancel := context.WithTimeout(w.t.Context(), askWithin)
	defer cancel()
	path := strings.ReplaceAll(v.path, "%d", strconv.Itoa(user))
	request, err := http.NewRequestWithContext(ctx, v.method, gateway+path, nil)
	if err != nil {
		return err
	}
	request.Host = w.hostname()
	if v.pin != "" {
		request.Header.Set("X-Gati-Version", v.pin)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	var r struct {
		By struct{ Handler, HandlerVersion string }
	}
	_ = json.Unmarshal(body, &r) // An answer without JSON has no sender.
	version := answer.Header.Get("X-App-Version")
	if answer.StatusCode != http.StatusOK || r.By.Handler != v.handler || version != v.version || r.By.HandlerVersion != v.version {
		return fmt.Errorf("%s %s (asking for %q): %d from %q in version %q, want %s in %s: %s", v.method, path, v.pin, answer.StatusCode, r.By.Handler, version, v.handler, v.version, body)
	}
	return nil
}
