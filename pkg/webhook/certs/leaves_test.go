package certs

import (
	"testing"
	"time"

	"github.com/go-logr/logr"
)

// No leaf is signed with a CA that the API server was not told of, and one that was
// signed is kept until it is old or its CA signs no more.
func TestWhatIsSigned(t *testing.T) {
	now := time.Now()
	before, after := newCA(t, commonName, now.Add(-time.Hour)), newCA(t, commonName, now)
	s := NewSelfManaged(SelfManagedOptions{Log: logr.Discard(), DNSNames: []string{"x"}, LeafLifetime: 3 * time.Hour})
	signedBy := func(at time.Time, want *ca, why string) {
		t.Helper()
		leaf, err := s.ensureLeaf(at)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case want == nil && leaf != nil:
			t.Errorf("there is a leaf %s", why)
		case want != nil && (leaf == nil || leaf.Leaf.CheckSignatureFrom(want.certificate) != nil):
			t.Errorf("there is no leaf of the right CA %s", why)
		}
	}

	signedBy(now, nil, "before there is a CA")
	s.setCA(before)
	signedBy(now, nil, "before the CA is published")
	s.Published(Bundle{after.certificate})
	signedBy(now, nil, "while another CA is published")
	s.Published(Bundle{before.certificate})
	signedBy(now, &before, "once it is published")

	first, _ := s.ensureLeaf(now)
	if kept, _ := s.ensureLeaf(now.Add(2*time.Hour - time.Minute)); kept != first {
		t.Error("a leaf is replaced before two thirds of its life are over")
	}
	if renewed, _ := s.ensureLeaf(now.Add(2*time.Hour + time.Minute)); renewed == first {
		t.Error("a leaf is kept with less than a third of its life left")
	}

	s.setCA(after)
	signedBy(now, &before, "while the new CA is not published")
	s.Published(Bundle{after.certificate, before.certificate})
	signedBy(now, &after, "once the new CA is published")
}
