package e2e

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/test/support/statusrecorder"
)

// The version before keeps all of its pods for rollbackWindow.
func TestARollbackWithinItsWindowIsInstant(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(3), useCanary, setSteps(makeStep(50, "1s")), keepStable("5m"))
	given.steadyTraffic(50)
	film := given.isFilmed()
	when.applyChanges(setImage("v1.1.0"))
	then.isStable("v1.1.0")
	then.itsPodsServe()
	asked := time.Now()
	when.requestWithPlugin("rollback")
	then.allIsBack("v1.0.0", asked, film)
	then.itsPodsServe()
	then.noRequestHasFailed(1000)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

// Later it has as many as its weight needs, and gets traffic as more are ready.
func TestALaterRollbackScalesFirst(t *testing.T) {
	t.Parallel()
	given, when, then := scenario(t)

	given.aHandler(setReplicas(3), useCanary, setSteps(makeStep(50, "1s")), keepStable("1s"))
	given.steadyTraffic(50)
	when.applyChanges(setImage("v1.1.0"))
	then.isStable("v1.1.0")
	then.hasPods("v1.0.0", 1, 1)
	handler, deployments := given.isFilmed(), filmOf[*appsv1.Deployment](given.world, &appsv1.DeploymentList{})
	asked := time.Now()
	when.requestWithPlugin("rollback")
	then.theWeightIs("v1.0.0", 100)
	then.hasPods("v1.0.0", 3, 3)
	then.itsWeightWasCarried("v1.0.0", asked, handler, deployments)
	then.noRequestHasFailed(1000)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

// keepStable has the version before stay beyond the scenario, with all of its pods for so
// long.
func keepStable(window v1.Duration) change {
	return func(s *v1.GatiHandlerSpec) {
		s.Rollout.RollbackWindow = window
		s.Versions.Drain = &v1.Drain{Window: "1h", Deadline: "1h"}
	}
}

// isStable waits until a version has taken over all traffic.
func (n then) isStable(version string) {
	n.t.Helper()
	n.eventually(version+" as the stable version", func() error {
		h, err := n.readHandler()
		if err != nil {
			return err
		}
		ro := h.Status.Rollout
		if ro == nil || ro.Phase != v1.RolloutStable || ro.Stable == nil || ro.Stable.Version != version {
			return fmt.Errorf("the rollout is %+v", ro)
		}
		return nil
	})
	n.logStep("then %s is the stable version", version)
}

// hasPods waits until a version has a number of pods, all of them ready.
func (n then) hasPods(version string, least, most int32) {
	n.t.Helper()
	var last appsv1.DeploymentStatus
	n.eventually(fmt.Sprintf("%d to %d pods of %s", least, most, version), func() error {
		d, err := n.deploymentOf(version)
		if err != nil {
			return err
		}
		last = d.Status
		if last.Replicas < least || last.Replicas > most || last.ReadyReplicas != last.Replicas || last.ObservedGeneration < d.Generation {
			return fmt.Errorf("of %d replicas %d are ready", last.Replicas, last.ReadyReplicas)
		}
		return nil
	})
	n.logStep("then %s has %d pods", version, last.Replicas)
}

// deploymentOf is the one Deployment of a version.
func (w *world) deploymentOf(version string) (*appsv1.Deployment, error) {
	var list appsv1.DeploymentList
	err := admin.List(w.t.Context(), &list, client.InNamespace(w.ns), client.MatchingLabels{v1.LabelHandler: "users", v1.LabelVersion: naming.Slug(version, 1)})
	if err != nil || len(list.Items) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%d Deployments are of %s", len(list.Items), version))
	}
	return &list.Items[0], nil
}

// itsWeightWasCarried wants each weight that a version was given to have had the
// ready pods for it when it was written.
func (n then) itsWeightWasCarried(version string, since time.Time, handler *film[*v1.GatiHandler], deployments *film[*appsv1.Deployment]) {
	n.t.Helper()
	states, passed := deployments.Frames(), []int32{}
	for _, f := range handler.Frames() {
		weight := versionIn(f.Object, version).Weight
		if f.At.Before(since) || len(passed) > 0 && passed[len(passed)-1] == weight {
			continue
		}
		passed = append(passed, weight)
		if ready := readyAt(n, states, version, parseRevision(n, f.Object)); ready*100 < weight*n.wantedReplicas() {
			n.t.Errorf("%s was given %d %% when it had %d of %d pods ready", version, weight, ready, n.wantedReplicas())
		}
	}
	n.logStep("then %s got its traffic with its pods: %v %%", version, passed)
}

// readyAt is how many pods of a version were ready at a revision of the cluster's
// state: those of all objects are of one sequence.
func readyAt(n then, states []statusrecorder.Frame[*appsv1.Deployment], version string, at uint64) (ready int32) {
	for _, s := range states {
		if s.Object.Labels[v1.LabelVersion] == naming.Slug(version, 1) && parseRevision(n, s.Object) < at {
			ready = s.Object.Status.ReadyReplicas
		}
	}
	return ready
}

func parseRevision(n then, obj client.Object) uint64 {
	out, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	if err != nil {
		n.t.Fatal(err)
	}
	return out
}
