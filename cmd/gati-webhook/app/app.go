// Package app is the program gati-webhook: it reads the configuration and puts the
// parts together. It must not know what admission checks or what a controller decides.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

// Run runs the program until a signal or an error ends it, and returns its exit code.
func Run(args []string) int {
	config, err := loadConfig(args, os.Getenv)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(os.Stderr, "gati-webhook:", err)
		return exitUsage
	case config.version:
		fmt.Println("gati-webhook", buildVersion())
		return exitOK
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err = serve(ctx, config, os.Stderr, func(a *app) func() {
		stop := &lifecycle{drain: func() {}, limit: shutdownTimeout + exitMargin, cancel: cancel, log: ctrl.Log}
		if a.ready != nil { // Only callers of the hooks need time to notice.
			stop.drain, stop.delay = a.ready.Drain, config.ShutdownDelay
		}
		return stop.handleSignals()
	})
	if err != nil {
		ctrl.Log.Error(err, "gati-webhook stopped")
		return exitFailed
	}
	return exitOK
}

// Serve runs the program within another one until the context ends: without signals,
// and with its log where the other one wants it.
func Serve(ctx context.Context, args []string, log io.Writer) error {
	config, err := loadConfig(args, os.Getenv)
	if err != nil {
		return err
	}
	return serve(ctx, config, log, func(*app) func() { return func() {} })
}

// serve runs until the context ends. listen is called before the start, and the function
// that it returns after the end.
func serve(ctx context.Context, c *config, to io.Writer, listen func(*app) func()) error {
	setLogger(c, to)
	log := ctrl.Log
	log.Info("starting", "version", buildVersion(), "role", c.Role, "namespace", c.Namespace, "certMode", c.CertMode)
	if c.callsServers() {
		if err := trustAuthorities(c.CAFile); err != nil {
			return err
		}
	}
	app, err := newApp(c, log)
	if err != nil {
		return err
	}
	defer listen(app)()
	if err := app.run(ctx); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	log.Info("stopped")
	return nil
}

// release is set by the linker: -X gati.dev/gati/cmd/gati-webhook/app.release=v1.2.3.
var release = ""

// buildVersion returns the release, or the version in the binary's build information.
func buildVersion() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// buildInfo returns a metric that is always 1; its labels are the version.
func buildInfo() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "gati_webhook_build_info",
		Help:        "The build of gati-webhook that runs. Always 1.",
		ConstLabels: prometheus.Labels{"version": buildVersion(), "goversion": runtime.Version()},
	}, func() float64 { return 1 })
}
