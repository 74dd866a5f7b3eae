package certs

import (
	"crypto/tls"
	"sync"
	"time"
)

// servedLeaf is the certificate being served. A later one is held back for a while:
// it is valid from the second it was signed, so an API server whose clock is
// behind, or that has yet to read the CA, would refuse it.
type servedLeaf struct {
	hold time.Duration
	now  func() time.Time

	mu            sync.Mutex
	serving, next *tls.Certificate
}

// updateLeaf accepts the newest certificate and reports whether the served one changed.
func (l *servedLeaf) updateLeaf(newest *tls.Certificate) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if newest != nil && newest != l.serving {
		l.next = newest
	}
	if l.next == nil || l.mustWait() {
		return false
	}
	l.serving, l.next = l.next, nil
	return true
}

func (l *servedLeaf) mustWait() bool {
	now := l.now()
	switch {
	case l.serving == nil, !l.serving.Leaf.NotAfter.After(now):
		return false
	default:
		return now.Before(l.next.Leaf.NotBefore.Add(l.hold))
	}
}

func (l *servedLeaf) currentLeaf() (*tls.Certificate, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.serving == nil {
		return nil, ErrNoCertificate
	}
	return l.serving, nil
}
