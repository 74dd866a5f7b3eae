package app

import (
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"
)

func TestEachVersionAnswersInItsWay(t *testing.T) {
	tests := map[string][]string{
		"v1.0.0": {"by", "id", "name"},
		"v1.1.0": {"by", "email", "id", "name"},
		"v2.0.0": {"by", "email", "familyName", "givenName", "id"},
	}
	for version, want := range tests {
		t.Run(version, func(t *testing.T) {
			p := startProgram(t, handler, "APP_VERSION="+version, "HANDLER_ID=users", "HANDLER_VERSION="+version, "INSTANCE_ID=pod-1")
			p.mustGet("/health", 200)
			a := p.mustGet("/users/1", 200)
			if got := a.header.Get("X-App-Version"); got != version {
				t.Errorf("X-App-Version is %q", got)
			}
			body := map[string]json.RawMessage{}
			if err := json.Unmarshal([]byte(a.body), &body); err != nil {
				t.Fatal(err)
			}
			for _, field := range want {
				if _, ok := body[field]; !ok {
					t.Errorf("there is no %s in %s", field, a.body)
				}
			}
			if len(body) != len(want) {
				t.Errorf("got %s, want %v and no more", a.body, want)
			}
			for _, part := range []string{`"version":"` + version + `"`, `"handler":"users"`, `"instance":"pod-1"`} {
				if !strings.Contains(string(body["by"]), part) {
					t.Errorf("by is %s, want %s in it", body["by"], part)
				}
			}
		})
	}
}

func TestRoutesOfItsOwn(t *testing.T) {
	p := startProgram(t, handler, "SAMPLE_ROUTES=GET /users, GET /users/:id/orders")
	p.mustGet("/health", 200)
	for path, want := range map[string]int{"/users": 200, "/users/7/orders": 200, "/users/7": 404, "/users/x/orders": 404} {
		p.mustGet(path, want)
	}
	if a := p.mustGet("/users/7/orders", 200); !strings.Contains(a.body, `"id":"7"`) {
		t.Errorf("/users/7/orders is about another user: %s", a.body)
	}
}

func TestABodyArrivesWhole(t *testing.T) {
	p := startProgram(t, handler)
	body := `{"note":"` + strings.Repeat("x", 100_000) + `"}`
	a, err := p.sendRequest("/users/2", body)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Received int }
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 || got.Received != len(body) {
		t.Errorf("got %d and %s (%v), want 200 and %d bytes received", a.status, a.body, err, len(body))
	}
}

func TestRequestsAskForFaults(t *testing.T) {
	p := startProgram(t, handler)
	p.mustGet("/users/1?fail=503", 503)
	p.mustGet("/users/1?fail=429", 429)
	if a := p.mustGet("/users/1?fail=200", 400); !strings.Contains(a.body, "400 to 599") {
		t.Errorf("got %s", a.body)
	}
	if a := p.mustGet("/users/1?latency=fast", 400); !strings.Contains(a.body, "250ms") {
		t.Errorf("got %s", a.body)
	}
	p.mustGet("/users/1?latency=30s", 400)
	p.mustGet("/users/none", 404)
	p.mustGet("/elsewhere", 404)

	begin := time.Now()
	p.mustGet("/users/1?latency=1s", 200)
	if took := time.Since(begin); took < time.Second {
		t.Errorf("a request that should take a second took %v", took)
	}
	before := cpuSeconds(t, p)
	p.mustGet("/users/1?cpu=300ms", 200)
	if used := cpuSeconds(t, p) - before; used < 0.3 {
		t.Errorf("a request that should use 0.3 s of the processor used %.2f", used)
	}
}

// TestFailureRateIsExact counts: at 0.25 each fourth request fails, no more and
// no fewer.
func TestFailureRateIsExact(t *testing.T) {
	p := startProgram(t, handler, "SAMPLE_FAILURE_RATE=0.25")
	got := map[int]int{}
	for range 40 {
		a, err := p.sendRequest("/users/1", "")
		if err != nil {
			t.Fatal(err)
		}
		got[a.status]++
	}
	if got[200] != 30 || got[500] != 10 {
		t.Errorf("got %v, want 30 times 200 and 10 times 500", got)
	}
	p.mustGet("/health", 200)
}

func TestLatencyOfAll(t *testing.T) {
	p := startProgram(t, handler, "SAMPLE_LATENCY=400ms")
	begin := time.Now()
	p.mustGet("/users/1", 200)
	if took := time.Since(begin); took < 400*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

// TestSlowStart holds that nothing listens before the delay is over: what has
// been accepted must be served.
func TestSlowStart(t *testing.T) {
	begin := time.Now()
	p := launchProgram(t, []string{handler}, "SAMPLE_START_DELAY=2s")
	if connection, err := net.Dial("tcp", p.addr); err == nil {
		_ = connection.Close()
		t.Error("it listens at once")
	}
	p.awaitListening()
	if took := time.Since(begin); took < 2*time.Second {
		t.Errorf("it listened after %v", took)
	}
	p.mustGet("/users/1", 200)
}

func TestSlowToBeReady(t *testing.T) {
	begin := time.Now()
	p := startProgram(t, handler, "SAMPLE_READY=2s")
	p.mustGet("/users/1", 200)
	awaitCondition(t, "it is ready", func() bool {
		health, err := p.sendRequest("/health", "")
		if err != nil || health.status != 200 && health.status != 503 {
			t.Fatalf("got %d %s, error %v", health.status, health.body, err)
		}
		return health.status == 200
	})
	if took := time.Since(begin); took < 2*time.Second {
		t.Errorf("it was ready after %v", took)
	}
}

func TestNeverReady(t *testing.T) {
	p := startProgram(t, handler, "SAMPLE_READY=never")
	if a := p.mustGet("/health", 503); !strings.Contains(a.body, "starting") {
		t.Errorf("got %s", a.body)
	}
	p.mustGet("/users/1", 200)
}

func TestCrashes(t *testing.T) {
	p := launchProgram(t, []string{handler}, "SAMPLE_CRASH=start")
	if code := p.awaitEnd(); code != 1 || !strings.Contains(p.log.String(), "FATAL: SAMPLE_CRASH asked for it") {
		t.Errorf("it ended with %d", code)
	}
	p = startProgram(t, handler, "SAMPLE_CRASH=2s")
	p.mustGet("/health", 200)
	if code := p.awaitEnd(); code != 1 {
		t.Errorf("it ended with %d", code)
	}
}

func TestMetricsThatStop(t *testing.T) {
	startProgram(t, handler, "SAMPLE_METRICS=never").mustGet("/metrics", 404)
	begin := time.Now()
	p := startProgram(t, handler, "SAMPLE_METRICS=2s")
	awaitCondition(t, "its metrics have stopped", func() bool {
		answer, err := p.sendRequest("/metrics", "")
		if err != nil || answer.status != 200 && answer.status != 404 {
			t.Fatalf("got %d %s, error %v", answer.status, answer.body, err)
		}
		return answer.status == 404
	})
	if took := time.Since(begin); took < 2*time.Second {
		t.Errorf("they stopped after %v", took)
	}
	p.mustGet("/users/1", 200)

	p = startProgram(t, handler)
	p.mustGet("/metrics", 200)
	p.mustGet("/users/1?metrics=never", 200)
	p.mustGet("/metrics", 404)
}

func TestSwitchesThatMakeNoSense(t *testing.T) {
	tests := map[string]string{
		"SAMPLE_FAILURE_RATE=2":   "share from 0 to 1",
		"SAMPLE_FAILURE_RATE=":    "share from 0 to 1",
		"SAMPLE_LATENCY=10":       "length of time",
		"SAMPLE_START_DELAY=soon": "length of time",
		"SAMPLE_CRASH=yes":        "length of time",
		"SAMPLE_READY=no":         "length of time",
		"SAMPLE_METRICS=no":       "length of time",
		"PORT=http":               "port from 1 to 65535",
		"SAMPLE_ROUTES=/users":    "a method and a path",
		"SAMPLE_ROUTES=GET users": "a method and a path",
	}
	for set, want := range tests {
		t.Run(set, func(t *testing.T) {
			p := launchProgram(t, []string{handler}, set)
			name, _, _ := strings.Cut(set, "=")
			if code := p.awaitEnd(); code != 2 || !strings.Contains(p.log.String(), want) || !strings.Contains(p.log.String(), name) {
				t.Errorf("it ended with %d and said %q, want 2 and a sentence with %q", code, p.log, want)
			}
		})
	}
}
