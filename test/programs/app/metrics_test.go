package app

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"

	"gati.dev/gati/test/support/await"
)

func TestRequestsAreCounted(t *testing.T) {
	p := startProgram(t, handler)
	for range 3 {
		p.mustGet("/users/7", 200)
	}
	p.mustGet("/users/7?fail=503", 503)
	p.mustGet("/users/%FF", 400)
	p.mustGet("/no/such/1", 404)
	p.mustGet("/no/such/2", 404)
	if _, err := p.sendRequest("/users/7", `{}`); err != nil {
		t.Fatal(err)
	}
	got := readSeries(t, p)
	want := map[string]float64{
		`gati_http_requests_total{method="GET",route="/users/:id",status_code="200"}`:                 3,
		`gati_http_requests_total{method="GET",route="/users/:id",status_code="503"}`:                 1,
		`gati_http_requests_total{method="POST",route="/users/:id",status_code="200"}`:                1,
		`gati_http_requests_total{method="GET",route="unmatched",status_code="404"}`:                  2,
		`gati_http_request_duration_seconds_count{method="GET",route="/users/:id",status_code="200"}`: 3,
		`gati_errors_total{type="server",route="/users/:id"}`:                                         1,
		`gati_active_connections`: 1, // the one that asks
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
	for _, name := range []string{"process_cpu_seconds_total", "nodejs_eventloop_lag_seconds"} {
		if _, ok := got[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
}

// TestAClientThatGoesAway holds that it costs neither the process nor a place in
// the gauge, whether it goes before its body is sent or before the answer.
func TestAClientThatGoesAway(t *testing.T) {
	p := startProgram(t, handler)
	for _, request := range []string{
		"POST /users/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc",
		"GET /users/1?latency=2s HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		connection, err := net.Dial("tcp", p.addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := connection.Write([]byte(request)); err != nil {
			t.Fatal(err)
		}
		awaitCondition(t, "the request has arrived", func() bool { return readSeries(t, p)["gati_active_connections"] == 2 })
		_ = connection.Close()
		awaitCondition(t, "the request is off the gauge", func() bool { return readSeries(t, p)["gati_active_connections"] == 1 })
	}
	if got := readSeries(t, p)[`gati_errors_total{type="aborted",route="/users/:id"}`]; got != 2 {
		t.Errorf("%v requests count as aborted, want 2", got)
	}
	p.mustGet("/users/1", 200)
}

// awaitCondition waits until a condition holds.
func awaitCondition(t *testing.T, what string, holds func() bool) {
	t.Helper()
	await.Eventually(t, what, func() error {
		if !holds() {
			return errors.New("not yet")
		}
		return nil
	})
}

// readSeries reads /metrics.
func readSeries(t *testing.T, p *program) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	for line := range strings.Lines(p.mustGet("/metrics", 200).body) {
		line = strings.TrimSpace(line)
		i := strings.LastIndexByte(line, ' ')
		if i < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		value, err := strconv.ParseFloat(line[i+1:], 64)
		if err != nil {
			continue // Nan of a summary without samples
		}
		found[line[:i]] = value
	}
	return found
}

func cpuSeconds(t *testing.T, p *program) float64 {
	t.Helper()
	return readSeries(t, p)["process_cpu_seconds_total"]
}
