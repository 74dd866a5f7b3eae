package integration

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/apimachinery/pkg/api/meta"

	v1 "gati.dev/gati/api/v1"

	"gati.dev/gati/test/support/await"
)

// readyHandler waits until a handler is Ready for its present spec.
func readyHandler(t *testing.T, ns, name string) *v1.GatiHandler {
	t.Helper()
	var h *v1.GatiHandler
	await.Eventually(t, "Ready handler "+name, func() (err error) {
		if h, err = findObject[v1.GatiHandler](t, ns, name); err != nil {
			return err
		}
		return checkCondition(h.Status.Conditions, v1.ConditionReady, metav1.ConditionTrue, h.Generation)
	})
	return h
}

// readyModule waits until a module is Ready for its present spec.
func readyModule(t *testing.T, ns, name string) *v1.GatiModule {
	t.Helper()
	var m *v1.GatiModule
	await.Eventually(t, "Ready module "+name, func() (err error) {
		if m, err = findObject[v1.GatiModule](t, ns, name); err != nil {
			return err
		}
		return checkCondition(m.Status.Conditions, v1.ConditionReady, metav1.ConditionTrue, m.Generation)
	})
	return m
}

// stalledHandler waits until a handler is Stalled for its present spec, with
// every one of the texts in its message.
func stalledHandler(t *testing.T, ns, name string, texts ...string) *v1.GatiHandler {
	t.Helper()
	var h *v1.GatiHandler
	await.Eventually(t, fmt.Sprintf("handler %s that is Stalled with %q", name, texts), func() (err error) {
		if h, err = findObject[v1.GatiHandler](t, ns, name); err != nil {
			return err
		}
		if err := checkCondition(h.Status.Conditions, v1.ConditionStalled, metav1.ConditionTrue, h.Generation); err != nil {
			return err
		}
		return checkContains(meta.FindStatusCondition(h.Status.Conditions, v1.ConditionStalled).Message, texts...)
	})
	return h
}

// acceptedRecord waits until a record reports whether it counts, with the texts.
func acceptedRecord(t *testing.T, ns, name string, accepted bool, texts ...string) *v1.GatiVersion {
	t.Helper()
	want := metav1.ConditionFalse
	if accepted {
		want = metav1.ConditionTrue
	}
	var v *v1.GatiVersion
	await.Eventually(t, fmt.Sprintf("record %s with Accepted=%s and %q", name, want, texts), func() (err error) {
		if v, err = findObject[v1.GatiVersion](t, ns, name); err != nil {
			return err
		}
		if err := checkCondition(v.Status.Conditions, v1.ConditionAccepted, want, v.Generation); err != nil {
			return err
		}
		return checkContains(meta.FindStatusCondition(v.Status.Conditions, v1.ConditionAccepted).Message, texts...)
	})
	return v
}

// checkCondition checks a condition, and that it is about the present spec.
func checkCondition(conditions []metav1.Condition, kind string, want metav1.ConditionStatus, generation int64) error {
	c := meta.FindStatusCondition(conditions, kind)
	switch {
	case c == nil:
		return fmt.Errorf("no condition %s among %d", kind, len(conditions))
	case c.ObservedGeneration != generation:
		return fmt.Errorf("condition %s is of generation %d, the spec is of %d", kind, c.ObservedGeneration, generation)
	case c.Status != want:
		return fmt.Errorf("condition %s is %s: %s: %s", kind, c.Status, c.Reason, c.Message)
	}
	return nil
}

// checkContains checks that a text has all parts.
func checkContains(text string, parts ...string) error {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return fmt.Errorf("%q does not contain %q", text, part)
		}
	}
	return nil
}
