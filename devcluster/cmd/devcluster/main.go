// Command devcluster runs a real Kubernetes control plane on this machine,
// with no container engine and no registry: it builds what it needs from Go
// modules. See the README beside go.mod.
//
// It must not know how any of it works: package cli reads the command line and
// the packages under internal do the rest.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"gati.dev/gati/devcluster/internal/cli"
)

func main() {
	// A closing terminal sends SIGHUP: it must not leave half a cluster.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
