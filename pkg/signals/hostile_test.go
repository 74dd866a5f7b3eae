package signals

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/detector"
)

// maxScraped is what reading hostile pods may take, garbage included.
const maxScraped = 64 << 20

// TestHostilePodsTakeLittle attacks as the author of an image: its pods answer with what
// would take a hundred times as much memory, all at once.
func TestHostilePodsTakeLittle(t *testing.T) {
	// make lets tests keep more garbage than gati-webhook does.
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	lines := func(text string) http.HandlerFunc {
		page := []byte(counter(1, 0, 0) + strings.Repeat(text, (4<<20-1024)/len(text)))
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(page) }
	}
	pods := 40
	if detector.Enabled {
		pods = 4
	}
	var labels string
	for i := range 180 {
		labels += fmt.Sprintf(`a%d="",`, i)
	}
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		says   string // of what is not known; empty is known
	}{
		"lines of others":         {lines("a 1\n"), ""},
		"lines of ours":           {lines("gati_active_connections 1\n"), "more than 20000 samples"},
		"long lines":              {lines("# " + strings.Repeat("x", 1<<20) + "\n"), "a line has more than"},
		"one line":                {lines(strings.Repeat("x", 2<<20)), "a line has more than"},
		"families":                {lines("# TYPE gati_http_requests_total counter\n"), ""},
		"labels":                  {lines(`gati_http_requests_total{` + labels + "} 1\n"), ""},
		"a large header":          {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 100<<10)) }, "response headers"},
		"names of transformers":   {lines(`gati_timescape_transformer_loaded{from="` + strings.Repeat("x", 1<<10) + `",to="b"} 1` + "\n"), ""},
		"a sample without a name": {lines("{}\n"), ""}, // expfmt panics
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tc.answer)
			defer server.Close()
			s := podAt(t, server)
			s.Reported, s.Judged = true, true
			for i := range pods {
				one := s.Pods[0]
				one.Name, one.Instance = fmt.Sprint("p", i), fmt.Sprint("p", i)
				s.Pods = append(s.Pods, one)
			}
			peak := watchHeap(t)
			got := NewPods(time.Minute, at(now)).Measure(t.Context(), now, []Subject{s})[s.Key].Traffic
			taken := peak()
			t.Logf("%d KiB were taken for %d pods: %.120s", taken>>10, len(s.Pods), got.Message)
			if taken > maxScraped && !detector.Enabled { // which takes memory of its own
				t.Errorf("%d MiB were taken, want at most %d", taken>>20, maxScraped>>20)
			}
			if got.Known != (tc.says == "") || !strings.Contains(got.Message, tc.says) {
				t.Errorf("known %v: %.200s; want %q", got.Known, got.Message, tc.says)
			}
		})
	}
}

// watchHeap returns a function that returns the most by which the heap has grown since.
func watchHeap(t *testing.T) func() uint64 {
	t.Helper()
	heap := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before, most := heap(), uint64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				most = max(most, heap())
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		return max(most, before) - before
	}
}
