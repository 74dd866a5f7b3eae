package guard

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// figures returns the verdicts that were counted: "kind operation verdict".
func figures(t *testing.T, m *Metrics) map[string]uint64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(m)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]uint64{}
	for _, f := range families {
		for _, s := range f.GetMetric() {
			if s.GetHistogram() == nil {
				continue
			}
			var labels []string
			for _, l := range s.GetLabel() {
				if l.GetName() != "hook" {
					labels = append(labels, l.GetValue())
				}
			}
			out[strings.Join(labels, " ")] = s.GetHistogram().GetSampleCount()
		}
	}
	return out
}

func guardedBy(hook http.Handler, l Limits) (http.Handler, *Metrics) {
	m := NewMetrics()
	return New(hook, Options{Name: "test", Limits: l, Measure: measure, Refuse: RefuseCall, Metrics: m}), m
}

// measure takes what a review has in bytes.
func measure(review []byte) ([]byte, int64, error) { return review, int64(len(review)), nil }

func send(h http.Handler, target, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, target, strings.NewReader(body)))
	return w
}

var roomy = Limits{Memory: 1 << 20, Floor: 1 << 10, Body: 100, Waiting: 1, Patience: time.Minute}

func TestOneMoreWaitsAndTheNextIsToldSo(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	hook := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-leave
	})
	limits := roomy
	limits.Memory = limits.Floor // one at a time
	h, m := guardedBy(hook, limits)
	g := h.(*guarded)
	done := make(chan int, 2)
	go func() { done <- send(h, "/", "first").Code }()
	<-entered
	go func() { done <- send(h, "/", "second").Code }()
	for queued(g.budget) == 0 {
		time.Sleep(time.Millisecond) // until it is in line
	}
	if got := send(h, "/", "third").Code; got != http.StatusTooManyRequests {
		t.Errorf("the third of one and one waiting gets %d, want 429", got)
	}
	leave <- struct{}{}
	<-entered
	leave <- struct{}{}
	for range 2 {
		if got := <-done; got != http.StatusOK {
			t.Errorf("one that ran or waited gets %d", got)
		}
	}
	if got := figures(t, m); got["other other busy"] != 1 || got["other other allowed"] != 2 {
		t.Errorf("counted %v", got)
	}
	if got := send(New(ok, Options{Limits: limits, Measure: measure, Refuse: RefuseCall, Metrics: m}), "/", "x").Code; got != http.StatusOK {
		t.Errorf("afterwards: %d", got)
	}
}

var ok = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})

func TestPatienceEnds(t *testing.T) {
	limits := roomy
	limits.Patience = time.Millisecond
	b := newBudget(limits)
	release, _ := b.acquire(t.Context(), "a", limits.Memory)
	if _, got := b.acquire(t.Context(), "a", 1); got {
		t.Error("there was room where there is none")
	}
	if got := queued(b); got != 0 {
		t.Errorf("%d still wait", got)
	}
	release()
	release, got := b.acquire(t.Context(), "a", 1)
	if !got {
		t.Fatal("no room after it was given back")
	}
	release()
	if len(b.peers) != 0 {
		t.Errorf("%d peers without a call are kept", len(b.peers))
	}
}

// queued returns how many calls wait for the room of their peer, or for that of all.
func queued(b *budget) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := b.all.waiting.Load()
	for _, own := range b.peers {
		sum += own.waiting.Load()
	}
	return sum
}

// TestAPeerLeavesRoomForOthers holds that whatever one peer has in work and in line,
// another one gets room at once.
func TestAPeerLeavesRoomForOthers(t *testing.T) {
	b := newBudget(Limits{Memory: 100, Floor: 10, Body: 50, Waiting: 4, Patience: time.Minute})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var releases []func()
	for range 5 {
		release, _ := b.acquire(ctx, "a", 10)
		releases = append(releases, release)
	}
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() { b.acquire(ctx, "a", 10) })
	}
	for queued(b) < 2 {
		time.Sleep(time.Millisecond) // until they are in line
	}
	if _, got := b.acquire(ctx, "a", 10); got {
		t.Error("a peer has more than half of the room")
	}
	release, got := b.acquire(ctx, "b", 50)
	if !got {
		t.Error("no room for another peer")
	}
	release()
	cancel()
	wait.Wait()
	for _, release := range releases {
		release()
	}
	if len(b.peers) != 0 || queued(b) != 0 {
		t.Errorf("%d peers are kept, %d calls wait", len(b.peers), queued(b))
	}
}

func TestWeight(t *testing.T) {
	for memory, want := range map[int64]int64{0: 10, 10: 10, 11: 11, 600: 600, 2000: 1000} {
		b := newBudget(Limits{Memory: 1000, Floor: 10, Patience: time.Minute})
		if release, ok := b.acquire(t.Context(), "a", memory); !ok || b.all.bytes.TryAcquire(1000-want+1) || !b.all.bytes.TryAcquire(1000-want) || b.peers["a"].bytes.TryAcquire(500-min(want, 500)+1) {
			t.Errorf("a call of %d does not count as %d", memory, want)
		} else {
			release()
		}
	}
}

// TestAReviewThatIsRefusedUnread holds that what cannot be measured reaches no hook, and
// that the hook reads what the measure leaves of others.
func TestAReviewThatIsRefusedUnread(t *testing.T) {
	var read string
	hook := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		read = string(text)
	})
	half := func(review []byte) ([]byte, int64, error) {
		if len(review) > 8 {
			return nil, 0, errors.New("spec.env: too many")
		}
		return review[:len(review)/2], 1, nil
	}
	m := NewMetrics()
	h := New(hook, Options{Name: "test", Limits: roomy, Measure: half, Refuse: RefuseCall, Metrics: m})
	if w := send(h, "/", "a review that is long"); w.Code != http.StatusBadRequest || w.Body.String() != "spec.env: too many\n" || read != "" {
		t.Errorf("answered %d %s; the hook has read %q", w.Code, w.Body, read)
	}
	if send(h, "/", "ab"); read != "a" {
		t.Errorf("the hook has read %q", read)
	}
	if got := figures(t, m); got["other other refused"] != 1 || got["other other allowed"] != 1 {
		t.Errorf("counted %v", got)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	hook := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		}
	})
	h, _ := guardedBy(hook, roomy)
	if got := send(h, "/", strings.Repeat("x", 101)).Code; got != http.StatusRequestEntityTooLarge {
		t.Errorf("a body that is too large by what it says gives %d", got)
	}
	r := httptest.NewRequest(http.MethodPost, "/", io.NopCloser(strings.NewReader(strings.Repeat("x", 101))))
	r.ContentLength = -1
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of unknown length gives %d", w.Code)
	}
	if got := send(h, "/", strings.Repeat("x", 100)).Code; got != http.StatusOK {
		t.Errorf("a body of just the size gives %d", got)
	}
}

// A caller that does not read its answer gives its room back.
func TestAnAnswerThatIsNotReadEnds(t *testing.T) {
	recorder := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	h, _ := guardedBy(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			_, _ = w.Write([]byte("answer"))
		}
	}), roomy)
	h.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("x")))
	if len(recorder.write) != 1 || time.Until(recorder.write[0]) > answerTime {
		t.Errorf("an answer has the deadlines %v, want one within %s", recorder.write, answerTime)
	}
}

// deadlines records the deadlines of writes.
type deadlines struct {
	*httptest.ResponseRecorder
	write []time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.write = append(d.write, at)
	return nil
}

func TestTimeLimit(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"5s": 4500 * time.Millisecond, "1s": 750 * time.Millisecond, "": maxTimeLimit - answerMargin,
		"-1s": maxTimeLimit - answerMargin, "junk": maxTimeLimit - answerMargin, "1000h": maxTimeLimit - answerMargin,
	} {
		if got := timeLimit(text); got != want {
			t.Errorf("timeout=%s leaves %s, want %s", text, got, want)
		}
	}
}

func TestTheCallersDeadlineReachesTheHook(t *testing.T) {
	var left time.Duration
	h, _ := guardedBy(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		deadline, _ := r.Context().Deadline()
		left = time.Until(deadline)
	}), roomy)
	send(h, "/validate?timeout=5s", "x")
	if left <= 0 || left > 4500*time.Millisecond {
		t.Errorf("the hook has %s", left)
	}
}

func TestAPanicIsOneAnswerAndIsCounted(t *testing.T) {
	h, m := guardedBy(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oh") }), roomy)
	for range 3 {
		if w := send(h, "/", "x"); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "oh") {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	}
	if got := figures(t, m); got["other other panic"] != 3 {
		t.Errorf("counted %v", got)
	}
}

func TestWhatAHookSaysIsCounted(t *testing.T) {
	answers := map[string]struct {
		answer admission.Response
		kind   string
		want   string
	}{
		"allowed":               {admission.Allowed(""), "GatiHandler", "GatiHandler CREATE allowed"},
		"refused":               {admission.Denied("no"), "GatiModule", "GatiModule CREATE refused"},
		"failed":                {admission.Errored(503, io.EOF), "GatiVersion", "GatiVersion CREATE error"},
		"a stranger's own kind": {admission.Denied("no"), "Made-up-0001", "other CREATE refused"},
	}
	for name, tc := range answers {
		t.Run(name, func(t *testing.T) {
			described := DescribeCalls(admission.HandlerFunc(func(context.Context, admission.Request) admission.Response { return tc.answer }))
			h, m := guardedBy(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				described.Handle(r.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
					Operation: admissionv1.Create, Kind: metav1.GroupVersionKind{Kind: tc.kind},
				}})
			}), roomy)
			send(h, "/", "x")
			if got := figures(t, m); got[tc.want] != 1 {
				t.Errorf("counted %v, want %s", got, tc.want)
			}
		})
	}
}

func TestAPanicWithinAReviewIsCounted(t *testing.T) {
	described := DescribeCalls(admission.HandlerFunc(func(context.Context, admission.Request) admission.Response { panic("oh") }))
	h, m := guardedBy(&admission.Webhook{Handler: described}, roomy)
	body := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"abc"}}`
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), `"code":500`) {
		t.Errorf("answered %s", w.Body)
	}
	if got := figures(t, m); got["other other panic"] != 1 {
		t.Errorf("counted %v", got)
	}
}
