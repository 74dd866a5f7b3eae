package integration

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// A dry run is answered like the real thing and leaves nothing.
func TestServerDryRunLeavesNothing(t *testing.T) {
	t.Parallel()
	ns := makeNamespace(t)
	for _, name := range []string{sampleReadme, sampleSummary, sampleCRDs} {
		m := inVersion(t, name, ns, "v1")
		out := m.runKubectl(t, "apply", "--dry-run=server")
		if err := checkContains(out, "user-handler created (server dry run)"); err != nil {
			t.Error(err)
		}
	}
	awaitSettled(t, ns)
	left, err := listChildren(t.Context(), ns)
	if err != nil || len(left) > 0 {
		t.Errorf("children are left: %v (%v)", left, err)
	}
	if n := len(listObjects[v1.GatiHandler, v1.GatiHandlerList](t, ns)) + len(listObjects[v1.GatiVersion, v1.GatiVersionList](t, ns)); n > 0 {
		t.Errorf("%d objects are stored", n)
	}
	if events := listObjects[corev1.Event, corev1.EventList](t, ns); len(events) > 0 {
		t.Errorf("an Event tells of it: %s", events[0].Message)
	}
}
