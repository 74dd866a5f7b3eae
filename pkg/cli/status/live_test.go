package status_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
	"gati.dev/gati/test/support/screen"
)

// asPlugin makes the test binary the plugin, so that it can run in a terminal.
const asPlugin = "GATI_TEST_AS_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(asPlugin) == "" {
		os.Exit(m.Run())
	}
	os.Exit(cli.Run(context.Background(), cli.Process{
		Args: os.Args[1:], Streams: genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		Now: func() time.Time { return statustest.Now },
	}))
}

// inTerminal runs a command against a server in a terminal.
func inTerminal(t *testing.T, server *clitest.Server, args ...string) *screen.Session {
	t.Helper()
	return inTerminalWith(t, server, nil, args...)
}

// inTerminalWith is inTerminal with more in the environment. What the one who runs the
// tests thinks of colours does not count.
func inTerminalWith(t *testing.T, server *clitest.Server, env []string, args ...string) *screen.Session {
	t.Helper()
	cmd := exec.Command(os.Args[0], append(args, server.Connection()...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "NO_COLOR=") })
	cmd.Env = append(append(cmd.Env, asPlugin+"=1"), env...)
	return screen.Start(t, 100, 30, cmd)
}

// TestFirstPaint holds that the view is drawn from the handler alone: nothing else
// answers.
func TestFirstPaint(t *testing.T) {
	server := clitest.NewServer(t, statustest.AtStep())
	server.Dead = []string{status.ResourceDeployments, status.ResourcePods, status.ResourceVersions, status.ResourceAutoscalers}
	s := inTerminal(t, server, "rollout", "users")
	s.Shows("v2.0.0 has 50 % (step 2 of 3)", "3m00s left", "Traffic", "Events", "q quit")
	if got := server.Requests()[0]; !strings.Contains(got, "/gatihandlers/users?") {
		t.Errorf("the first request is %s", got)
	}
	s.Type("q")
	if code := s.Ends(); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
}

// TestExitOn holds that a view ends when the goal has come, and with what code.
func TestExitOn(t *testing.T) {
	t.Run("reached", func(t *testing.T) {
		server := clitest.NewServer(t, statustest.Progressing())
		s := inTerminal(t, server, "status", "gh/users", "--watch", "--exit-on=healthy")
		s.Shows("Progressing", "q quit")
		untilWatched(server)
		becomeReady(server)
		if code := s.Ends(); code != exit.OK {
			t.Errorf("exit code %d:\n%s", code, s.Screen())
		}
		s.Shows("gh/users  Healthy  2/2")
	})
	t.Run("left before", func(t *testing.T) {
		s := inTerminal(t, clitest.NewServer(t, statustest.Progressing()), "rollout", "users", "--exit-on=healthy")
		s.Shows("q quit")
		s.Type("q")
		if code := s.Ends(); code != exit.Interrupted {
			t.Errorf("exit code %d", code)
		}
	})
	t.Run("so already", func(t *testing.T) {
		s := inTerminal(t, clitest.NewServer(t, statustest.Stalled()), "rollout", "users", "--exit-on=healthy")
		if code := s.Ends(); code != exit.Unhealthy {
			t.Errorf("exit code %d:\n%s", code, s.Screen())
		}
	})
	t.Run("without a terminal", func(t *testing.T) {
		server := clitest.NewServer(t, statustest.Stalled())
		if got := clitest.Run(t.Context(), "", append([]string{"rollout", "users", "--exit-on=healthy"}, server.Connection()...)...); got.Code != exit.Unhealthy {
			t.Errorf("%+v", got)
		}
	})
}

// TestNoColor holds that NO_COLOR draws the same without a colour, and that --color
// outweighs it.
func TestNoColor(t *testing.T) {
	server := clitest.NewServer(t, statustest.Rejected())
	for name, tc := range map[string]struct {
		args string
		env  []string
		want bool
	}{
		"as it is":            {"rollout users", nil, true},
		"NO_COLOR":            {"rollout users", []string{"NO_COLOR=1"}, false},
		"NO_COLOR, the list":  {"status --watch", []string{"NO_COLOR=1"}, false},
		"never":               {"rollout users --color=never", nil, false},
		"NO_COLOR and always": {"rollout users --color=always", []string{"NO_COLOR=1"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := inTerminalWith(t, server, tc.env, strings.Fields(tc.args)...)
			s.Shows("✖", "RolledBack", "is not tried again", "q quit")
			if got := s.Coloured(); got != tc.want {
				t.Errorf("coloured %t", got)
			}
			s.Type("q")
			if code := s.Ends(); code != exit.OK {
				t.Errorf("exit code %d", code)
			}
			if got := s.Coloured(); got != tc.want {
				t.Errorf("coloured %t at the end", got)
			}
		})
	}
}

// TestServerGoes holds that a view says when its server has gone, and goes on.
func TestServerGoes(t *testing.T) {
	server := clitest.NewServer(t, statustest.AtStep())
	s := inTerminal(t, server, "status", "--watch")
	s.Shows("gh/users", "Progressing")
	server.Die()
	s.Shows("no connection for", "retrying", "gh/users")
	s.Type("\x03")
	if code := s.Ends(); code != exit.Interrupted {
		t.Errorf("exit code %d", code)
	}
}

// TestAViewOfWhatIsSettledEndsWithItsState holds that --timeout ends a view without an error
// where nothing is in progress.
func TestAViewOfWhatIsSettledEndsWithItsState(t *testing.T) {
	s := inTerminal(t, clitest.NewServer(t, statustest.Healthy()), "rollout", "users", "--timeout", "1s")
	s.Shows("gh/users  Healthy  2/2  2 of 2 pods are ready")
	if code := s.Ends(); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
}
