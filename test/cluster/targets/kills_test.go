package targets

import (
	"context"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/test/support/terminal"
)

// isLong is set for the long form of TestTargetsSurviveKills.
var isLong = terminal.Soaks("targetsSurviveKills")

// TestTargetsSurviveKills kills gati-webhook while handlers under every target are created,
// take a canary and are deleted: what is live in the end is the same under each, and
// nothing is left. GATI_SOAK=targetsSurviveKills does so 60 times. It has gati-webhook to
// itself.
func TestTargetsSurviveKills(t *testing.T) {
	k := &killer{t: t, every: 10, atMost: 6}
	if isLong {
		k.every, k.atMost = 2, 60
	}
	k.start()
	playRows(t, []string{"create", "canary", "delete"}, playShort)
	if kills := k.stop(); kills < 3 {
		t.Errorf("%d kills, want at least 3", kills)
	} else {
		t.Logf("%d kills", kills)
	}
	gittest.Open(t, plans).CheckLinear("main")
}

// playShort is a creation, a canary and a deletion.
func playShort(s *story) {
	s.t.Helper()
	s.apply("v1", nil)
	s.reaches("v1=100%")
	s.ends("create")
	s.apply("v2", nil)
	s.reaches("v2=100%")
	s.awaitGone("handler-users--v1")
	s.ends("canary")
	s.delete()
	s.ends("delete")
	if s.row.left != nil {
		s.row.left(s)
	}
}

// killer kills gati-webhook after writes to handlers, their children and releases, and
// starts it again.
type killer struct {
	t *testing.T
	// every is how many writes there are between two kills, of which there are atMost.
	every, atMost int

	cancel  context.CancelFunc
	ended   sync.WaitGroup
	written chan struct{}
	kills   int
}

func (k *killer) start() {
	k.t.Helper()
	ctx, cancel := context.WithCancel(k.t.Context())
	k.cancel, k.written = cancel, make(chan struct{}, 1000)
	for _, kind := range []client.ObjectList{
		&v1.GatiHandlerList{}, &appsv1.DeploymentList{}, &corev1.ServiceList{}, &corev1.SecretList{}, &gatewayv1.HTTPRouteList{},
	} {
		w, err := admin.Watch(ctx, kind)
		if err != nil {
			k.t.Fatal(err)
		}
		k.ended.Go(func() {
			defer w.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-w.ResultChan():
					select {
					case k.written <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	k.ended.Go(func() { k.run(ctx) })
}

// run kills after the writes that a process has made, and some milliseconds.
func (k *killer) run(ctx context.Context) {
	moments := random.Moments(k.t)
	for k.kills < k.atMost {
		for range k.every {
			select {
			case <-ctx.Done():
				return
			case <-k.written:
			}
		}
		time.Sleep(time.Millisecond << moments.Intn(9)) // From the middle of a write to after several.
		if err := webhook.Kill(); err != nil {
			k.t.Error(err)
			return
		}
		k.kills++
		if err := webhook.Start(context.WithoutCancel(ctx)); err != nil {
			k.t.Error(err)
			return
		}
		k.forget()
	}
}

// forget drops the writes that were made before a process had started.
func (k *killer) forget() {
	for {
		select {
		case <-k.written:
		default:
			return
		}
	}
}

// stop ends the kills and returns their number. gati-webhook runs then.
func (k *killer) stop() int {
	k.cancel()
	k.ended.Wait()
	return k.kills
}
