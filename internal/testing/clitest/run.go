package clitest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/internal/contract"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli"
)

// Result is the outcome of a command.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Run runs the plugin with arguments, at the moment of the scenarios. An exit code
// that the command does not promise is a panic: scripts branch on them.
func Run(ctx context.Context, stdin string, args ...string) Result {
	var out, errOut bytes.Buffer
	code := cli.Run(ctx, cli.Process{
		Args:    args,
		Streams: genericiooptions.IOStreams{In: io.Reader(strings.NewReader(stdin)), Out: &out, ErrOut: &errOut},
		Now:     func() time.Time { return statustest.Now },
	})
	if c, known := contract.Named(args); known && !slices.Contains(c.Codes(), code) {
		panic(fmt.Sprintf("kubectl gati %s ended with exit code %d, which internal/contract does not have:\n%s", strings.Join(args, " "), code, errOut.String()))
	}
	return Result{out.String(), errOut.String(), code}
}

// Connection returns the flags that lead to the server and to nothing else. What a test has
// set of the server before counts for what comes over it, also from another process.
func (s *Server) Connection() []string {
	s.mu.Lock() // Each request takes it after this, and so sees what was set.
	defer s.mu.Unlock()
	return []string{"--kubeconfig", os.DevNull, "--server", s.URL, "-n", statustest.Namespace}
}
