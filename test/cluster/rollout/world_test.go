package rollout_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/terminal"
)

// world is the namespace of one test with a gateway to itself.
type world struct {
	t       *testing.T
	ns      string
	gateway string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, ns: "r-" + rand.String(8)}
	w.gateway = "gw-" + w.ns
	gateways.Set(w.gateway, gateway.Behavior{})
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.ns}}
	if err := admin.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Discard(t, admin, w.ns) })
	return w
}

// applyHandler stores a handler, or changes the spec of the stored one.
func (w *world) applyHandler(h *v1.GatiHandler) {
	w.t.Helper()
	h.Namespace = w.ns
	var err error
	w.reachesWebhook(func() error {
		if err = admin.Create(w.t.Context(), h.DeepCopy()); apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
	if err != nil {
		w.changeHandler(h.Name, func(live *v1.GatiHandler) { live.Spec = h.Spec })
	}
}

// reachesWebhook writes, once more where the webhook did not answer a busy API server in
// time, as every client has to.
func (w *world) reachesWebhook(write func() error) {
	w.t.Helper()
	w.eventually("write that reaches the webhook", func() error {
		err := write()
		if err != nil && !strings.Contains(err.Error(), "failed to call webhook") {
			w.t.Fatal(err)
		}
		return err
	})
}

func (w *world) changeHandler(name string, edit func(*v1.GatiHandler)) {
	w.t.Helper()
	live := w.readHandler(name)
	before := live.DeepCopy()
	edit(live)
	w.reachesWebhook(func() error {
		return admin.Patch(w.t.Context(), live, client.MergeFrom(before), client.FieldOwner("kubectl-edit"))
	})
}

// requestAsAdmin makes a request as the administrator.
func (w *world) requestAsAdmin(name, request string) {
	w.t.Helper()
	w.changeHandler(name, func(h *v1.GatiHandler) {
		metav1.SetMetaDataAnnotation(&h.ObjectMeta, v1.AnnotationRequest, request+"/"+string(uuid.NewUUID()))
		metav1.SetMetaDataAnnotation(&h.ObjectMeta, v1.AnnotationRequestedBy, adminName(w.t))
	})
}

func (w *world) readHandler(name string) *v1.GatiHandler {
	w.t.Helper()
	h := &v1.GatiHandler{}
	if err := admin.Get(w.t.Context(), client.ObjectKey{Namespace: w.ns, Name: name}, h); err != nil {
		w.t.Fatal(err)
	}
	return h
}

// awaitPhase waits until the weights are these, such as "v1 90 v2 10", the gateway
// has accepted them, and the phase is as asked.
func (w *world) awaitPhase(name, weights string, phase v1.RolloutPhase) *v1.GatiHandler {
	w.t.Helper()
	var h *v1.GatiHandler
	w.eventually(fmt.Sprintf("%s at %q, %s", name, weights, phase), func() error {
		h = w.readHandler(name)
		if got := acceptedWeights(h); got != weights {
			return fmt.Errorf("it has %q", got)
		}
		if ro := h.Status.Rollout; ro == nil || ro.Phase != phase {
			return errors.New("the phase is another")
		}
		return nil
	}, func() string { return describeHandler(w.readHandler(name)) })
	return h
}

// awaitDecidedWeights waits until the decided weights are these. Without a gateway what is
// accepted is the share of the ready pods, which comes and goes with each.
func (w *world) awaitDecidedWeights(name, weights string) {
	w.t.Helper()
	w.eventually(name+" at "+weights, func() error {
		if got := decidedWeights(w.readHandler(name)); got != weights {
			return errors.New(got)
		}
		return nil
	}, func() string { return describeHandler(w.readHandler(name)) })
}

// awaitStory waits until the story of a handler has each of these texts.
func (w *world) awaitStory(name string, texts ...string) *v1.GatiHandler {
	w.t.Helper()
	var h *v1.GatiHandler
	w.eventually(name+" saying "+strings.Join(texts, ", "), func() error {
		h = w.readHandler(name)
		for _, text := range texts {
			if s := describeHandler(h); !strings.Contains(s, text) {
				return errors.New(s)
			}
		}
		return nil
	})
	return h
}

// enforceQuota lets the namespace have so many pods, and returns once the API server
// refuses more: it hears of a quota some time after that is stored.
func (w *world) enforceQuota(pods string) *corev1.ResourceQuota {
	w.t.Helper()
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "pods"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse(pods)}},
	}
	if err := admin.Create(w.t.Context(), quota); err != nil {
		w.t.Fatal(err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "one-more"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "app:v1"}}},
	}
	w.eventually("a quota that refuses pods", func() error {
		if err := admin.Create(w.t.Context(), pod.DeepCopy(), client.DryRunAll); err == nil || !strings.Contains(err.Error(), "exceeded quota") {
			return cmp.Or(err, errors.New("the dry run of a pod passes"))
		}
		return nil
	})
	return quota
}

// eventually waits until a check finds nothing wrong.
func (w *world) eventually(what string, check func() error, notes ...func() string) {
	w.t.Helper()
	await.Eventually(w.t, what, check, notes...)
}

// acceptedWeights are the accepted weights of the live versions, in order.
func acceptedWeights(h *v1.GatiHandler) string {
	var out []string
	for _, v := range h.Status.Versions {
		if v.Phase == v1.VersionDecommissioned {
			continue
		}
		accepted := int32(-1)
		if v.AcceptedWeight != nil {
			accepted = *v.AcceptedWeight
		}
		text := fmt.Sprintf("%s %d", unitTitle(v), v.Weight)
		if accepted != v.Weight {
			text += fmt.Sprintf(" (accepted %d)", accepted)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func unitTitle(v v1.VersionStatus) string {
	if v.RevisionNumber > 1 {
		return fmt.Sprintf("%s/r%d", v.Version, v.RevisionNumber)
	}
	return v.Version
}

// describeHandler describes a handler for a failed test.
func describeHandler(h *v1.GatiHandler) string {
	var out strings.Builder
	fmt.Fprintf(&out, "generation %d, seen %d\n", h.Generation, h.Status.ObservedGeneration)
	for _, c := range h.Status.Conditions {
		fmt.Fprintf(&out, "%s=%s %s: %s\n", c.Type, c.Status, c.Reason, c.Message)
	}
	for _, v := range h.Status.Versions {
		fmt.Fprintf(&out, "  %s %s workload %s weight %d replicas %d\n", unitTitle(v), v.Phase, v.Workload, v.Weight, v.Replicas)
	}
	if ro := h.Status.Rollout; ro != nil {
		fmt.Fprintf(&out, "  %s %s step %d\n", ro.Phase, ro.Mode, ro.Step)
		for _, e := range ro.History {
			fmt.Fprintf(&out, "  %s %s %s %s→%s %s\n", e.At.Format(time.TimeOnly), e.By, e.What, e.From, e.To, e.Why)
		}
	}
	for _, c := range h.Status.Children {
		if c.Message != "" {
			fmt.Fprintf(&out, "  %s %s: %s\n", c.Kind, c.Name, c.Message)
		}
	}
	return out.String()
}

// hasHistoryEntry reports whether the history has an entry of that kind.
func hasHistoryEntry(h *v1.GatiHandler, what string) bool {
	return h.Status.Rollout != nil && slices.ContainsFunc(h.Status.Rollout.History, func(e v1.HistoryEntry) bool { return e.What == what })
}

func adminName(t *testing.T) string {
	t.Helper()
	out, err := cluster.Run(t.Context(), "", "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}
