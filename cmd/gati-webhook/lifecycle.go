package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
)

// lifecycle turns signals into an end in two steps. The API server and kube-proxy
// need some time to learn that a replica goes; until then calls still come, and
// they have to be answered:
//
//  1. a signal: not ready any more, serving on;
//  2. after the delay, or at a second signal: the context ends, and what is in
//     flight is finished.
//
// A third signal ends the process at once.
type lifecycle struct {
	drain  func()
	delay  time.Duration
	cancel func()
	log    logr.Logger
}

// listen starts to listen and returns how to stop.
func (l *lifecycle) listen() func() {
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	done := make(chan struct{})
	go l.run(signals, done, func() { os.Exit(exitFailed) })
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

func (l *lifecycle) run(signals <-chan os.Signal, done <-chan struct{}, exit func()) {
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
	case <-done:
	}
}
