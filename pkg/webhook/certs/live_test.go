package certs

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// If the API server is away, all replicas would go out of service together, and
// be away when it is back.
func TestWhatWasReadLastHoldsWhileTheAPIServerIsAway(t *testing.T) {
	away := errors.New("connection refused")
	var refuse atomic.Pointer[client.ObjectKey]
	all := client.ObjectKey{}
	reader := intercepted(t, func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object) error {
		if which := refuse.Load(); which != nil && (*which == all || *which == key) {
			return away
		}
		return c.Get(ctx, key, obj)
	})
	live := NewLive(reader, Targets("hooks", "x.gati.dev"))

	crdAlone := client.ObjectKey{Name: "x.gati.dev"}
	refuse.Store(&crdAlone)
	if found, err := live.Endpoints(t.Context()); !errors.Is(err, away) {
		t.Fatalf("got %d clientConfigs and error %v before all were read once", len(found), err)
	}
	refuse.Store(nil)
	if found, err := live.Endpoints(t.Context()); err != nil || len(found) != 4 {
		t.Fatalf("got %d clientConfigs and error %v, want 4", len(found), err)
	}
	refuse.Store(&all)
	if found, err := live.Endpoints(t.Context()); err != nil || len(found) != 4 {
		t.Errorf("got %d clientConfigs and error %v, want the 4 of before", len(found), err)
	}
	// The injector writes by what it has read: for it a guess is worse than none.
	if _, err := live.States(t.Context()); !errors.Is(err, away) {
		t.Errorf("the states are guessed; error %v", err)
	}
}

// A look costs an API server a tenth when it answers from memory. What is written by
// comes from its store.
func TestOnlyMetadataComeFromTheWatchCache(t *testing.T) {
	var metadata, whole atomic.Int32
	inner := fakeClient(t, mutating(nil), validating(), crd("x.gati.dev", true)).(client.WithWatch)
	reader := interceptor.NewClient(inner, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, options ...client.GetOption) error {
			asked := (&client.GetOptions{}).ApplyOptions(options).AsGetOptions().ResourceVersion
			switch _, isMetadata := obj.(*metav1.PartialObjectMetadata); {
			case isMetadata && asked == "0":
				metadata.Add(1)
			case !isMetadata && asked == "":
				whole.Add(1)
			default:
				t.Errorf("a %T is read at resourceVersion %q", obj, asked)
			}
			return c.Get(ctx, key, obj)
		},
	})
	live := NewLive(reader, Targets("hooks", "x.gati.dev"))
	for range 2 {
		if _, err := live.States(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n, of := metadata.Load(), whole.Load(); n != 2*of || of == 0 {
		t.Errorf("in two looks the metadata were read %d times, and the objects %d times; want each object once", n, of)
	}
}

// With an API server that takes long, five reads take no longer than one.
func TestTargetsAreReadAtTheSameTime(t *testing.T) {
	targets := Targets("hooks", "x.gati.dev")
	together, asked := make(chan struct{}), atomic.Int32{}
	reader := intercepted(t, func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object) error {
		if asked.Add(1) == int32(len(targets)) {
			close(together)
		}
		select {
		case <-together:
			return c.Get(ctx, key, obj)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := NewLive(reader, targets).States(ctx); err != nil {
		t.Errorf("with %d of %d asked: %v", asked.Load(), len(targets), err)
	}
}

// intercepted is a reader of hooks and a CRD whose Get is another.
func intercepted(t *testing.T, get func(context.Context, client.WithWatch, client.ObjectKey, client.Object) error) client.Reader {
	t.Helper()
	inner := fakeClient(t, mutating(nil), validating(), crd("x.gati.dev", true)).(client.WithWatch)
	return interceptor.NewClient(inner, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
			return get(ctx, c, key, obj)
		},
	})
}
