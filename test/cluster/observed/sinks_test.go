package observed

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// sink is a receiver of notifications.
type sink struct {
	*httptest.Server

	mu sync.Mutex
	// received are the bodies, ids their ids in the order of arrival.
	received []string
	ids      []string
	// meanwhile is called once, before an answer, with what has arrived.
	meanwhile func(body string) bool
}

func newSink() *sink {
	s := &sink{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.receiveNotification))
	return s
}

func (s *sink) receiveNotification(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.received, s.ids = append(s.received, string(body)), append(s.ids, r.Header.Get("Gati-Event-Id"))
	meanwhile := s.meanwhile
	s.mu.Unlock()
	if meanwhile != nil && meanwhile(string(body)) {
		s.interceptBodies(nil)
	}
}

// interceptBodies has a function called with each body before its answer, until it returns
// true.
func (s *sink) interceptBodies(f func(body string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meanwhile = f
}

// notification is a CloudEvent of ours.
type notification struct {
	SpecVersion, ID, Source, Type, Subject, Time string
	Data                                         struct{ Event, Kind, Namespace, Name, By, From, To, Message string }
}

// eventsOf returns the notifications about a namespace.
func (s *sink) eventsOf(namespace string) (out []notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, body := range s.received {
		var n notification
		if json.Unmarshal([]byte(body), &n) == nil && n.Data.Namespace == namespace {
			out = append(out, n)
		}
	}
	return out
}

// slackTexts returns the texts for Slack.
func (s *sink) slackTexts() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, body := range s.received {
		var n struct{ Text string }
		if json.Unmarshal([]byte(body), &n) == nil {
			out = append(out, n.Text)
		}
	}
	return out
}

// hasEvent reports whether a notification of an event of a namespace has arrived.
func (s *sink) hasEvent(namespace, event string) bool {
	return slices.ContainsFunc(s.eventsOf(namespace), func(n notification) bool { return n.Data.Event == event })
}

// The sinks: one for CloudEvents, one for Slack whose address is in the Secret, one that
// accepts connections and never answers.
var bus, slack, dead = newSink(), newSink(), newDead()

func newDead() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
	}()
	return l
}

// sinkFlags configures gati-webhook for the sinks. The folder is that of the Secret.
func sinkFlags() ([]string, func(), error) {
	folder, err := os.MkdirTemp("", "gati-notifications-")
	if err != nil {
		return nil, nil, err
	}
	flags := []string{
		"--otlp-endpoint=" + traces.URL + "/v1/traces", "--notify-secret-dir=" + folder,
		`--notify={name: bus, url: "` + bus.URL + `", events: [Started, Completed, RolledBack, NeedsAttention]}`,
		`--notify={name: ops, format: slack, secretKey: ops, events: [RolledBack]}`,
		`--notify={name: dead, url: "http://` + dead.Addr().String() + `", events: [Started, Completed]}`,
	}
	return flags, func() { _ = os.RemoveAll(folder) }, os.WriteFile(filepath.Join(folder, "ops"), []byte(slack.URL+"/T0/B0"), 0o600)
}
