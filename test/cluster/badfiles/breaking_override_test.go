package badfiles

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/uuid"

	v1 "gati.dev/gati/api/v1"
)

// TestOverride lets versions break their callers, by the annotation in the same
// apply and by a request for one that is held, and finds who did it in the history.
func TestOverride(t *testing.T) {
	c := newAdminClient(t)
	serveRoutes(t, c)
	me := strings.TrimSpace(env.Must(t, "", "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"))
	t.Run("annotation", func(t *testing.T) {
		ns := rows[0].openNamespace(t, c)
		text := strings.Replace(rows[0].handlerManifest("v2", breaking), "metadata: {name: users}",
			fmt.Sprintf("metadata: {name: users, annotations: {gati.dev/allow-breaking: %q}}", "v2/"+me), 1)
		if out := mustApply(t, ns, text); !strings.Contains(out, "allowed by "+me) {
			t.Errorf("no warning: %s", out)
		}
		awaitWeight(t, c, ns, "v2", 100)
		assertOverrideRecorded(t, readHandler(t, c, ns), me)
	})
	t.Run("request", func(t *testing.T) {
		r := rows[1]
		ns := r.openNamespace(t, c)
		t.Log(mustApply(t, ns, r.handlerManifest("v2", breaking)))
		awaitHeld(t, c, ns)
		env.Must(t, "", "annotate", "-n", ns, "gatihandler", "users", "gati.dev/request=override:allow-breaking/"+string(uuid.NewUUID()), "gati.dev/requested-by="+me)
		awaitWeight(t, c, ns, "v2", 100)
		assertOverrideRecorded(t, readHandler(t, c, ns), me)
	})
}

// assertOverrideRecorded holds that the history has the override, with who and why.
func assertOverrideRecorded(t *testing.T, h *v1.GatiHandler, by string) {
	t.Helper()
	for _, e := range h.Status.Rollout.History {
		if e.By == by && strings.Contains(e.Why, "breaks callers of v1") {
			return
		}
	}
	t.Errorf("the history does not tell: %+v", h.Status.Rollout.History)
}
