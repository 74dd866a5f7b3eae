package target

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

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/target"
)

// A mutating webhook of another owner's changes a field of ours on its way in,
// each time: to the same value, or to another one every time. It is named, and
// costs a write a minute until it is gone. The API server puts the field down as
// ours with the webhook's value.
func TestAlteredAtAdmission(t *testing.T) {
	tests := map[string]func(call int64) string{
		"to the same value":            func(int64) string { return "theirs" },
		"to another value every time":  func(call int64) string { return fmt.Sprint("theirs ", call) },
		"to nothing of what was there": func(int64) string { return "" },
	}
	for name, value := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, builders.MakeHandler("a").Obj())
			cm := findPlanned[*corev1.ConfigMap](w)
			cm.Immutable, cm.Data = nil, map[string]string{"A": "ours"}
			hook := w.installMutation(value)
			w.wire.takeCounts()

			w.mustApply(cm) // The create: what came of it is seen when the object is.
			writes := w.applyRepeatedly(cm, hook.GetName())
			if writes > 5 {
				t.Errorf("%d writes within a minute, want at most 5", writes)
			}
			w.must(w.admin.Delete(w.context, hook))
			w.eventually("a webhook that is gone", func() bool { return w.dryRunValue() == "as it was" })
			w.clock.SetTime(w.clock.Now().Add(time.Minute))
			if _, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{cm}}); err != nil {
				t.Fatal(err)
			}
			w.clock.SetTime(w.clock.Now().Add(time.Minute))
			w.mustApply(cm)
			if got := w.readObject(cm).Object["data"].(map[string]any)["A"]; got != "ours" {
				t.Errorf("afterwards it is %q", got)
			}
		})
	}
}

// applyRepeatedly applies every five seconds for a minute, as events and retries would at
// most, and returns how many requests wrote.
func (w *world) applyRepeatedly(cm *corev1.ConfigMap, hook string) int {
	w.t.Helper()
	for range 12 {
		out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: []client.Object{cm}})
		w.must(err)
		var altered *target.AlteredError
		if !errors.As(out.Children[0].Problem, &altered) {
			w.t.Fatalf("problem %v", out.Children[0].Problem)
		}
		if altered.Field != "data.A" || altered.Want != `"ours"` || len(altered.Suspects) != 1 || !strings.Contains(altered.Suspects[0], hook) {
			w.t.Fatalf("told %q, want data.A and %s", altered, hook)
		}
		w.clock.SetTime(w.clock.Now().Add(5*time.Second - time.Millisecond))
	}
	return countAll(w.wire.takeCounts())
}

// installMutation has a webhook change the value of A in the ConfigMaps of the namespace,
// or take it away.
func (w *world) installMutation(value func(call int64) string) client.Object {
	w.t.Helper()
	var calls atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		patch := fmt.Sprintf(`[{"op":"replace","path":"/data/A","value":%q}]`, value(calls.Add(1)))
		if value(0) == "" {
			patch = `[{"op":"add","path":"/data","value":{}}]`
		}
		kind := admissionv1.PatchTypeJSONPatch
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true, Patch: []byte(patch), PatchType: &kind}
		review.Request = nil
		_ = json.NewEncoder(rw).Encode(review)
	}))
	w.t.Cleanup(server.Close)
	none := admissionregistrationv1.SideEffectClassNone
	hook := &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "meddler-of-" + w.owner.GetNamespace()},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "meddle.example.com", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      &server.URL,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.owner.GetNamespace()}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		}},
	}
	w.must(w.admin.Create(w.context, hook))
	w.t.Cleanup(func() { w.must(client.IgnoreNotFound(w.admin.Delete(context.WithoutCancel(w.context), hook))) })
	w.eventually("a webhook that is called", func() bool { return w.dryRunValue() != "as it was" })
	return hook
}

// dryRunValue returns the resulting value of A.
func (w *world) dryRunValue() string {
	probe := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.owner.GetNamespace(), Name: "probe"}, Data: map[string]string{"A": "as it was"},
	}
	w.must(w.admin.Create(w.context, probe, client.DryRunAll))
	return probe.Data["A"]
}

func (w *world) eventually(what string, check func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if check() {
			return
		}
	}
	w.t.Fatalf("within 30s there was no: %s", what)
}
