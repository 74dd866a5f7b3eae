package kubernetes

import (
	"encoding/json"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	v1 "gati.dev/gati/api/v1"
)

// Recorded from a 1.37 API server: what is owned of a Service after our create,
// after our apply, and after others have written.
const (
	createdPort = `{"f:spec":{"f:ports":{".":{},"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{},"f:protocol":{},"f:targetPort":{}}},"f:selector":{}}}`
	appliedPort = `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{},"f:targetPort":{}}},"f:selector":{}}}`
	twoPorts    = `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{"f:name":{},"f:port":{},"f:targetPort":{}},"k:{\"port\":81,\"protocol\":\"TCP\"}":{"f:port":{}}},"f:selector":{}}}`
	portTaken   = `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}}},"f:selector":{}}}`
)

func TestCurrent(t *testing.T) {
	port := `{"spec":{"selector":{"app":"a"},"ports":[{"name":"http","port":80,"targetPort":"http"}]}}`
	live := `{"spec":{"selector":{"app":"a"},"clusterIP":"10.0.0.1","ports":[{"name":"http","port":80,"protocol":"TCP","targetPort":"http"}]}}`
	apply, update := metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	tests := map[string]struct {
		entries       []metav1.ManagedFieldsEntry
		desired, live string
		want          bool
	}{
		"nothing is known of anybody":  {nil, port, live, false},
		"all has another owner":        {[]metav1.ManagedFieldsEntry{entry("other", apply, appliedPort)}, port, live, false},
		"only our status counts not":   {[]metav1.ManagedFieldsEntry{subresource(entry(v1.FieldManager, update, appliedPort))}, port, live, false},
		"created":                      {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, update, createdPort)}, port, live, true},
		"applied":                      {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, appliedPort)}, port, live, true},
		"a field was taken":            {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, portTaken)}, port, live, false},
		"apply and create together":    {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, portTaken), entry(v1.FieldManager, update, createdPort)}, port, live, true},
		"others own fields beside":     {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, appliedPort), entry("other", update, `{"f:spec":{"f:type":{}}}`)}, port, live, true},
		"a wanted field is not there":  {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, appliedPort)}, `{"spec":{"type":"ClusterIP"}}`, live, false},
		"a wanted item is not there":   {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, appliedPort)}, `{"spec":{"ports":[{"port":81}]}}`, live, false},
		"the first of two items":       {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, twoPorts)}, port, live, true},
		"another protocol":             {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, appliedPort)}, `{"spec":{"ports":[{"port":80,"protocol":"UDP"}]}}`, live, false},
		"a set holds":                  {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, `{"f:x":{"v:\"a\"":{},"v:\"b\"":{}}}`)}, `{"x":["b","a"]}`, `{}`, true},
		"a set lacks one":              {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, `{"f:x":{"v:\"a\"":{}}}`)}, `{"x":["b","a"]}`, `{}`, false},
		"an atomic map after a create": {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, update, createdPort)}, `{"spec":{"selector":{"app":"a"}}}`, live, true},
		"a map whose contents were taken after a create": {
			[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, update, `{"f:data":{}}`)}, `{"data":{"A":"ours"}}`, `{"data":{"A":"theirs"}}`, false},
		"a map whose contents are gone after a create": {
			[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, update, `{"f:data":{}}`)}, `{"data":{"A":"ours"}}`, `{}`, false},
		"nonsense": {[]metav1.ManagedFieldsEntry{entry(v1.FieldManager, apply, `nonsense`)}, port, live, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: object(t, tc.live)}
			u.SetManagedFields(tc.entries)
			if got := IsCurrent(u, object(t, tc.desired)); got != tc.want {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

func entry(manager string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: operation, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(fields), Time: &metav1.Time{Time: time.Unix(1_800_000_000, 0)},
	}
}

func subresource(e metav1.ManagedFieldsEntry) metav1.ManagedFieldsEntry {
	e.Subresource = "status"
	return e
}

func object(t testing.TB, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestContestantIsWhoHoldsTheFields(t *testing.T) {
	ours, want := entry(v1.FieldManager, "Apply", `{"f:data":{"f:B":{}}}`), map[string]any{"data": map[string]any{"A": "1", "B": "2"}}
	later := entry("kube-controller-manager", "Update", `{"f:metadata":{"f:annotations":{"f:x":{}}}}`)
	later.Time = &metav1.Time{Time: later.Time.Add(time.Hour)}
	tests := map[string]struct {
		entries []metav1.ManagedFieldsEntry
		want    string
	}{
		"no one":                    {[]metav1.ManagedFieldsEntry{ours}, "an unknown manager"},
		"who holds the field":       {[]metav1.ManagedFieldsEntry{later, ours, entry("meddler", "Update", `{"f:data":{"f:A":{}}}`)}, "meddler"},
		"no owner, the last writer": {[]metav1.ManagedFieldsEntry{later, ours, entry("meddler", "Update", `{"f:data":{"f:C":{}}}`)}, "kube-controller-manager"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := findContestant(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ManagedFields: tc.entries}}, want); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

func TestBudget(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Unix(1_800_000_000, 0))
	b, taken := newBudget(clock), 0
	for range 12 {
		if b.spendWrites("a", 1) {
			taken++
		}
		clock.SetTime(clock.Now().Add(5 * time.Second))
	}
	if taken != 5 || !b.spendWrites("b", 5) {
		t.Errorf("%d of one object within a minute, and another's: want 5 and one", taken)
	}
	clock.SetTime(clock.Now().Add(time.Minute))
	if !b.spendWrites("a", 1) {
		t.Error("none left a minute later")
	}
	if b.spendWrites("a", 5) || !b.spendWrites("a", 4) {
		t.Error("with one of five spent, four are left")
	}
	b.giveBack("a", clock.Now().Add(time.Second))
	if b.spendWrites("a", 1) {
		t.Error("what was spent before is given back")
	}
	b.giveBack("a", clock.Now())
	if !b.spendWrites("a", 5) {
		t.Error("nothing was given back")
	}
	clock.SetTime(clock.Now().Add(time.Minute))
	b.spendWrites(types.UID("c"), 1)
	if len(b.spent) != 1 {
		t.Errorf("%d objects are remembered, want 1", len(b.spent))
	}
}
