package targets

import (
	"context"
	"fmt"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/test/support/keda"
)

// TestTargetsAgreeOnAutoscalers hands a handler from an autoscaler to KEDA, back and to
// none, under every target at once: what is live after each act is the same.
func TestTargetsAgreeOnAutoscalers(t *testing.T) {
	t.Parallel()
	playRows(t, []string{"HPA", "KEDA", "HPA again", "KEDA again", "none", "delete"}, playScalers)
}

func playScalers(s *story) {
	s.t.Helper()
	s.runKeda()
	for _, act := range []struct {
		name            string
		isOurs, isKedas bool
	}{{"HPA", true, false}, {"KEDA", false, true}, {"HPA again", true, false}, {"KEDA again", false, true}, {"none", false, false}} {
		s.apply("v1", func(h *v1.GatiHandler) { h.Spec.Autoscaling = scaledBy(act.isOurs, act.isKedas) })
		s.reaches("v1=100%")
		s.isScaledBy(act.isOurs, act.isKedas)
		s.ends(act.name)
	}
	s.delete()
	s.ends("delete")
	if s.row.left != nil {
		s.row.left(s)
	}
}

// scaledBy returns who scales a handler: Kubernetes' own autoscaler, KEDA or none.
func scaledBy(isOurs, isKedas bool) *v1.Autoscaling {
	a := &v1.Autoscaling{Enabled: new(isOurs || isKedas), MinReplicas: new(int32(2)), MaxReplicas: new(int32(6))}
	if isKedas {
		a.Keda = &v1.Keda{Cron: []v1.KedaCron{{Timezone: "Etc/UTC", Start: "0 8 * * *", End: "0 18 * * *", Replicas: 5}}}
	}
	return a
}

// runKeda runs the stand-in of KEDA's operator for the namespace of the story.
func (s *story) runKeda() {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- (&keda.Operator{Client: admin, Namespace: s.ns}).Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
}

// isScaledBy waits until the workload has the autoscaler that the spec names, and no other.
func (s *story) isScaledBy(isOurs, isKedas bool) {
	s.t.Helper()
	s.within(fmt.Sprintf("scaled by an autoscaler: %t, by KEDA: %t", isOurs, isKedas), func() error {
		key := client.ObjectKey{Namespace: s.ns, Name: "handler-users--v1"}
		var a autoscalingv2.HorizontalPodAutoscaler
		var o kedav1alpha1.ScaledObject
		scaler, object := admin.Get(s.t.Context(), key, &a), admin.Get(s.t.Context(), key, &o)
		switch {
		case client.IgnoreNotFound(scaler) != nil:
			return scaler
		case client.IgnoreNotFound(object) != nil:
			return object
		case (scaler == nil) != (isOurs || isKedas) || (object == nil) != isKedas || kedav1alpha1.IsTaken(&a) != isKedas:
			return fmt.Errorf("there is an autoscaler: %t, KEDA's: %t, a ScaledObject: %t; conditions %v",
				scaler == nil, kedav1alpha1.IsTaken(&a), object == nil, s.read().Status.Conditions)
		}
		return nil
	})
}
