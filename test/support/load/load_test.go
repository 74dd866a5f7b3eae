package load

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// arrival is a request as the server sees it.
type arrival struct {
	number int
	method string
	// reused is true when its connection has carried another one before.
	reused bool
}

// tally counts the requests that have arrived.
type tally struct {
	arrived, posts, bodies int
	hosts                  map[string]int
	connections            map[string]int
}

// server answers as its fault says, and notes what arrives.
type server struct {
	*httptest.Server
	// fault answers a request itself, or returns false.
	fault func(arrival, http.ResponseWriter) bool

	mu    sync.Mutex
	tally tally
}

func newServer(t *testing.T, fault func(arrival, http.ResponseWriter) bool) *server {
	t.Helper()
	s := &server{fault: fault, tally: tally{hosts: map[string]int{}, connections: map[string]int{}}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	a := s.recordRequest(request, body)
	w.Header().Set("X-App-Version", []string{"v1.0.0", "v1.1.0"}[a.number%2])
	if s.fault == nil || !s.fault(a, w) {
		w.WriteHeader(http.StatusOK)
	}
}

func (s *server) recordRequest(request *http.Request, body []byte) arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &s.tally
	n.arrived++
	n.connections[request.RemoteAddr]++
	n.hosts[request.Host]++
	if request.Method == http.MethodPost {
		n.posts++
	}
	if len(body) > 0 {
		n.bodies++
	}
	return arrival{n.arrived, request.Method, n.connections[request.RemoteAddr] > 1}
}

// readTally returns what has arrived, after a run.
func (s *server) readTally() tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tally
}

func runLoad(t *testing.T, c Config) Report {
	t.Helper()
	r, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	report := r.Wait()
	t.Log(report)
	return report
}

// TestHalves holds that half of the requests are POSTs with a body and half come
// on connections of their own.
func TestHalves(t *testing.T) {
	s := newServer(t, nil)
	report := runLoad(t, Config{Targets: []Target{{URL: s.URL + "/users/%d"}, {URL: s.URL, Host: "users.example.com"}}, Rate: 400, Count: 400, Seed: 7})
	seen := s.readTally()
	if report.Offered != 400 || report.Answered() != 400 || report.Failed() != 0 || seen.arrived != 400 {
		t.Errorf("%d arrived of\n%v", seen.arrived, report)
	}
	if report.By("v1.0.0") != 200 || report.By("v1.1.0") != 200 {
		t.Errorf("got %v", report.Answers)
	}
	if seen.posts != 200 || seen.bodies != 200 || seen.hosts["users.example.com"] != 200 {
		t.Errorf("%d posts, %d bodies, hosts %v; want 200 of each", seen.posts, seen.bodies, seen.hosts)
	}
	once, several := 0, 0
	for _, n := range seen.connections {
		if n == 1 {
			once++
		} else {
			several += n
		}
	}
	// A kept connection may happen to carry one request; a fresh one always does.
	if once < 200 || several < 100 {
		t.Errorf("%d requests had a connection of their own, %d shared one", once, several)
	}
}

// TestEachFailureIsCounted holds that what the server does is what the report
// says, to the request.
func TestEachFailureIsCounted(t *testing.T) {
	release := make(chan struct{})
	s := newServer(t, func(a arrival, w http.ResponseWriter) bool {
		switch number := a.number; {
		case number%50 == 0:
			<-release // later than anyone waits
		case number%25 == 0:
			panic(http.ErrAbortHandler) // the connection breaks
		case number%10 == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case number%10 == 5:
			w.Header().Set("Content-Length", "1000") // an answer that breaks off
			_, _ = io.WriteString(w, "half")
		default:
			return false
		}
		return true
	})
	defer close(release)
	report := runLoad(t, Config{Targets: []Target{{URL: s.URL}}, Rate: 500, Count: 500, Timeout: time.Second, Seed: 1})
	// Of 500: 10 too late, 10 broken, 40 refused, 40 cut off (25, 75, … are broken).
	got := map[string]int{
		"offered": report.Offered, "arrived": s.readTally().arrived, "answered": report.Answered(), "failed": report.Failed(),
		"503": report.Answers[Answer{"v1.0.0", 503}], "none": report.Answers[Answer{}],
	}
	want := map[string]int{"offered": 500, "arrived": 500, "answered": 500, "failed": 100, "503": 40, "none": 60}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(report.Failures) != failuresShown || report.Failures[0].Reason == "" {
		t.Errorf("the report tells %d failures: %v", len(report.Failures), report.Failures)
	}
}

// TestNothingIsSentTwice holds it for the case in which Go's client would: a GET
// on a connection that has served before and breaks before the answer.
func TestNothingIsSentTwice(t *testing.T) {
	broken := atomic.Int64{}
	s := newServer(t, func(a arrival, _ http.ResponseWriter) bool {
		if a.reused && a.method == http.MethodGet {
			broken.Add(1)
			panic(http.ErrAbortHandler)
		}
		return false
	})
	report := runLoad(t, Config{Targets: []Target{{URL: s.URL}}, Rate: 200, Count: 200, Seed: 3})
	if n := int(broken.Load()); n == 0 || s.readTally().arrived != 200 || report.Failed() != n {
		t.Errorf("%d arrived, %d broken, %d failed; want 200, some, and as many", s.readTally().arrived, n, report.Failed())
	}
}

// TestRequestsAreSentEverySoOften holds that a run takes the time that its requests are apart.
func TestRequestsAreSentEverySoOften(t *testing.T) {
	s := newServer(t, nil)
	began := time.Now()
	report := runLoad(t, Config{Targets: []Target{{URL: s.URL}}, Every: 100 * time.Millisecond, Count: 4, Seed: 3})
	if took := time.Since(began); report.Offered != 4 || report.Failed() != 0 || took < 300*time.Millisecond {
		t.Errorf("after %s:\n%v", took, report)
	}
}

func TestStopEndsEarly(t *testing.T) {
	s := newServer(t, nil)
	r, err := Start(Config{Targets: []Target{{URL: s.URL}}, Rate: 100, Count: 1_000_000, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for done, failed := 0, 0; done < 10; done, failed = r.Progress() {
		if failed > 0 {
			t.Fatalf("%d failed", failed)
		}
		time.Sleep(10 * time.Millisecond)
	}
	report, n := r.Stop(), s.readTally().arrived
	if report.Offered != n || report.Answered() != n || report.Failed() != 0 || n < 10 || n > 100_000 {
		t.Errorf("%d arrived of\n%v", n, report)
	}
}

// TestTheSeedGivesTheRequests holds that a run can be repeated.
func TestTheSeedGivesTheRequests(t *testing.T) {
	texts := map[uint64]string{}
	for _, seed := range []uint64{1, 1, 2} {
		var b strings.Builder
		for number := range uint64(40) {
			r := Config{Targets: []Target{{URL: "http://x/users/%d"}}, Seed: seed}.newRequest(number)
			fmt.Fprintf(&b, "%s %s %v %s\n", r.method, r.url, r.header, r.body)
		}
		if earlier, ok := texts[seed]; ok && earlier != b.String() {
			t.Errorf("seed %d gave\n%s\nand\n%s", seed, earlier, b.String())
		}
		texts[seed] = b.String()
	}
	if texts[1] == texts[2] {
		t.Error("two seeds give the same requests")
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	for _, c := range []Config{{}, {Targets: []Target{{URL: "x"}}, Rate: 1}, {Rate: 1, Count: 1}} {
		if _, err := Start(c); err == nil {
			t.Errorf("%+v was started", c)
		}
	}
}

// TestASlowAnswerDelaysNoRequest holds that the loop is open: while the first request is
// unanswered, all others arrive.
func TestASlowAnswerDelaysNoRequest(t *testing.T) {
	last := make(chan struct{})
	s := newServer(t, func(a arrival, _ http.ResponseWriter) bool {
		switch a.number {
		case 1:
			<-last
		case 50:
			close(last)
		}
		return false
	})
	if report := runLoad(t, Config{Targets: []Target{{URL: s.URL}}, Rate: 200, Count: 50, Seed: 2}); report.Failed() != 0 {
		t.Errorf("%d failed", report.Failed())
	}
}

func TestQuantiles(t *testing.T) {
	l := latencies{5, 1, 3, 2, 4}
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 3, 1: 5} {
		if got := l.quantile(share); got != want {
			t.Errorf("the quantile %v is %v, want %v", share, got, want)
		}
	}
	if got := (latencies{}).quantile(0.5); got != 0 {
		t.Errorf("of nothing it is %v", got)
	}
}

// TestAnswersAreChecked holds that a successful answer with a wrong body is a failure, and
// that bodies are those that the configuration makes.
func TestAnswersAreChecked(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(s.Close)
	report := runLoad(t, Config{
		Targets: []Target{{URL: s.URL}}, Rate: 200, Count: 40, Seed: 5,
		Body: func(uint64) []byte { return []byte("mine") },
		Check: func(body []byte) error {
			if string(body) == "mine" {
				return fmt.Errorf("%s is wrong", body)
			}
			return nil
		},
	})
	if report.Failed() != 20 || report.Failures[0].Reason != "mine is wrong" {
		t.Errorf("%v, want each of the 20 POSTs to fail", report)
	}
}
