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
		seen []ca // in the order in which the Secret held them
		live []ca
		want []ca
	}{
		"no CA yet":                        {live: []ca{old}},
		"the first":                        {seen: []ca{fresh}, want: []ca{fresh}},
		"a new one beside that before":     {seen: []ca{old, fresh}, want: []ca{fresh, old}},
		"a new one beside what is live":    {seen: []ca{fresh}, live: []ca{old}, want: []ca{fresh, old}},
		"newest first, whatever the order": {seen: []ca{older, fresh}, live: []ca{older, old}, want: []ca{fresh, old, older}},
		"nothing is twice":                 {seen: []ca{old, fresh}, live: []ca{fresh, old}, want: []ca{fresh, old}},
		"what is expired goes":             {seen: []ca{fresh}, live: []ca{expired}, want: []ca{fresh}},
		"what is foreign goes":             {seen: []ca{fresh}, live: []ca{foreign}, want: []ca{fresh}},
		"an older one is put back":         {seen: []ca{old, fresh, old}, live: []ca{fresh}, want: []ca{old, fresh}},
		"and only this replica missed it":  {seen: []ca{old}, live: []ca{fresh, older}, want: []ca{old, fresh}},
		"until a newer one comes":          {seen: []ca{old, settled, old, fresh}, want: []ca{fresh, settled, old}},
		"after a leaf's life all go":       {seen: []ca{old, settled}, live: []ca{settled, old, older}, want: []ca{settled}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := NewSelfManaged(SelfManagedOptions{Log: logr.Discard()})
			for _, ca := range tc.seen {
				s.setCA(ca)
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
	s.setCA(ca)
	select {
	case <-s.Changed():
	default:
		t.Fatal("a new CA is not told of")
	}
	s.setCA(ca)
	select {
	case <-s.Changed():
		t.Error("the same CA is told of twice")
	default:
	}
}
