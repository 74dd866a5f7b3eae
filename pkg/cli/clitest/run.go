package clitest

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/pkg/cli"
	"gati.dev/gati/pkg/status/statustest"
)

// Result is what a command left behind.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Run runs the plugin with arguments, at the moment of the scenarios.
func Run(ctx context.Context, stdin string, args ...string) Result {
	var out, errOut bytes.Buffer
	code := cli.Run(ctx, cli.Process{
		Args:    args,
		Streams: genericiooptions.IOStreams{In: io.Reader(strings.NewReader(stdin)), Out: &out, ErrOut: &errOut},
		Now:     func() time.Time { return statustest.Now },
	})
	return Result{out.String(), errOut.String(), code}
}

// Connection returns the flags that lead to the server and to nothing else.
func (s *Server) Connection() []string {
	return []string{"--kubeconfig", os.DevNull, "--server", s.URL, "-n", statustest.Namespace}
}
