package certs

import (
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
)

func TestDesired(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Now().Truncate(time.Second)
	fresh := newCA(t, commonName, now)
	settled := newCA(t, commonName, now.Add(-8*day))
	old := newCA(t, commonName, now.Add(-200*day))
	older := newCA(t, commonName, now.Add(-300*day))
	expired := newCA(t, commonName, now.Add(-400*day))
	foreign := newCA(t, "somebody-else", now)

	tests := map[string]struct {
		seen []testCA // in the order in which the Secret held them
		live []testCA
		want []testCA
	}{
		"no CA yet":                        {live: []testCA{old}},
		"the first":                        {seen: []testCA{fresh}, want: []testCA{fresh}},
		"a new one beside that before":     {seen: []testCA{old, fresh}, want: []testCA{fresh, old}},
		"a new one beside what is live":    {seen: []testCA{fresh}, live: []testCA{old}, want: []testCA{fresh, old}},
		"newest first, whatever the order": {seen: []testCA{older, fresh}, live: []testCA{older, old}, want: []testCA{fresh, old, older}},
		"nothing is twice":                 {seen: []testCA{old, fresh}, live: []testCA{fresh, old}, want: []testCA{fresh, old}},
		"what is expired goes":             {seen: []testCA{fresh}, live: []testCA{expired}, want: []testCA{fresh}},
		"what is foreign goes":             {seen: []testCA{fresh}, live: []testCA{foreign}, want: []testCA{fresh}},
		"an older one is put back":         {seen: []testCA{old, fresh, old}, live: []testCA{fresh}, want: []testCA{old, fresh}},
		"and only this replica missed it":  {seen: []testCA{old}, live: []testCA{fresh, older}, want: []testCA{old, fresh}},
		"until a newer one comes":          {seen: []testCA{old, settled, old, fresh}, want: []testCA{fresh, settled, old}},
		"after a leaf's life all go":       {seen: []testCA{old, settled}, live: []testCA{settled, old, older}, want: []testCA{settled}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := NewSelfManaged(SelfManagedOptions{Log: logr.Discard()})
			for _, ca := range tc.seen {
				s.setCA(ca.certificate)
			}
			got := s.Desired(bundleOf(tc.live))
			if !slices.EqualFunc(got, bundleOf(tc.want), equalCertificates) {
				t.Errorf("got %s, want %s", dates(got), dates(bundleOf(tc.want)))
			}
			again := s.Desired(got)
			if !slices.EqualFunc(got, again, equalCertificates) {
				t.Errorf("with it standing, something else is desired: %s, then %s", dates(got), dates(again))
			}
		})
	}
}

func TestChangedIsSetOnceForEachCA(t *testing.T) {
	s := NewSelfManaged(SelfManagedOptions{Log: logr.Discard()})
	ca := newCA(t, commonName, time.Now())
	s.setCA(ca.certificate)
	select {
	case <-s.Changed():
	default:
		t.Fatal("a new CA is not told of")
	}
	s.setCA(ca.certificate)
	select {
	case <-s.Changed():
		t.Error("the same CA is told of twice")
	default:
	}
}
