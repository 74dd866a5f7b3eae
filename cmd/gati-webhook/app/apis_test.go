package app

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An API that is installed or removed while we run is noticed within a minute, and what
// is known is not asked for by each caller.
func TestServed(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "HTTPRoute"}
	type answer struct {
		kinds []string
		err   error
	}
	yes := answer{kinds: []string{"Gateway", "HTTPRoute"}}
	others := answer{kinds: []string{"Gateway"}}
	no := answer{err: apierrors.NewNotFound(schema.GroupResource{}, "v1")}
	down := answer{err: errors.New("connection refused")}
	tests := map[string]struct {
		first, later answer
		want, then   bool
		err          error
	}{
		"served":                           {first: yes, later: yes, want: true, then: true},
		"installed while we run":           {first: no, later: yes, then: true},
		"removed while we run":             {first: yes, later: no, want: true},
		"removed, and others of its group": {first: yes, later: others, want: true},
		"an error is not an answer":        {first: down, later: yes, then: true, err: down.err},
		"an error later: the last answer":  {first: yes, later: down, want: true, then: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var answers atomic.Pointer[answer]
				var calls atomic.Int32
				answers.Store(&tc.first)
				var unwatched atomic.Int32
				a := newAPIs(func(string) (*metav1.APIResourceList, error) {
					calls.Add(1)
					out, now := &metav1.APIResourceList{}, answers.Load()
					for _, k := range now.kinds {
						out.APIResources = append(out.APIResources, metav1.APIResource{Kind: k})
					}
					return out, now.err
				}, func(schema.GroupVersionKind) { unwatched.Add(1) })
				for range 3 {
					if got, err := a.Served(kind); got != tc.want || !errors.Is(err, tc.err) {
						t.Errorf("at first %v, %v; want %v, %v", got, err, tc.want, tc.err)
					}
				}
				if n := calls.Load(); n != 1 && tc.err == nil {
					t.Errorf("%d calls, want 1", n)
				}
				ctx, stop := context.WithTimeout(t.Context(), 50*time.Second)
				defer stop()
				go func() { _ = a.Start(ctx) }()
				synctest.Wait()
				answers.Store(&tc.later)
				<-ctx.Done()
				if got, err := a.Served(kind); got != tc.then || err != nil {
					t.Errorf("50 s later %v, %v; want %v", got, err, tc.then)
				}
				// Again and again: a read may have begun a watch meanwhile.
				if n := unwatched.Load(); (n > 1) == tc.then {
					t.Errorf("the watch was ended %d times, served: %v", n, tc.then)
				}
			})
		})
	}
}
