package signals

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/pkg/rollout"
)

// judgedPod is a judged subject with one pod.
func judgedPod() Subject {
	s := users()
	s.Judged = true
	return s
}

// counters returns the rows with what a pod has counted.
func counters(name string, good, failed int) string {
	row := func(route, code string, n int) string {
		return series("counters", pod(name, fmt.Sprintf(`"route":%q,"status_code":%q`, route, code)), fmt.Sprint(n))
	}
	bucket := func(le string, n int) string {
		return series("buckets", pod(name, fmt.Sprintf(`"route":"/users/:id","le":%q`, le)), fmt.Sprint(n))
	}
	return strings.Join([]string{
		row("/users/:id", "200", good), row("/users/:id", "503", failed), row("/health", "200", 99), row("/metrics", "200", 9),
		bucket("0.1", good), bucket("+Inf", good+failed),
	}, ",")
}

// TestCountersOfPrometheus holds that counters are those of the pods that run, and only
// where they were scraped since the pod started.
func TestCountersOfPrometheus(t *testing.T) {
	read := func(s Subject, rows ...string) rollout.Counters {
		p := answering(t, constant(vector(rows...))).prometheus(t)
		return p.Measure(t.Context(), now, []Subject{s})[s.Key].Counters
	}
	got := read(judgedPod(), fresh(itsPod), counters(itsPod, 90, 10), counters("handler-users--v1-7d9fcb6c4-zzzzz", 7, 7))
	if !got.Known || !got.At.Equal(now.Add(-5*time.Second)) || len(got.Instances) != 1 {
		t.Fatalf("%+v", got)
	}
	one := got.Instances[0]
	if one.Requests != 100 || one.Errors != 10 || len(one.Buckets) != 2 || one.Buckets[0] != (rollout.Bucket{Bound: 0.1, Count: 90}) || !one.Started.Equal(now.Add(-time.Hour)) {
		t.Errorf("%+v", one)
	}
	restarted := judgedPod()
	restarted.Pods = []Pod{{Name: itsPod, Instance: "u/1", Started: now.Add(-time.Second)}}
	if got := read(restarted, fresh(itsPod), counters(itsPod, 90, 10)); got.Known || !strings.Contains(got.Message, "since it started") {
		t.Errorf("the counters of the container before count for this one: %+v", got)
	}
	two := judgedPod()
	two.Pods = append(two.Pods, Pod{Name: "handler-users--v1-7d9fcb6c4-aaaaa", Instance: "w/0", Started: now.Add(-time.Hour)})
	if got := read(two, fresh(itsPod), counters(itsPod, 90, 10)); !got.Known || got.Instances[0].Requests != 100 || !got.Instances[1].Unread || !strings.Contains(got.Message, "1 of 2") {
		t.Errorf("a pod that is not scraped hides another: %+v", got)
	}
	if got := read(judgedPod()); got.Known || got.Message == "" {
		t.Errorf("without an answer: %+v", got)
	}
	if got := read(users(), fresh(itsPod), counters(itsPod, 90, 10)); !got.At.IsZero() {
		t.Errorf("it is not judged: %+v", got)
	}
}

// TestCountersOfAGateway holds that each process of a gateway counts by itself, and that
// one that restarted is another one. What the gateway answers itself for a backend that it
// cannot reach, 502 and 503, counts as a failure of that backend.
func TestCountersOfAGateway(t *testing.T) {
	const service = `"service":"shop-handler-users-v1-http-3000@kubernetesgateway"`
	started := map[string]time.Time{"a:9100": now.Add(-time.Hour), "b:9100": now.Add(-2 * time.Hour)}
	read := func(without ...string) rollout.Counters {
		rows := []string{series("alive", "", fmt.Sprint(now.Add(-5*time.Second).Unix())), series("samples/60", "", "4")}
		for instance, at := range started {
			rows = append(rows,
				series("started", fmt.Sprintf(`"instance":%q`, instance), fmt.Sprint(at.Unix())),
				series("counters", service+fmt.Sprintf(`,"instance":%q,"code":"200"`, instance), "40"),
				series("counters", service+fmt.Sprintf(`,"instance":%q,"code":"502"`, instance), "1"),
				series("counters", service+fmt.Sprintf(`,"instance":%q,"code":"503"`, instance), "1"))
		}
		for _, part := range without {
			for i := range rows {
				rows[i] = strings.ReplaceAll(rows[i], `"gati_part":"`+part+`"`, `"gati_part":"other"`)
			}
		}
		p := answering(t, constant(vector(rows...))).prometheus(t, func(c *PrometheusConfig) { c.Metrics = "traefik" })
		s := judgedPod()
		return p.Measure(t.Context(), now, []Subject{s})[s.Key].Counters
	}
	got := read()
	if !got.Known || len(got.Instances) != 2 || got.Instances[0].Requests != 42 || got.Instances[1].Errors != 2 || !got.Instances[0].Started.Equal(started["a:9100"]) {
		t.Errorf("%+v", got)
	}
	started["b:9100"] = now.Add(-time.Minute)
	if again := read(); again.Instances[1].ID == got.Instances[1].ID || again.Instances[0].ID != got.Instances[0].ID {
		t.Error("a process that restarted looks like the one before")
	}
	if got := read("started"); got.Known || !strings.Contains(got.Message, "process_start_time_seconds") {
		t.Errorf("without the start of the gateway: %+v", got)
	}
}

// TestFailuresOfARequest holds which codes are failures: those of the server, and those of
// clients that gave up, as they do where a version hangs.
func TestFailuresOfARequest(t *testing.T) {
	for code, want := range map[string]bool{"200": false, "304": false, "404": false, "498": false, "499": true, "500": true, "502": true, "503": true, "504": true, "": false, "x": false} {
		if got := isFailure(code); got != want {
			t.Errorf("%q is a failure: %v, want %v", code, got, want)
		}
	}
}
