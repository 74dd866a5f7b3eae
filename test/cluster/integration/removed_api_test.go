package integration

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/test/support/await"
)

// removeAPI removes the optional API of a kind while it is in use. The objects say so, which
// isTold waits for, and the watch ends: the log does not grow. Then it installs the API again.
func removeAPI(t *testing.T, kind string, uninstall, install func(context.Context) error, isTold func()) {
	t.Helper()
	before := countWatchErrors(t, kind)
	if err := uninstall(t.Context()); err != nil {
		t.Fatal(err)
	}
	isTold()
	// A reflector without an API waits for 30 to 60 s between two errors.
	const silence = 70 * time.Second
	lines, since := countWatchErrors(t, kind), time.Now()
	await.Within(t, 3*silence, "a log without errors of a watch of "+kind, func() error {
		if now := countWatchErrors(t, kind); now != lines {
			lines, since = now, time.Now()
		}
		if quiet := time.Since(since); quiet < silence {
			return fmt.Errorf("the last of %d came %s ago", lines, quiet.Round(time.Second))
		}
		return nil
	})
	if logged := lines - before; logged > 12 {
		t.Errorf("%d errors of a watch of %s were logged", logged, kind)
	}
	if err := install(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// countWatchErrors counts the lines that reflectors have logged about a kind.
func countWatchErrors(t *testing.T, kind string) (out int) {
	t.Helper()
	text, err := os.ReadFile(webhook.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.Contains(line, "ailed to watch") && strings.Contains(line, kind) {
			out++
		}
	}
	return out
}
