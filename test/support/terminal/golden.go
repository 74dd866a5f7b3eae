package terminal

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens instead of comparing with them")

// Updates reports whether goldens are written instead of compared with.
func Updates() bool { return *update }

// Until looks until the golden of that path is what is seen, or until patience
// ends, and returns what was seen last. It is for what comes a little later than
// what one can wait for, such as events. Without a golden to compare with it
// looks until nothing has changed for a moment.
func Until(t testing.TB, path string, patience time.Duration, look func() string) string {
	t.Helper()
	want, err := os.ReadFile(path)
	blind := *update || err != nil
	seen, since := look(), time.Now()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(interval) {
		if blind && time.Since(since) > calm || !blind && seen == string(want) {
			break
		}
		if now := look(); now != seen {
			seen, since = now, time.Now()
		}
	}
	return seen
}

const (
	// interval is how often Until looks.
	interval = 200 * time.Millisecond
	// calm is for how long nothing may change to count as settled.
	calm = 2 * time.Second
)

// Golden compares a text with the golden of that path, or writes it.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is missing; -update writes it:\n%s", path, got)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got); if it is meant, -update writes it:\n%s", path, diff)
	}
}
