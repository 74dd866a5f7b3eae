package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

var began = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// entry is one of a history, so many seconds after the beginning.
func entry(after int, what, from, to, why string) v1.HistoryEntry {
	return v1.HistoryEntry{Deed: v1.Deed{By: "jane", At: metav1.NewTime(began.Add(time.Duration(after) * time.Second))}, What: what, From: from, To: to, Why: why}
}

func stalled(reason, message string) []metav1.Condition {
	return []metav1.Condition{{Type: v1.ConditionStalled, Status: metav1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(began)}}
}

func users(history ...v1.HistoryEntry) *v1.GatiHandler {
	h := &v1.GatiHandler{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "users", UID: "u1"}}
	h.Status.Rollout = &v1.RolloutStatus{History: history}
	return h
}

// TestIDs holds that equal events have equal ids, and different events different ones.
func TestIDs(t *testing.T) {
	h := users(entry(0, "Started", "v1", "v2", ""), entry(0, "RolledBack", "v2 50 %", "v1 100 %", "too many errors"), entry(1, "RolledBack", "v2 50 %", "v1 100 %", "too many errors"))
	h.Status.Conditions = stalled("Rejected", "1 of 2 pods")
	first := HandlerEvents(h)
	h.ResourceVersion, h.Generation = "7", 3
	h.Status.Conditions = stalled("Rejected", "2 of 2 pods")
	ids := map[string]bool{}
	for i, e := range HandlerEvents(h) {
		if e.ID != first[i].ID || len(e.ID) != 32 {
			t.Errorf("%s has the id %s, then %s", e.Kind, first[i].ID, e.ID)
		}
		ids[e.ID] = true
	}
	h.UID = "u2"
	h.Status.Conditions = stalled("Breaking", "")
	for _, e := range HandlerEvents(h) {
		ids[e.ID] = true
	}
	if len(first) != 4 || len(ids) != 8 {
		t.Errorf("%d events, %d ids of 8", len(first), len(ids))
	}
	m := &v1.GatiModule{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cache"}}
	if got := ModuleEvents(m); got != nil {
		t.Errorf("a module that is well: %v", got)
	}
	m.Status.Conditions = stalled("PodsFailing", "")
	if got := ModuleEvents(m); len(got) != 1 || got[0].Kind != NeedsAttention || !got[0].Open {
		t.Errorf("a module that needs attention: %v", got)
	}
}

// TestPayloads holds the bytes of both formats.
func TestPayloads(t *testing.T) {
	e := HandlerEvents(users(entry(0, "RolledBack", "v2 50 %", "v1 100 %", `<!channel> & "5 of 100"`)))[0]
	for format, want := range map[string][2]string{
		FormatCloudEvents: {"application/cloudevents+json; charset=utf-8", `{"specversion":"1.0","id":"` + e.ID + `","source":"/apis/gati.dev/v1/namespaces/shop/gatihandlers/users","type":"dev.gati.rolledback","subject":"shop/users","time":"2026-03-01T10:00:00Z","datacontenttype":"application/json",` +
			`"data":{"event":"RolledBack","kind":"GatiHandler","namespace":"shop","name":"users","uid":"u1","by":"jane","from":"v2 50 %","to":"v1 100 %","message":"\u003c!channel\u003e \u0026 \"5 of 100\""}}`},
		FormatSlack: {"application/json", `{"text":"*RolledBack* shop/users: v2 50 % → v1 100 %: \u0026lt;!channel\u0026gt; \u0026amp; \"5 of 100\" (jane)"}`},
	} {
		body, mediaType, err := formatPayload(format, e)
		if diff := cmp.Diff(want, [2]string{mediaType, string(body)}); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", format, err, diff)
		}
	}
}

func TestSinks(t *testing.T) {
	for text, want := range map[string]string{
		`{name: ops, secretKey: ops, format: slack, events: [RolledBack]}`: "",
		`{name: bus, url: "http://broker.events.svc/default"}`:             "",
		`{name: bus}`: "one of url and secretKey",
		`{name: bus, url: "http://a", secretKey: b}`:         "one of url and secretKey",
		`{name: Bus, url: "http://a"}`:                       "lower-case",
		`{name: bus, url: "ftp://a"}`:                        "want an address such as",
		`{name: bus, url: "http://jane:x@a"}`:                "credentials do not belong",
		`{name: bus, url: "http://a", format: xml}`:          "want one of cloudevents, slack",
		`{name: bus, url: "http://a", events: [Everything]}`: `no event "Everything"; the events are Started`,
		`{name: bus, secretKey: ../../etc/passwd}`:           "want a key of the Secret",
		`{name: bus, url: "http://a", to: [x]}`:              "unknown field",
		`http://a`:                                           "want an object",
	} {
		s, err := ParseSink(text)
		if want == "" && (err != nil || len(s.Events) == 0 || s.Format == "") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v %v, want %q", text, s, err, want)
		}
	}
}
