package observe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
)

// slowReader answers no read before a number of them are under way: an API server with so
// much to do that each read waits for its turn.
type slowReader struct {
	client.Reader
	atOnce int

	mu   sync.Mutex
	came []string
	all  chan struct{}
}

func newSlowReader(t *testing.T, atOnce int) *slowReader {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, v1.AddToScheme, gatewayv1.Install} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	return &slowReader{Reader: fake.NewClientBuilder().WithScheme(s).Build(), atOnce: atOnce, all: make(chan struct{})}
}

func (r *slowReader) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := r.await(ctx, fmt.Sprintf("%T", obj)); err != nil {
		return err
	}
	return r.Reader.Get(ctx, key, obj, opts...)
}

func (r *slowReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if err := r.await(ctx, fmt.Sprintf("%T", list)); err != nil {
		return err
	}
	return r.Reader.List(ctx, list, opts...)
}

func (r *slowReader) await(ctx context.Context, what string) error {
	r.mu.Lock()
	if r.came = append(r.came, what); len(r.came) == r.atOnce {
		close(r.all)
	}
	r.mu.Unlock()
	select {
	case <-r.all:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
}

// TestStoriesReadAtOnce holds that a story costs one wait for the API server. One after
// another its reads took longer than the deadline of admission on a busy machine, so that no
// dry run came to its children, however often it was asked again.
func TestStoriesReadAtOnce(t *testing.T) {
	f := facts.Facts{Namespace: "shop", HTTPRouteServed: true}
	tests := map[string]struct {
		reads int
		read  func(context.Context, client.Reader) error
	}{
		"a handler": {7, func(ctx context.Context, r client.Reader) error {
			h := builders.MakeHandler("users").Namespace("shop").Path("/users").Image("app:v1").Gateway("g").Obj()
			_, err := observe.Stories{Reader: r}.Handler(ctx, h, f)
			return err
		}},
		"a module": {3, func(ctx context.Context, r client.Reader) error {
			_, err := observe.Stories{Reader: r}.Module(ctx, builders.MakeModule("db").Namespace("shop").Image("app:v1").Obj(), f)
			return err
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r := newSlowReader(t, tc.reads)
			if err := tc.read(ctx, r); err != nil || len(r.came) != tc.reads {
				t.Errorf("%d reads %q, want %d at once; error %v", len(r.came), r.came, tc.reads, err)
			}
		})
	}
}

// TestTheFirstReadsErrorIsTold holds that of several errors the same is told each time.
func TestTheFirstReadsErrorIsTold(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := builders.MakeHandler("users").Namespace("shop").Path("/users").Image("app:v1").Obj()
	for range 20 {
		_, err := observe.Stories{Reader: newSlowReader(t, 100)}.Handler(ctx, h, facts.Facts{Namespace: "shop"})
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "ControllerRevisionList") {
			t.Fatalf("the error is %v, want that of the revisions", err)
		}
	}
}
