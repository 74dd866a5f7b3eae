package e2e

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
)

// TestKEDA holds that the ScaledObjects of Gati do what they say, with KEDA's own operator
// and metrics adapter.
func TestKEDA(t *testing.T) {
	kedaMeasures(t)

	t.Run("it follows the rate of requests", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(setReplicas(1), scrapePods, byRequests(5, 1, 3))
		then.kedaActs()
		given.steadyTraffic(3)
		more := given.moreTraffic("/users/%d", 20)
		then.itGrowsTo(3)
		when.theseEnd(more)
		then.itComesTo(1)
		then.noRequestHasFailed(100)
	})
	t.Run("a version goes to zero and comes back, and what has traffic keeps its pod", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(setReplicas(1), useManual, scrapePods, byRequests(100, 1, 3), atTimes(never))
		given.steadyTraffic(10)
		least := given.theLeastReplicasOf("v1.0.0")
		when.applyChanges(setImage("v1.1.0"))
		then.kedaTells("v1.1.0", "KEDAScaleTargetDeactivated")
		then.hasPods("v1.1.0", 0, 0)
		then.answersStillCome(50)
		when.applyChanges(atTimes(always))
		then.kedaTells("v1.1.0", "KEDAScaleTargetActivated")
		then.hasPods("v1.1.0", 1, 1)
		then.eachPinReaches("v1.1.0")
		then.neverFewerThan(1, least)
		then.noRequestHasFailed(200)
	})
	t.Run("from Gati's autoscaler to KEDA's and back", func(t *testing.T) {
		given, when, then := scenario(t)

		given.aHandler(setReplicas(2), scrapePods, autoscaleBetween(2, 4))
		given.steadyTraffic(10)
		least := given.theLeastReplicas()
		when.applyChanges(byRequests(100, 2, 4))
		then.kedaActs()
		when.applyChanges(autoscaleBetween(2, 4))
		then.gatiActs()
		then.neverFewerThan(2, least)
		then.noRequestHasFailed(200)
	})
}

// kedaMeasures has Gati and KEDA read the devcluster's Prometheus. KEDA runs beside the
// node, where no name of the cluster leads.
func kedaMeasures(t *testing.T) {
	t.Helper()
	var objects kedav1alpha1.ScaledObjectList
	if err := admin.List(t.Context(), &objects); meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		t.Fatal("the cluster has no KEDA; start it with devcluster's flag --keda, as \"make e2e RUN=^TestKEDA$\" does")
	} else if err != nil {
		t.Fatal(err)
	}
	var slice discoveryv1.EndpointSlice
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: "devcluster", Name: "prometheus-devcluster"}, &slice); err != nil {
		t.Fatal(err)
	}
	prometheusMeasures(t, fmt.Sprintf("keda-prometheus-url: http://%s:%d\n", slice.Endpoints[0].Addresses[0], *slice.Ports[0].Port))
}

// byRequests has KEDA follow the rate of requests, and forget at once. CPU is no matter.
func byRequests(each, least, most int32) change {
	return func(s *v1.GatiHandlerSpec) {
		autoscaleBetween(least, most)(s)
		cpu := int32(1000)
		s.Autoscaling.TargetCPU, s.Autoscaling.TargetMemory = &cpu, nil
		s.Autoscaling.Keda = &v1.Keda{RequestsPerSecond: &each}
	}
}

// span is a time of the year.
type span struct{ start, end string }

// Times that are always, and never: none of them begins or ends while a test runs, except
// at the turn of the year.
var (
	always = span{"0 0 1 1 *", "59 23 31 12 *"}
	never  = span{"59 23 31 12 *", "0 0 1 1 *"}
)

// atTimes allows no pods outside of a span, where nothing else needs them.
func atTimes(when span) change {
	return func(s *v1.GatiHandlerSpec) {
		yes := true
		s.Autoscaling.Keda.ScaleToZero = &yes
		s.Autoscaling.Keda.Cron = []v1.KedaCron{{Timezone: "UTC", Start: when.start, End: when.end, Replicas: 1}}
	}
}

// kedaTells waits for an Event of KEDA about the ScaledObject of a version.
func (n then) kedaTells(version, reason string) {
	n.t.Helper()
	n.eventually("Event "+reason, func() error {
		d, err := n.deploymentOf(version)
		if err != nil {
			return err
		}
		var list corev1.EventList
		if err := admin.List(n.t.Context(), &list, client.InNamespace(n.ns)); err != nil {
			return err
		}
		for _, e := range list.Items {
			if e.Reason == reason && e.InvolvedObject.Name == d.Name {
				n.logStep("then KEDA tells of %s: %s %s", d.Name, reason, e.Message)
				return nil
			}
		}
		return fmt.Errorf("none of %d Events", len(list.Items))
	})
}

// kedaActs waits until the one autoscaler is KEDA's, and scales.
func (n then) kedaActs() {
	n.t.Helper()
	n.actsAs("KEDA", func(h *autoscalingv2.HorizontalPodAutoscaler) bool {
		return len(h.OwnerReferences) == 1 && h.OwnerReferences[0].Kind == kedav1alpha1.Kind
	})
}

func (n then) gatiActs() {
	n.t.Helper()
	n.actsAs("Gati", func(h *autoscalingv2.HorizontalPodAutoscaler) bool {
		return len(h.OwnerReferences) == 1 && h.OwnerReferences[0].Kind == "GatiHandler"
	})
}

func (n then) actsAs(whose string, owned func(*autoscalingv2.HorizontalPodAutoscaler) bool) {
	n.t.Helper()
	n.eventually(whose+"'s autoscaler alone, which scales", func() error {
		var list autoscalingv2.HorizontalPodAutoscalerList
		if err := admin.List(n.t.Context(), &list, client.InNamespace(n.ns)); err != nil {
			return err
		}
		if len(list.Items) != 1 || !owned(&list.Items[0]) {
			return fmt.Errorf("%d autoscalers, owned by %v", len(list.Items), ownersOf(list.Items))
		}
		for _, c := range list.Items[0].Status.Conditions {
			if c.Type == autoscalingv2.ScalingActive && c.Status == "True" {
				return nil
			}
		}
		return fmt.Errorf("it does not scale: %s", n.describeAutoscaler())
	})
	n.logStep("then the autoscaler is %s's, and the only one: %s", whose, n.describeAutoscaler())
}

func ownersOf(list []autoscalingv2.HorizontalPodAutoscaler) []string {
	var out []string
	for _, h := range list {
		for _, o := range h.OwnerReferences {
			out = append(out, o.Kind+"/"+o.Name)
		}
	}
	return out
}

// theLeastReplicasOf is theLeastReplicas for a version.
func (g given) theLeastReplicasOf(version string) *atomic.Int32 {
	g.t.Helper()
	d, err := g.deploymentOf(version)
	if err != nil {
		g.t.Fatal(err)
	}
	return g.watchLeast(d.Name)
}

// answersStillCome waits for further answers, none of them failed.
func (n then) answersStillCome(more int) {
	n.t.Helper()
	before, _ := n.traffic.Progress()
	n.eventually(fmt.Sprintf("%d more answers", more), func() error {
		done, failed := n.traffic.Progress()
		if failed == 0 && done < before+more {
			return fmt.Errorf("%d of %d", done-before, more)
		}
		return nil
	})
	if _, failed := n.traffic.Progress(); failed > 0 {
		n.t.Errorf("%d requests failed", failed)
	}
}

// moreTraffic is sent beside the other until it is ended.
func (g given) moreTraffic(path string, rate int) *traffic {
	g.t.Helper()
	tr := startTraffic(g.t, g.trafficConfig(path, rate, 10*time.Second))
	g.logStep("given %d requests a second more to %s", rate, path)
	return tr
}

// theseEnd ends requests, and wants each to have been answered with success.
func (w when) theseEnd(tr *traffic) {
	w.t.Helper()
	r := tr.stopOnce()
	w.logStep("when %v have ended", r)
	if r.Failed() != 0 || r.Answered() != r.Offered || r.Offered == 0 {
		w.t.Errorf("%d of %d requests failed, %d were answered", r.Failed(), r.Offered, r.Answered())
	}
}
