package certs

import (
	"crypto/tls"
	"errors"
	"testing"
	"time"
)

func TestLeafHoldsANewCertificateBack(t *testing.T) {
	start := time.Now().Truncate(time.Second)
	ca := newCA(t, commonName, start)
	first := leafOf(t, ca, start, time.Hour)
	second := leafOf(t, ca, start.Add(30*time.Minute), time.Hour)
	third := leafOf(t, ca, start.Add(30*time.Minute+30*time.Second), time.Hour)

	now := start
	l := &servedLeaf{hold: time.Minute, now: func() time.Time { return now }}
	if _, err := l.currentLeaf(); !errors.Is(err, ErrNoCertificate) {
		t.Fatalf("got %v before there is one", err)
	}
	steps := []struct {
		at          time.Duration
		offer, want *tls.Certificate
	}{
		{0, first, first}, // there is nothing else to serve
		{30 * time.Minute, second, first},
		{30*time.Minute + 30*time.Second, third, first},
		{31 * time.Minute, third, first},
		{31*time.Minute + 30*time.Second, third, third},
		{32 * time.Minute, third, third},
	}
	for _, step := range steps {
		now = start.Add(step.at)
		l.updateLeaf(step.offer)
		got, err := l.currentLeaf()
		if err != nil {
			t.Fatal(err)
		}
		if got != step.want {
			t.Errorf("after %s the wrong certificate is served, one of %s", step.at, got.Leaf.NotBefore)
		}
	}
}

func TestLeafDoesNotHoldBackForAnExpiredOne(t *testing.T) {
	start := time.Now().Truncate(time.Second)
	ca := newCA(t, commonName, start)
	old, fresh := leafOf(t, ca, start, time.Minute), leafOf(t, ca, start.Add(time.Minute), time.Hour)
	now := start
	l := &servedLeaf{hold: time.Hour, now: func() time.Time { return now }}
	l.updateLeaf(old)
	now = start.Add(time.Minute)
	if !l.updateLeaf(fresh) {
		t.Error("an expired certificate is served while there is a valid one")
	}
}
