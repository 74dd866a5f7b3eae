// Command gati-webhook admits and converts the objects of gati.dev and runs the
// controllers that apply their plans.
//
// This package reads the configuration and assembles the parts. It must not know
// what admission checks or what a controller decides.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// Exit codes.
const (
	exitOK = iota
	exitFailed
	exitUsage
)

func run(args []string) int {
	config, err := loadConfig(args, os.Getenv)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(os.Stderr, "gati-webhook:", err)
		return exitUsage
	case config.version:
		fmt.Println("gati-webhook", version())
		return exitOK
	}
	setLogger(config, os.Stderr)
	if err := runApp(config); err != nil {
		ctrl.Log.Error(err, "gati-webhook stopped")
		return exitFailed
	}
	return exitOK
}

// runApp runs until a signal or an error ends it.
func runApp(c *config) error {
	log := ctrl.Log
	log.Info("starting", "version", version(), "namespace", c.Namespace, "certMode", c.CertMode)
	app, err := newApp(c, log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := &lifecycle{drain: app.ready.Drain, delay: c.ShutdownDelay, cancel: cancel, log: log}
	defer stop.handleSignals()()
	if err := app.manager.Start(ctx); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	log.Info("stopped")
	return nil
}
