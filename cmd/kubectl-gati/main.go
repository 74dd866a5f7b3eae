// Command kubectl-gati is the kubectl plugin of Gati on Kubernetes.
package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/cmd/kubectl-gati/startup"
	"gati.dev/gati/pkg/cli"
)

func main() {
	args := os.Args[1:]
	if strings.HasPrefix(filepath.Base(os.Args[0]), "kubectl_complete-") {
		args = append([]string{"__complete"}, args...) // kubectl asks for completions by this name
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	code := cli.Run(ctx, cli.Process{Args: args, Streams: streams, Now: time.Now, Begin: startup.Over})
	stop()
	os.Exit(code)
}
