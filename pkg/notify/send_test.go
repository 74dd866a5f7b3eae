package notify

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSend(t *testing.T) {
	folder := t.TempDir()
	var got *http.Request
	status, header := 200, ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("Retry-After", header)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	defer s.Close()
	if err := os.WriteFile(filepath.Join(folder, "ops"), []byte(s.URL+"/secret-part\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sink := Sink{Name: "ops", Format: FormatSlack, SecretKey: "ops"}
	e := HandlerEvents(users(entry(0, "Completed", "v1", "v2", "")))[0]
	for _, tc := range []struct {
		status  int
		header  string
		fails   bool
		isFinal bool
		after   time.Duration
	}{
		{200, "", false, false, 0},
		{204, "", false, false, 0},
		{302, "", true, false, 0},
		{400, "", true, true, 0},
		{403, "", true, false, 0},
		{429, "7", true, false, 7 * time.Second},
		{503, "100000", true, false, maxRetryAfter},
		{503, "soon", true, false, 0},
	} {
		status, header = tc.status, tc.header
		err := sendEvent(t.Context(), newHTTPClient(), sink, folder, e)
		failed, _ := errors.AsType[*sendError](err)
		if (err != nil) != tc.fails || failed != nil && (failed.isFinal != tc.isFinal || failed.after != tc.after) {
			t.Errorf("%+v: %v %+v", tc, err, failed)
		}
		if got.URL.Path != "/secret-part" || got.Header.Get("Gati-Event-Id") != e.ID {
			t.Errorf("%+v: sent to %s with %v", tc, got.URL, got.Header)
		}
	}
	s.Close()
	err := sendEvent(t.Context(), newHTTPClient(), sink, folder, e)
	if err == nil || strings.Contains(err.Error(), "secret-part") {
		t.Errorf("a sink that is down: %v", err)
	}
	for key, want := range map[string]string{"none": "has no key none", "bad": "is no address"} {
		if err := os.WriteFile(filepath.Join(folder, "bad"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := sendEvent(t.Context(), newHTTPClient(), Sink{SecretKey: key}, folder, e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestPause(t *testing.T) {
	want := map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 6: 32 * time.Second, 7: time.Minute, 1000: time.Minute}
	for tries, long := range want {
		if got := retryDelay(tries, errors.New("down")); got != long {
			t.Errorf("after %d tries: %s, want %s", tries, got, long)
		}
	}
	if got := retryDelay(9, &sendError{after: 7 * time.Second}); got != 7*time.Second {
		t.Errorf("a sink that asks for 7 s gets %s", got)
	}
}
