package observed

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/await"
)

// awaitNotification waits for a notification of an event.
func awaitNotification(t *testing.T, namespace, event string) {
	t.Helper()
	await.Eventually(t, event+" of "+namespace+" arrives", func() error {
		if !bus.hasEvent(namespace, event) {
			return fmt.Errorf("so far: %+v", bus.eventsOf(namespace))
		}
		return nil
	})
}

// TestNotifications holds that the leader may be killed while a sink works on a
// notification: it arrives again with the same id, and what happens while no leader
// lives arrives, too. A sink that never answers delays nothing else.
func TestNotifications(t *testing.T) {
	ns := makeNamespace(t, "told")
	key := client.ObjectKey{Namespace: ns, Name: "users"}
	handler := func(version string) *v1.GatiHandler {
		h := makeUsersHandler(version)
		h.Namespace = ns
		return h
	}
	applyHandler(t, handler("v1"))
	awaitHealth(t, key, v1.Healthy, "v1")
	awaitNotification(t, ns, "Started")
	applyHandler(t, handler("v2"))
	awaitHealth(t, key, v1.Paused, "v1")

	killed := make(chan error, 1)
	defer bus.interceptBodies(nil)
	bus.interceptBodies(func(body string) bool {
		if !strings.Contains(body, `"event":"RolledBack"`) || !strings.Contains(body, `"namespace":"`+ns+`"`) {
			return false
		}
		killed <- env.Webhook.Kill()
		return true
	})
	runCommand(t, "kubectl gati rollout abort users -n "+ns+" --yes")
	select {
	case err := <-killed:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(await.Patience):
		t.Fatalf("no notification of the rollback: %+v", bus.eventsOf(ns))
	}
	if err := env.Webhook.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var twice []notification
	await.Eventually(t, "the rollback arrives again", func() error {
		twice = nil
		for _, n := range bus.eventsOf(ns) {
			if n.Data.Event == "RolledBack" {
				twice = append(twice, n)
			}
		}
		if len(twice) < 2 {
			return fmt.Errorf("%+v", twice)
		}
		return nil
	})
	for _, n := range twice {
		if n != twice[0] || len(n.ID) != 32 || n.Type != "dev.gati.rolledback" || n.SpecVersion != "1.0" ||
			n.Source != "/apis/gati.dev/v1/namespaces/"+ns+"/gatihandlers/users" || n.Data.To != "v1 100 %" {
			t.Errorf("got %+v, then %+v", twice[0], n)
		}
	}
	awaitNotification(t, ns, "NeedsAttention")
	await.Eventually(t, "Slack hears of it, by the address in the Secret", func() error {
		for _, text := range slack.slackTexts() {
			if strings.HasPrefix(text, "*RolledBack* "+ns+"/users: v2 50 %") {
				return nil
			}
		}
		return fmt.Errorf("%v", slack.slackTexts())
	})
	assertOnlyDeadSinkWaits(t)
	assertNotRepeated(t, ns)
}

// assertOnlyDeadSinkWaits holds that the dead sink has events that wait, and no other has.
func assertOnlyDeadSinkWaits(t *testing.T) {
	t.Helper()
	await.Eventually(t, "only the dead sink waits", func() error {
		text, err := env.Webhook.Metrics(t.Context())
		if err != nil {
			return err
		}
		for series, waits := range map[string]bool{"bus": false, "ops": false, "dead": true} {
			if got := !strings.Contains(text, `gati_notifications_pending{sink="`+series+`"} 0`); got != waits {
				return fmt.Errorf("the sink %s waits: %t", series, got)
			}
		}
		return nil
	})
}

// assertNotRepeated holds that a leader that ended orderly leaves nothing to be told again, and
// that what happens to a handler while none leads is told by the next.
func assertNotRepeated(t *testing.T, ns string) {
	t.Helper()
	await.Eventually(t, "what was delivered is stored", func() error {
		text := env.Must(t, "", "-n", "gati-system", "get", "configmap", "gati-notifications", "-o", "jsonpath={.data.bus}")
		for _, n := range bus.eventsOf(ns) {
			if !strings.Contains(text, n.ID) {
				return fmt.Errorf("%s is not in %s", n.Data.Event, text)
			}
		}
		return nil
	})
	before := len(bus.eventsOf(ns))
	if err := env.Webhook.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := env.Webhook.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "kubectl gati rollout retry users -n "+ns+" --yes")
	await.Eventually(t, "the retry is told", func() error {
		if got := bus.eventsOf(ns); len(got) <= before || got[len(got)-1].Data.Event != "Started" {
			return fmt.Errorf("%+v", got[min(before, len(got)):])
		}
		return nil
	})
	ids := map[string]int{}
	for _, n := range bus.eventsOf(ns)[before:] {
		ids[n.ID]++
	}
	for _, n := range bus.eventsOf(ns)[:before] {
		if ids[n.ID] > 0 {
			t.Errorf("%s was told again after an orderly restart", n.Data.Event)
		}
	}
}
