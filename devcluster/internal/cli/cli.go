// Package cli reads the command line of devcluster, calls what it asks for and
// prints the answer: results on standard output, progress and errors on
// standard error.
//
// It must not know how clusters or executables are made.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gati.dev/gati/devcluster/internal/progress"
)

// The exit codes.
const (
	exitOK = iota
	exitError
	exitUsage
	// exitUnhealthy is the answer of status when not all is well.
	exitUnhealthy
)

const usage = `devcluster runs a real Kubernetes on this machine.

Usage:
  devcluster up      [--dir DIR] [--nodes NODES] [--gateway traefik] [--prometheus]
                     [--network-policies] [--keda] [--oldest]
                                                          start a cluster and wait until it is ready
  devcluster down    [--dir DIR] [--keep-logs]           stop it and remove all that it made
  devcluster status  [--dir DIR]                         show its parts; exit code 3 when not all is well
  devcluster restart [--dir DIR] COMPONENT               kill a component and start it again, for tests
  devcluster image   [--dir DIR] load FILE               give the real node the images of an archive
  devcluster assets  [--nodes NODES] [--gateway traefik] [--prometheus]
                     [--network-policies] [--keda] [--oldest]
                                                          print the directory of its executables

--nodes is one of
  kwok:N   N simulated nodes, 3 by default: pods are Ready at once and run nothing
  none     no nodes
  real     one node that runs pods, with ClusterIPs, DNS, and metrics for
           autoscalers; on Linux, as root
--gateway traefik adds a Gateway API data plane, --prometheus a Prometheus, and
--keda KEDA; --network-policies has the node drop what no NetworkPolicy allows.
They need --nodes real, but for assets --prometheus: the program is of use by itself.

--oldest takes the oldest Kubernetes that Gati supports, for the control plane and
the node. A cluster that is up stays as it is.

--dir is the cluster's directory, .devcluster by default. Its executables are
built on first use and kept in $GATI_CACHE, ~/.cache/gati by default.

Exit codes: 0 done, 1 error, 2 wrong usage, 3 not healthy.
`

// usageError is an error in how the program was called.
type usageError struct{ error }

// errUnhealthy ends status when its table said what is wrong.
var errUnhealthy = errors.New("not healthy")

// command is one call of the program.
type command struct {
	options  options
	stdout   io.Writer
	progress *progress.Reporter
}

// Run does what the arguments ask for and returns the exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	options, err := parseOptions(args)
	if err == nil {
		c := command{options: options, stdout: stdout, progress: progress.New(stderr)}
		err = c.dispatch(ctx)
	}
	return reportError(err, stderr)
}

func (c command) dispatch(ctx context.Context) error {
	switch c.options.command {
	case "up":
		return c.upCluster(ctx)
	case "down":
		return c.downCluster(ctx)
	case "status":
		return c.status(ctx)
	case "restart":
		return c.restartComponent(ctx)
	case "image":
		return c.loadImage(ctx)
	case "assets":
		return c.buildAssets(ctx)
	}
	fmt.Fprint(c.stdout, usage)
	return nil
}

// reportError prints an error and returns the exit code for it.
func reportError(err error, stderr io.Writer) int {
	var wrong usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errUnhealthy):
		return exitUnhealthy
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "devcluster: %v\nRun devcluster help to see how it is called.\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "devcluster: %v\n", err)
	return exitError
}
