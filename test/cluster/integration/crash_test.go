package integration

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

const (
	appliesPerLife = 10
	// longestLife is how long a process may live before it is killed. Its
	// controllers work after half a second, its webhooks after one or two.
	longestLife = 4 * time.Second
)

// How many there are of each.
var (
	crashHandlers = soak.Pick("killsDuringAppliesLoseNothing", 15, 8)
	crashModules  = soak.Pick("killsDuringAppliesLoseNothing", 5, 2)
)

// wish is the desired state of the specs in the end.
type wish struct {
	version  string
	image    string
	replicas int32
	level    string
}

// "kill -9 of gati-webhook at 20 random moments during 200 applies (a client that
// retries): all ends as the specs say, nothing twice, nothing missing." The short
// form has 2 and 20; make soak NAME=killsDuringAppliesLoseNothing has all.
func TestKillsDuringAppliesLoseNothing(t *testing.T) {
	kills := soak.Pick("killsDuringAppliesLoseNothing", 20, 2)
	moments := random.Moments(t)
	ns := makeNamespace(t)
	mortal, began := mortalWebhook(t), time.Now()
	// Each life lets the client do its share, so that the applies last as long as
	// the kills do.
	share := make(chan int, kills+1)
	done := make(chan error, 1)
	wanted := map[string]wish{}
	go func() { done <- applyAll(t.Context(), ns, share, wanted) }()
	for range kills {
		if err := mortal.Launch(); err != nil {
			t.Fatal(err)
		}
		share <- appliesPerLife
		time.Sleep(time.Duration(moments.Int63n(int64(longestLife))))
		if err := mortal.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	close(share)
	t.Logf("%d kills after %s", kills, time.Since(began).Round(time.Second))
	if err := mortal.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	t.Logf("%d applies after %s", kills*appliesPerLife, time.Since(began).Round(time.Second))

	await.Within(t, 3*time.Minute, "every handler and module Ready after the kills", func() error {
		return allReady(t, ns, crashHandlers+crashModules)
	})
	t.Logf("all Ready after %s", time.Since(began).Round(time.Second))
	awaitSettled(t, ns)
	if err := allReady(t, ns, crashHandlers+crashModules); err != nil {
		t.Fatalf("at rest, but not Ready: %v", err)
	}
	for name, want := range wanted {
		checkAfterCrash(t, ns, name, want)
	}
}

// mortalWebhook takes the place of the shared gati-webhook during a test. It
// elects no leader: a lease would keep its controllers idle for most of their
// short lives.
func mortalWebhook(t *testing.T) *local.Webhook {
	t.Helper()
	if err := webhook.Stop(); err != nil {
		t.Fatal(err)
	}
	w, err := local.Prepare(cluster, filepath.Dir(webhook.LogPath()), "--leader-elect=false")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
		startWebhook(t)
	})
	return w
}

// applyAll applies one object after another, each as often as it takes, and notes
// what it has asked for.
func applyAll(ctx context.Context, ns string, share <-chan int, wanted map[string]wish) error {
	next := 0
	for n := range share {
		for range n {
			if err := applyOne(ctx, ns, next, wanted); err != nil {
				return err
			}
			next++
		}
	}
	return nil
}

func applyOne(ctx context.Context, ns string, n int, wanted map[string]wish) error {
	which, round := n%(crashHandlers+crashModules), n/(crashHandlers+crashModules)
	want := wish{
		version: fmt.Sprintf("v1.%d.0", round/2), image: fmt.Sprintf("app:v1.%d.0", round/2),
		replicas: int32(1 + round%3), level: fmt.Sprintf("level-%d", round%4),
	}
	var obj client.Object
	var name string
	if which < crashHandlers {
		name = fmt.Sprintf("h%d", which)
		obj = builders.MakeHandler(name).Namespace(ns).Image(want.image).Replicas(want.replicas).Env("LEVEL", want.level).Obj()
		wanted["handler-"+name] = want
	} else {
		name = fmt.Sprintf("m%d", which-crashHandlers)
		obj = builders.MakeModule(name).Namespace(ns).ModuleName("m").Runtime("node:20").Image(want.image).
			Replicas(want.replicas).Env("LEVEL", want.level).Obj()
		wanted["module-"+name] = want
	}
	var err error
	for deadline := time.Now().Add(await.Patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err = applyObject(ctx, obj, "kubectl"); err == nil {
			return nil
		}
	}
	return fmt.Errorf("apply %s within %s: %w", name, await.Patience, err)
}
