package rollout_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/soak"
)

// TestNewHandlersOfASlowCluster holds that a new handler takes at most 10 writes, three of them
// of its status, and one Event, also where the API server takes seconds for each child, as it does
// among tens of thousands of Services. That a gateway has accepted its route, and what it
// says of it, is written besides.
func TestNewHandlersOfASlowCluster(t *testing.T) {
	t.Parallel()
	const many = 4
	// Longer than a status waits for others.
	const slow = 4500 * time.Millisecond
	// Two children take longer than pods have to become ready.
	const slower, deadline = 10500 * time.Millisecond, "20s"
	chosen := soak.Share(t, "newHandlersOfASlowCluster", 2)
	for _, tc := range []struct {
		name      string
		resources []string
		slowness  time.Duration
	}{
		{"Services", []string{"services"}, slow},
		{"pods", []string{"pods"}, slow},
		{"what comes with them", []string{"endpointslices", "gativersions"}, slow},
		{"what comes before", []string{"configmaps", "deployments"}, slower},
	} {
		if !chosen() {
			continue
		}
		// One after the other: each keeps workers of the controllers waiting.
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.delayCreates(tc.slowness, tc.resources...)
			l := newLedger(w)
			for i := range many {
				h := builders.MakeHandler(fmt.Sprint("h", i)).Image("app:v1").Replicas(1).Path(fmt.Sprint("/h", i)).Strategy(v1.StrategyCanary).Step(50, "1s").Step(100, "")
				h.Spec(func(s *v1.GatiHandlerSpec) { s.Rollout.ProgressDeadline = deadline })
				if hasRoute(i) {
					h.Gateway(w.gateway)
				}
				w.applyHandler(h.Obj())
			}
			for i := range many {
				w.awaitStory(fmt.Sprint("h", i), "Ready=True")
			}
			l.awaitNoWrites()
			for i := range many {
				mostWrites := 4 // The name of a record that comes late is one of its own.
				if hasRoute(i) {
					mostWrites += 2
				}
				l.checkNew(fmt.Sprint("h", i), mostWrites, 1)
			}
		})
	}
}

func hasRoute(i int) bool { return i%2 == 1 }

// checkNew holds how many writes of the status and Events a new handler has taken so far.
func (l *ledger) checkNew(name string, mostWrites, mostEvents int) {
	l.t.Helper()
	var writes, told []string
	for _, w := range l.listWrites() {
		if w.of == "handler "+name && len(w.changes) > 0 {
			writes = append(writes, w.String())
		}
	}
	for _, e := range l.listEvents() {
		if strings.HasPrefix(e, name+" ") {
			told = append(told, e)
		}
	}
	if len(writes) > mostWrites || len(told) > mostEvents {
		l.t.Errorf("%s: %d writes of its status and %d Events, at most %d and %d:\n%s\n%s", name, len(writes), len(told), mostWrites, mostEvents,
			strings.Join(writes, "\n"), strings.Join(told, "\n"))
	}
}

// delayCreates has the API server take its time for each new object of some resources in the
// namespace.
func (w *world) delayCreates(by time.Duration, resources ...string) {
	w.t.Helper()
	var calls atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		calls.Add(1)
		if isDryRun := review.Request.DryRun; isDryRun == nil || !*isDryRun {
			time.Sleep(by) // The slowness is what is tested; nothing is waited for.
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		review.Request = nil
		_ = json.NewEncoder(rw).Encode(review)
	}))
	w.t.Cleanup(server.Close)
	none, limit := admissionregistrationv1.SideEffectClassNone, int32(30)
	hook := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "delay-" + w.ns},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "delay.example.com", SideEffects: &none, TimeoutSeconds: &limit, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      &server.URL,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.ns}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: append(resources, "secrets")},
			}},
		}},
	}
	if err := admin.Create(w.t.Context(), hook); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := admin.Delete(context.Background(), hook); client.IgnoreNotFound(err) != nil {
			w.t.Error(err)
		}
	})
	w.eventually("a webhook that is called", func() error {
		probe := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "probe"}}
		if err := admin.Create(w.t.Context(), probe, client.DryRunAll); err != nil || calls.Load() == 0 {
			return errors.Join(err, errors.New("not yet"))
		}
		return nil
	})
}
