package app

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
)

// lifecycle ends the process in steps. The API server and kube-proxy need some time
// to notice that a replica ends; calls that arrive until then must be answered:
//
// 1. a signal: not ready, still serving;
// 2. after the delay or at a second signal: the context ends, and calls in flight
// are finished;
// 3. after the limit or at a third signal: the process ends at once. A cache that was
// never filled, for want of a right for example, does not end with its context.
type lifecycle struct {
	drain  func()
	delay  time.Duration
	limit  time.Duration
	cancel func()
	log    logr.Logger
}

// handleSignals starts to handle signals and returns the function that stops it.
func (l *lifecycle) handleSignals() func() {
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	done := make(chan struct{})
	go l.shutDown(signals, done, func() { os.Exit(exitFailed) })
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

func (l *lifecycle) shutDown(signals <-chan os.Signal, done <-chan struct{}, exit func()) {
	select {
	case s := <-signals:
		l.drain()
		l.log.Info("shutting down: not ready, still serving", "signal", s.String(), "delay", l.delay.String())
	case <-done:
		return
	}
	select {
	case s := <-signals:
		l.log.Info("stopping now", "signal", s.String())
	case <-time.After(l.delay):
		l.log.Info("stopping")
	case <-done:
		return
	}
	l.cancel()
	select {
	case <-signals:
		exit()
	case <-time.After(l.limit):
		l.log.Info("not everything has stopped; ending", "limit", l.limit.String())
		exit()
	case <-done:
	}
}
