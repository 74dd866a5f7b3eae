package bench

import (
	"os/exec"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
	"gati.dev/gati/test/support/screen"
)

// paintBudget is how long the live view may take to be drawn, from the start of the
// program on.
const paintBudget = 150 * time.Millisecond

// TestBenchFirstPaint times the live view of a handler, and of a namespace, in a
// terminal. Only the handlers and modules themselves are answered: the first drawing
// needs nothing else. It prints and does not judge: on a busy machine the time of a
// process is that of the others.
func TestBenchFirstPaint(t *testing.T) {
	for what, args := range map[string][]string{
		"rollout users": {"rollout", "users"}, "status --watch": {"status", "--watch"},
	} {
		server := clitest.NewServer(t, statustest.AtStep())
		server.Dead = []string{status.ResourceDeployments, status.ResourcePods, status.ResourceVersions, status.ResourceAutoscalers}
		var times []time.Duration
		for range *rounds {
			begin := time.Now()
			s := screen.Start(t, 100, 30, exec.Command(pluginPath(), append(args, server.Connection()...)...))
			s.Shows("v2.0.0 has 50 % (step 2 of 3)", "q quit")
			times = append(times, time.Since(begin))
			s.Type("q")
			if code := s.Ends(); code != 0 {
				t.Fatalf("exit code %d", code)
			}
		}
		t.Logf("first paint, %s: %s (budget %s)", what, median(times), paintBudget)
	}
}
