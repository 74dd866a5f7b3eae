package app

import (
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// answers is a RESTMapper that says what a test tells it to.
type answers struct {
	meta.RESTMapper
	err   error
	calls int
}

func (a *answers) RESTMapping(schema.GroupKind, ...string) (*meta.RESTMapping, error) {
	a.calls++
	return &meta.RESTMapping{}, a.err
}

func TestServed(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "HTTPRoute"}
	noMatch := &meta.NoKindMatchError{GroupKind: kind.GroupKind()}
	down := errors.New("connection refused")
	type ask struct {
		after  time.Duration // since the question before
		answer error
		want   bool
		err    error
		calls  int
	}
	tests := map[string][]ask{
		"served, and asked once":             {{answer: nil, want: true, calls: 1}, {after: time.Hour, answer: noMatch, want: true, calls: 1}},
		"not served, and believed a while":   {{answer: noMatch, calls: 1}, {after: time.Second, answer: nil, calls: 1}},
		"installed while we run":             {{answer: noMatch, calls: 1}, {after: time.Minute, answer: nil, want: true, calls: 2}},
		"an error is not an answer":          {{answer: down, err: down, calls: 1}, {answer: nil, want: true, calls: 2}},
		"an error later: what was said last": {{answer: noMatch, calls: 1}, {after: time.Minute, answer: down, calls: 2}},
	}
	for name, asks := range tests {
		t.Run(name, func(t *testing.T) {
			mapper := &answers{}
			a := newAPIs(mapper)
			now := time.Now()
			a.now = func() time.Time { return now }
			for i, q := range asks {
				now = now.Add(q.after)
				mapper.err = q.answer
				got, err := a.Served(kind)
				if got != q.want || !errors.Is(err, q.err) || mapper.calls != q.calls {
					t.Errorf("question %d: got %v, %v after %d calls, want %v, %v after %d", i, got, err, mapper.calls, q.want, q.err, q.calls)
				}
			}
		})
	}
}
