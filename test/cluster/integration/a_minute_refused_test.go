package integration

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"

	"gati.dev/gati/test/support/await"
)

// healsWithin is two of the controller's retries of a minute, and some.
const healsWithin = 150 * time.Second

// "The same for real is admitted and becomes one condition and one Event, retried
// no faster than once a minute, and heals by itself." The short form has every second
// obstacle, "make soak NAME=whatTheAPIServerRefusesForRealHeals" each.
func TestWhatTheAPIServerRefusesForRealHeals(t *testing.T) {
	t.Parallel()
	chosen := soak.Share(t, "whatTheAPIServerRefusesForRealHeals", 2)
	for _, o := range listObstacles() {
		if !chosen() {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			ns := makeNamespace(t)
			o.put(t, ns)
			createObject(t, makeObstructed(ns, o))
			stalledHandler(t, ns, "a", o.condition)
			// Every change of the handler brings the plan back.
			for i := range 5 {
				changeObject(t, ns, "a", func(h *v1.GatiHandler) { h.Labels = map[string]string{"round": fmt.Sprint(i)} })
				awaitSettled(t, ns)
			}
			stalledHandler(t, ns, "a", o.condition)
			checkOneEvent(t, ns, o.condition)
			checkTries(t, ns)

			o.remove(t, ns)
			await.Within(t, healsWithin, "handler that is Ready once nothing is in its way", func() error {
				h, err := findObject[v1.GatiHandler](t, ns, "a")
				if err != nil {
					return err
				}
				return checkCondition(h.Status.Conditions, v1.ConditionReady, metav1.ConditionTrue, h.Generation)
			})
			checkOneEvent(t, ns, o.condition)
			checkTries(t, ns)
		})
	}
}

// checkOneEvent checks that one Event of the handler warns, once.
func checkOneEvent(t *testing.T, ns, text string) {
	t.Helper()
	var found []corev1.Event
	await.Eventually(t, "an Event that warns", func() error {
		found = nil
		for _, e := range listObjects[corev1.Event, corev1.EventList](t, ns) {
			if e.InvolvedObject.Kind == "GatiHandler" && e.Type == corev1.EventTypeWarning {
				found = append(found, e)
			}
		}
		if len(found) == 0 {
			return errors.New("none yet")
		}
		return nil
	})
	if len(found) != 1 || found[0].Series != nil || !strings.Contains(found[0].Message, text) {
		t.Errorf("%d Events warn, want one that says %q: %v", len(found), text, found)
	}
}

// checkTries checks how often our account has tried to write the Deployment.
func checkTries(t *testing.T, ns string) {
	t.Helper()
	tries, err := auditOf(ns, func(r request) bool {
		return r.User.Username == account && r.Object.Resource == "deployments" && r.Writes() && r.Response.Code >= 400
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(tries); i++ {
		if between := tries[i].Received.Sub(tries[i-1].Received); between < time.Minute-time.Second {
			t.Errorf("tried again %s after a refusal, want a minute: %s", between, tries[i])
		}
	}
	t.Logf("%d tries were refused", len(tries))
}

// A formerly valid handler goes on with what it has, whatever becomes of its spec.
func checkRunsOn(t *testing.T, ns, name string, before *appsv1.Deployment) {
	t.Helper()
	now := readObject[appsv1.Deployment](t, ns, name)
	if now.UID != before.UID || now.Generation != before.Generation {
		t.Errorf("Deployment %s was written: generation %d of %s, it was %d of %s", name, now.Generation, now.UID, before.Generation, before.UID)
	}
}
