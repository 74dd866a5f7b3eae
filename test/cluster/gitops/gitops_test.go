package gitops_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

// TestACanaryIsASeriesOfCommits follows a handler from its creation through a canary to
// its deletion: each weight is a commit, and the next one waits for the cluster.
func TestACanaryIsASeriesOfCommits(t *testing.T) {
	w := newWorld(t)
	w.applyHandler(w.makeHandler("v1"))
	w.awaitServing("v1")
	flux.Pause(true)
	w.applyHandler(w.makeHandler("v2"))
	w.awaitCondition(v1.ConditionReconciling, v1.ReasonNotSynced, "handler-users--v2 is not in sync: the cluster does not have it yet")
	before := len(w.listCommits())
	flux.Pause(false)
	w.awaitServing("v2")
	await.Eventually(t, "the old version to go", func() error {
		var left appsv1.DeploymentList
		if err := admin.List(t.Context(), &left, client.InNamespace(w.ns)); err != nil || len(left.Items) != 1 {
			return errors.Join(err, fmt.Errorf("%d Deployments", len(left.Items)))
		}
		return nil
	}, flux.Status, w.describeCommits)
	commits := w.listCommits()
	at := -1
	for _, want := range []string{"v2 at 0 %, v1 at 100 %", "v2 at 10 %, v1 at 90 %", "v2 at 50 %, v1 at 50 %", "v2 at 100 %, v1 at 0 %"} {
		next := slices.IndexFunc(commits, func(c string) bool { return c == "GatiHandler "+w.ns+"/users: "+want })
		if next <= at {
			t.Errorf("%q is commit %d, after %d, of\n%s", want, next, at, strings.Join(commits, "\n"))
		}
		at = next
	}
	if before >= len(commits)-2 {
		t.Errorf("%d of %d commits did not wait for the cluster", before, len(commits))
	}
	w.bare.CheckLinear("main")
	w.deleteHandler()
	w.isGone()
}

// TestARepositoryThatIsDown holds that the handler says so, serves, and carries on when
// the repository does.
func TestARepositoryThatIsDown(t *testing.T) {
	w := newWorld(t)
	w.applyHandler(w.makeHandler("v1"))
	w.awaitServing("v1")
	server.Intercept(func(rw http.ResponseWriter, _ *http.Request) bool {
		http.Error(rw, "later", http.StatusServiceUnavailable)
		return true
	})
	w.applyHandler(w.makeHandler("v2"))
	w.awaitCondition(v1.ConditionStalled, v1.ReasonRepositoryDown, "it does not answer")
	if d := w.readDeployment("handler-users--v1"); d.Status.ReadyReplicas != 2 {
		t.Errorf("the serving version has %d ready pods", d.Status.ReadyReplicas)
	}
	server.Intercept(nil)
	w.awaitServing("v2")
	w.deleteHandler()
	w.isGone()
}

// TestDriftIsToldAndNotFought holds that a change of others in the cluster, or in the
// repository, is told, and makes no commit.
func TestDriftIsToldAndNotFought(t *testing.T) {
	w := newWorld(t)
	w.applyHandler(w.makeHandler("v1"))
	w.awaitSettled()
	before := len(w.listCommits())
	flux.Pause(true)
	d := w.readDeployment("handler-users--v1")
	d.Spec.Template.Spec.Containers[0].Image = "app:other"
	if err := admin.Update(t.Context(), d, client.FieldOwner("kubectl-edit")); err != nil {
		t.Fatal(err)
	}
	w.awaitCondition(v1.ConditionReconciling, v1.ReasonNotSynced, `is "app:other", not "app:v1" in the cluster`)
	flux.Pause(false)
	w.awaitServing("v1")
	if after := w.listCommits(); len(after) != before {
		t.Errorf("drift made commits:\n%s", w.bare.Git("log", "-p", fmt.Sprintf("-%d", len(after)-before), "main"))
	}
	w.deleteHandler()
	w.isGone()
}

// TestKillsAroundAPush kills the controllers between commit and push, and between push
// and status: the next ones converge, and the history is linear. The short form has one of
// the two, "make soak NAME=killsAroundAPush" both.
func TestKillsAroundAPush(t *testing.T) {
	chosen := soak.Share(t, "killsAroundAPush", 2)
	for _, isPushed := range []bool{false, true} {
		if !chosen() {
			continue
		}
		t.Run(fmt.Sprintf("after the push: %t", isPushed), func(t *testing.T) {
			w := newWorld(t)
			w.applyHandler(w.makeHandler("v1"))
			w.awaitServing("v1")
			killed := make(chan error, 1)
			server.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
				if !gittest.IsPush(r) || len(killed) > 0 {
					return false
				}
				if isPushed {
					server.Backend.ServeHTTP(discarded{http.Header{}}, r)
				}
				killed <- webhook.Kill()
				return true
			})
			w.applyHandler(w.makeHandler("v2"))
			await.Eventually(t, "a kill", func() error {
				if len(killed) == 0 {
					return errors.New("no push yet")
				}
				return nil
			})
			if err := <-killed; err != nil {
				t.Fatal(err)
			}
			server.Intercept(nil)
			if err := webhook.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.awaitServing("v2")
			commits := w.listCommits()
			if distinct := len(slices.Compact(slices.Sorted(slices.Values(commits)))); distinct < 4 {
				t.Errorf("the commits are\n%s", strings.Join(commits, "\n"))
			}
			w.bare.CheckLinear("main")
			w.deleteHandler()
			w.isGone()
		})
	}
}

// discarded drops what is written to it.
type discarded struct{ header http.Header }

func (d discarded) Header() http.Header         { return d.header }
func (d discarded) Write(p []byte) (int, error) { return len(p), nil }
func (d discarded) WriteHeader(int)             {}

// TestHeadOnAnEmptyCluster deletes every child, and applies the repository anew: the
// handler serves as before, and the repository comes to hold the same plan. In between the
// route may lead to the front Service, as it does while a Service has no endpoints.
func TestHeadOnAnEmptyCluster(t *testing.T) {
	w := newWorld(t)
	w.applyHandler(w.makeHandler("v1"))
	w.awaitSettled()
	before, uid := w.readPlanHash(), w.readDeployment("handler-users--v1").UID
	flux.Pause(true)
	for _, kind := range []string{"deployments", "services", "configmaps", "poddisruptionbudgets", "httproutes"} {
		env.Must(t, "", "delete", kind, "-n", w.ns, "-l", v1.LabelHandler+"=users", "--wait=false")
	}
	w.awaitCondition(v1.ConditionReconciling, v1.ReasonNotSynced, "the cluster does not have it yet")
	flux.Pause(false)
	await.Within(t, time.Minute, "a new Deployment", func() error {
		var d appsv1.Deployment
		if err := admin.Get(t.Context(), client.ObjectKey{Namespace: w.ns, Name: "handler-users--v1"}, &d); err != nil {
			return err
		}
		if d.UID == uid {
			return errors.New("it is the old one")
		}
		return nil
	}, flux.Status)
	await.Eventually(t, "the same plan", func() error {
		if after := w.readPlanHash(); after != before {
			return errors.New(w.bare.Git("diff", before, after))
		}
		return nil
	}, w.describeCommits)
	w.awaitServing("v1")
	w.deleteHandler()
	w.isGone()
}
