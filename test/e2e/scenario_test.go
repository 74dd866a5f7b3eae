package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"

	"gati.dev/gati/test/support/await"
)

// patience bounds every wait. Where nothing else runs, a scenario takes seconds to
// two minutes.
const patience = 6 * time.Minute

// world is the setting of a scenario: a namespace with one handler, called users, and
// the traffic to it.
type world struct {
	t    *testing.T
	ns   string
	made bool
	// resource is where the handler serves: a number follows.
	resource string
	began    time.Time

	handler *v1.GatiHandler
	traffic *traffic
	applies *applies
	// pods are those of the handler at the moment they were last noted.
	pods map[string]bool
	// holder led gati-webhook before it was killed.
	holder string
}

// The three parts of a scenario. Their methods read as sentences.
type (
	given struct{ *world }
	when  struct{ *world }
	then  struct{ *world }
)

// scenario makes a namespace and returns what the sentences begin with.
func scenario(t *testing.T) (given, when, then) {
	t.Helper()
	w := &world{t: t, began: time.Now(), ns: fmt.Sprintf("e2e-%s", rand.String(6)), resource: "/users/"}
	return given{w}, when{w}, then{w}
}

// aNamespace is where the scenario happens.
func (w *world) aNamespace() {
	w.t.Helper()
	if w.made {
		return
	}
	w.made = true
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.ns}}
	if err := admin.Create(w.t.Context(), ns); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.printState()
		}
		if err := admin.Delete(context.Background(), ns); client.IgnoreNotFound(err) != nil {
			w.t.Errorf("delete namespace %s: %v", w.ns, err)
		}
	})
}

// logStep prints a step as it begins or as it is known to hold.
func (w *world) logStep(format string, args ...any) {
	w.t.Helper()
	w.t.Logf("%6.1fs  %s", time.Since(w.began).Seconds(), fmt.Sprintf(format, args...))
}

// eventually waits until a check finds nothing wrong.
func (w *world) eventually(what string, check func() error) {
	w.t.Helper()
	await.Within(w.t, patience, what, check)
}

// runKubectl calls kubectl in the scenario's namespace.
func (w *world) runKubectl(stdin string, args ...string) string {
	w.t.Helper()
	out, err := cluster.Run(w.t.Context(), stdin, append([]string{"-n", w.ns}, args...)...)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// printState prints what a person would look at after a failure.
func (w *world) printState() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, args := range [][]string{
		{"-n", w.ns, "get", "gh,gm,deploy,rs,hpa,pods,endpointslices", "-o", "wide"},
		{"-n", w.ns, "get", "gh", "-o", "jsonpath={range .items[*].status.conditions[*]}{.type} {.status} {.message}{\"\\n\"}{end}"},
		{"-n", w.ns, "get", "events", "--sort-by=.lastTimestamp"},
		{"-n", "gati-system", "get", "pods", "-o", "wide"},
		{"-n", "gati-system", "logs", "-l", "app.kubernetes.io/name=gati-webhook", "--tail=8", "--prefix"},
		{"-n", "gati-system", "logs", "-l", "app.kubernetes.io/name=gati-controller", "--tail=40", "--prefix"},
		{"-n", w.ns, "get", "gh", "-o", "jsonpath={.items[*].status.rollout}{\"\\n\"}{.items[*].status.versions}"},
	} {
		out, err := cluster.Run(ctx, "", args...)
		if err != nil {
			out = err.Error()
		}
		w.t.Logf("kubectl %s\n%s", strings.Join(args, " "), out)
	}
}
