package e2e

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/test/support/load"
	"gati.dev/gati/test/support/statusrecorder"
)

// quiet is how long a version must be without calls before it is removed.
const quiet = 10 * time.Second

// drainedAfter removes a version when no calls are measured.
func drainedAfter(window time.Duration) change {
	return func(s *v1.GatiHandlerSpec) {
		s.Rollout.RollbackWindow = "1s"
		s.Versions.Drain = &v1.Drain{Window: v1.Duration(fmt.Sprintf("%.0fs", window.Seconds())), Deadline: "1h"}
	}
}

// goneAfter removes a version that nothing measures after this time.
func goneAfter(deadline time.Duration) change {
	return func(s *v1.GatiHandlerSpec) {
		s.Versions.Drain.Deadline = v1.Duration(fmt.Sprintf("%.0fs", deadline.Seconds()))
	}
}

// longRequestsByTheGateway are long ones on no connection to a pod that a client
// keeps: as long as it does, its requests reach that pod.
func (g given) longRequestsByTheGateway(length time.Duration, rate int) {
	g.t.Helper()
	g.traffic = startTraffic(g.t, load.Config{
		Targets: g.loadTargets(fmt.Sprintf("/users/%%d?latency=%.0fs", length.Seconds()))[:1],
		Rate:    rate, Count: most, Timeout: length + 10*time.Second, Seed: seedOf(g.t),
	})
	g.logStep("given %d requests a second by the gateway that take %s each", rate, length)
	g.eventually("answers", func() error {
		if done, _ := g.traffic.Progress(); done < rate {
			return fmt.Errorf("%d answers", done)
		}
		return nil
	})
}

// departures are what the namespace has of Deployments, Services and autoscalers,
// and when each of them went.
type departures struct {
	deployments *film[*appsv1.Deployment]
	services    *film[*corev1.Service]
	autoscalers *film[*autoscalingv2.HorizontalPodAutoscaler]
}

func (g given) departuresAreFilmed() *departures {
	g.t.Helper()
	return &departures{
		filmOf[*appsv1.Deployment](g.world, &appsv1.DeploymentList{}),
		filmOf[*corev1.Service](g.world, &corev1.ServiceList{}),
		filmOf[*autoscalingv2.HorizontalPodAutoscaler](g.world, &autoscalingv2.HorizontalPodAutoscalerList{}),
	}
}

// departedAt returns when the objects of a version went, by their kind.
func (d *departures) departedAt(version string) map[string]time.Time {
	name := naming.WorkloadService("users", naming.Slug(version, 1))
	out := map[string]time.Time{}
	recordDepartures(out, "Deployment", name, d.deployments.Frames())
	recordDepartures(out, "Service", name, d.services.Frames())
	recordDepartures(out, "HorizontalPodAutoscaler", name, d.autoscalers.Frames())
	return out
}

func recordDepartures[T client.Object](out map[string]time.Time, kind, name string, frames []statusrecorder.Frame[T]) {
	for _, f := range frames {
		if f.Deleted && f.Object.GetName() == name {
			out[kind] = f.At
		}
	}
}

func (n then) nothingHasGone(version string, d *departures) {
	n.t.Helper()
	if gone := d.departedAt(version); len(gone) > 0 {
		n.t.Errorf("of %s there went %v", version, gone)
	}
	n.logStep("then all that %s has is there", version)
}

// allGo waits until Deployment and Service of a version are gone, and more.
func (n then) allGo(version string, d *departures, more ...string) {
	n.t.Helper()
	n.eventually("end of "+version, func() error {
		gone := d.departedAt(version)
		for _, kind := range append([]string{"Deployment", "Service"}, more...) {
			if gone[kind].IsZero() {
				h, err := n.readHandler()
				if err != nil {
					return err
				}
				return fmt.Errorf("its %s is there: %+v; %+v", kind, versionIn(h, version).Evidence, h.Status.Conditions)
			}
		}
		return nil
	})
	n.logStep("then %s is gone", version)
}

// theyWentAfter wants nothing of a version to have gone before its window was over,
// counted from its last answer.
func (n then) theyWentAfter(window time.Duration, version string, r load.Report, d *departures) {
	n.t.Helper()
	last := r.LastBy(version)
	if last.IsZero() {
		n.t.Errorf("%s has answered nothing", version)
	}
	for kind, at := range d.departedAt(version) {
		after := at.Sub(last)
		if after < window {
			n.t.Errorf("its %s went %s after the last answer, want no sooner than after %s", kind, after, window)
		}
		n.logStep("then its %s has gone %.1fs after the last answer", kind, after.Seconds())
	}
}

// theyWentAtTheDeadline wants nothing of a version to have gone before its deadline, which counts
// from the start of its drain: what it was asked just before may be answered later.
func (n then) theyWentAtTheDeadline(deadline time.Duration, version string, handler *film[*v1.GatiHandler], d *departures) {
	n.t.Helper()
	began := handler.awaitFirst("start of the drain of "+version, func(f statusrecorder.Frame[*v1.GatiHandler]) bool {
		return versionIn(f.Object, version).DrainingSince != nil
	})
	since := versionIn(began.Object, version).DrainingSince.Time
	gone := d.departedAt(version)
	if len(gone) == 0 {
		n.t.Errorf("nothing of %s has gone", version)
	}
	for kind, at := range gone {
		after := at.Sub(since)
		if after < deadline {
			n.t.Errorf("its %s went %s after the start of the drain, want no sooner than after %s", kind, after, deadline)
		}
		n.logStep("then its %s has gone %.1fs after the start of its drain", kind, after.Seconds())
	}
}

// itsRecordStays waits until the record reports that only it is left.
func (n then) itsRecordStays(version string) {
	n.t.Helper()
	n.eventually("record of "+version+" that says Decommissioned", func() error {
		var list v1.GatiVersionList
		if err := admin.List(n.t.Context(), &list, client.InNamespace(n.ns)); err != nil {
			return err
		}
		at := slices.IndexFunc(list.Items, func(r v1.GatiVersion) bool { return string(r.Spec.Version) == version })
		if at < 0 || list.Items[at].Status.Phase != v1.VersionDecommissioned {
			return fmt.Errorf("of %d records none is that", len(list.Items))
		}
		return nil
	})
	n.logStep("then the record of %s is all that is left of it", version)
}
