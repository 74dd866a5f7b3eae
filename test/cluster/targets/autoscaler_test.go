package targets

import (
	"context"
	"fmt"
	"slices"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/test/support/keda"
)

// TestTargetsAgreeOnAutoscalers hands a handler from an autoscaler to KEDA, back and to
// none, under every target at once: what is live after each act is the same. The short form
// does not go back to KEDA; "make soak NAME=targetsAgreeOnAutoscalers" does.
func TestTargetsAgreeOnAutoscalers(t *testing.T) {
	t.Parallel()
	acts := []act{
		{name: "KEDA's operator", play: (*story).runKeda},
		{name: "HPA", play: playScaler(true, false)},
		{name: "KEDA", play: playScaler(false, true)},
		{name: "HPA again", play: playScaler(true, false)},
		{name: "KEDA again", play: playScaler(false, true), isOptional: true},
		{name: "none", play: playScaler(false, false)},
		{name: "delete", play: playDelete},
	}
	playRows(t, slices.DeleteFunc(acts, func(a act) bool { return a.isOptional && !soak.IsLong("targetsAgreeOnAutoscalers") }))
}

// playScaler is a change of who scales the handler.
func playScaler(isOurs, isKedas bool) func(*story) {
	return func(s *story) {
		s.t.Helper()
		s.applyHandler("v1", func(h *v1.GatiHandler) { h.Spec.Autoscaling = scaledBy(isOurs, isKedas) })
		s.awaitWeights("v1=100%")
		s.isScaledBy(isOurs, isKedas)
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
	s.eventually(fmt.Sprintf("scaled by an autoscaler: %t, by KEDA: %t", isOurs, isKedas), func() error {
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
				scaler == nil, kedav1alpha1.IsTaken(&a), object == nil, s.readHandler().Status.Conditions)
		}
		return nil
	})
}
