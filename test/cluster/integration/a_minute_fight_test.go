package integration

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

const (
	// fought is how long a fight is watched: one minute has to be whole in it,
	// wherever it begins.
	fought = 75 * time.Second
	// mostWrites is how many writes to one object a minute may have, the create and those
	// that lost a race aside, which changed nothing.
	mostWrites = 5
)

// "A foreign mutating webhook that fights us: at most 5 writes a minute, Stalled,
// named." So is a writer that puts its value back as soon as it sees ours.
func TestAFightIsShortAndNamed(t *testing.T) {
	t.Parallel()
	t.Run("a mutating webhook", func(t *testing.T) {
		t.Parallel()
		ns := makeNamespace(t)
		calls := meddleWithDeadlines(t, ns)
		proveFight(t, ns, func() bool { return calls.Load() > 0 }, "Deployment.apps handler-a: spec.progressDeadlineSeconds was sent as 600", "webhook meddle.example.com of MutatingWebhookConfiguration meddler-of-"+ns)
	})
	t.Run("a writer", func(t *testing.T) {
		t.Parallel()
		ns := makeNamespace(t)
		writes := rewriteDeadline(t, ns, "handler-a")
		proveFight(t, ns, func() bool { return writes.Load() > 1 }, "Deployment.apps handler-a: meddler keeps changing fields")
	})
}

// proveFight makes a handler whose Deployment another manager fights for, stirs it all
// the time, longer where that manager is slow, and counts in the audit log what
// gati-webhook wrote.
func proveFight(t *testing.T, ns string, hasFought func() bool, told ...string) {
	t.Helper()
	h := builders.MakeHandler("a").Namespace(ns).Image("app:v1.0.0").Obj()
	createObject(t, h)
	began := time.Now()
	for round := 0; time.Since(began) < fought || !hasFought() && time.Since(began) < await.Patience; round++ {
		// Each event of the handler brings the controller back.
		stir := fmt.Appendf(nil, `{"metadata":{"annotations":{"stirred":"%d"}}}`, round)
		if err := admin.Patch(t.Context(), h, client.RawPatch(types.MergePatchType, stir)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // between two events
	}
	if !hasFought() {
		t.Fatal("the other manager has not fought")
	}
	stalledHandler(t, ns, "a", told...)

	writes, err := readAudit(func(r request) bool {
		return r.Writes() && r.Verb != "create" && r.Object.Namespace == ns && r.Object.Resource == "deployments" && r.Response.Code != http.StatusConflict
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(writes) == 0 {
		t.Error("gati-webhook never wrote the Deployment: it has not fought")
	}
	n, which := mostInAMinute(writes)
	t.Logf("%d writes of the Deployment in %s, at most %d in one minute", len(writes), fought, n)
	if n > mostWrites {
		t.Errorf("%d writes of the Deployment within one minute, want at most %d:\n%s", n, mostWrites, strings.Join(which, "\n"))
	}
}

// mostInAMinute finds the minute with the most requests.
func mostInAMinute(all []request) (most int, which []string) {
	slices.SortFunc(all, func(a, b request) int { return a.Received.Compare(b.Received) })
	for i := range all {
		var lines []string
		for _, r := range all[i:] {
			if r.Received.Sub(all[i].Received) < time.Minute {
				lines = append(lines, r.String())
			}
		}
		if len(lines) > most {
			most, which = len(lines), lines
		}
	}
	return most, which
}

// meddleWithDeadlines has a webhook change the deadline of each Deployment of a namespace, to
// another value each time.
func meddleWithDeadlines(t *testing.T, ns string) *atomic.Int64 {
	t.Helper()
	calls := &atomic.Int64{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		kind := admissionv1.PatchTypeJSONPatch
		patch := fmt.Appendf(nil, `[{"op":"add","path":"/spec/progressDeadlineSeconds","value":%d}]`, 1000+calls.Add(1))
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true, Patch: patch, PatchType: &kind}
		review.Request = nil
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	none := admissionregistrationv1.SideEffectClassNone
	hook := &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "meddler-of-" + ns},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "meddle.example.com", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      &server.URL,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: ns}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
			}},
		}},
	}
	createObject(t, hook)
	t.Cleanup(func() {
		if err := admin.Delete(context.Background(), hook); client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	})
	await.Eventually(t, "a webhook that is called", func() error {
		probe := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "probe"}, Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		}}
		if err := admin.Create(t.Context(), probe, client.DryRunAll); err != nil || *probe.Spec.ProgressDeadlineSeconds < 1000 {
			return fmt.Errorf("not yet: %w", err)
		}
		return nil
	})
	return calls
}

// rewriteDeadline sets the deadline of a Deployment whenever it is another one.
func rewriteDeadline(t *testing.T, ns, name string) *atomic.Int64 {
	t.Helper()
	writes := &atomic.Int64{}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(150 * time.Millisecond) {
			var d appsv1.Deployment
			if admin.Get(ctx, client.ObjectKey{Namespace: ns, Name: name}, &d) != nil || *d.Spec.ProgressDeadlineSeconds == 1000 {
				continue
			}
			patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"progressDeadlineSeconds":1000}}`))
			if admin.Patch(ctx, &d, patch, client.FieldOwner("meddler")) == nil {
				writes.Add(1)
			}
		}
	}()
	return writes
}
