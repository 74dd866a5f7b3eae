package cli_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli"
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

// press runs the command in a terminal, presses each key there and says yes where it is
// asked, and leaves. An error is what the view ends with; what a key comes to is told in
// the view.
func (u use) press(t *testing.T, server *clitest.Server) clitest.Result {
	cmd := exec.Command(os.Args[0], append(strings.Fields(u.args), server.Connection()...)...)
	cmd.Env = append(os.Environ(), asPlugin+"=1")
	s := screen.Start(t, 160, 40, cmd)
	asked := func(screen string) bool { return strings.Contains(screen, "y yes") }
	refused := func(screen string) bool {
		return strings.Contains(screen, "forbidden") || strings.Contains(screen, "cannot create") || strings.Contains(screen, "cannot patch")
	}
	s.Shows("R restart", "q quit")
	for _, key := range u.keys {
		s.Type(string(key))
		if screen, shown := s.Becomes(func(screen string) bool { return asked(screen) || refused(screen) }); !shown {
			t.Errorf("%s, key %q comes to nothing:\n%s", u.args, key, screen)
		} else if asked(screen) {
			s.Type("y")
			s.Hides("y yes")
			s.Shows(": done")
		}
		s.Type("?") // a page of its own takes away what is said
		s.Shows("quit with exit code 130")
		s.Type("?")
		s.Hides("quit with exit code 130")
	}
	s.Type("q")
	code := s.Ends()
	return clitest.Result{Stdout: s.Screen(), Code: code}
}
