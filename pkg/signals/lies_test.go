package signals

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestReasonsOfASource holds what comes of every kind of answer, and above all that
// none that is not whole, fresh and about this pod is taken for zero.
func TestReasonsOfASource(t *testing.T) {
	calls := func(n string) string {
		return series("requests/60", pod(itsPod, `"route":"/users/:id","status_code":"200"`), n)
	}
	stale := series("alive", pod(itsPod, ""), fmt.Sprint(now.Add(-5*time.Minute).Unix())) + "," + series("samples/60", pod(itsPod, ""), "4")
	tests := map[string]struct {
		answer http.HandlerFunc
		// known, requests and inFlight are of the traffic; says is part of the message.
		known    bool
		requests int64
		inFlight int64
		lost     bool
		says     string
		timeout  time.Duration // a minute if it is zero
	}{
		"no request":                      {answer: constant(vector(fresh(itsPod))), known: true},
		"requests":                        {answer: constant(vector(fresh(itsPod), calls("3.2"))), known: true, requests: 4},
		"less than one, by extrapolation": {answer: constant(vector(fresh(itsPod), calls("0.3"))), known: true, requests: 1},
		"probes alone":                    {answer: constant(vector(fresh(itsPod), series("requests/60", pod(itsPod, `"route":"/health","status_code":"200"`), "6"))), known: true},
		"a request under way": {answer: constant(vector(strings.Replace(fresh(itsPod), `"active","namespace":"shop","pod":"`+itsPod+`"},"value":[`+fmt.Sprint(now.Unix())+`,"1"`,
			`"active","namespace":"shop","pod":"`+itsPod+`"},"value":[`+fmt.Sprint(now.Unix())+`,"2"`, 1))), known: true, inFlight: 1},
		"requests of a pod that went":   {answer: constant(vector(fresh(itsPod), series("samples/60", pod("handler-users--v1-7d9fcb6c4-zzzzz", ""), "2"), series("requests/60", pod("handler-users--v1-7d9fcb6c4-zzzzz", `"route":"/users/:id","status_code":"200"`), "1"))), known: true, requests: 1, lost: true},
		"requests of another handler's": {answer: constant(vector(fresh(itsPod), fresh("handler-users--v1-list-7d9fcb6c4-zzzzz"), series("requests/60", pod("handler-users-list-7d9fcb6c4-zzzzz", `"route":"/","status_code":"200"`), "9"))), known: true},

		"nothing at all":       {answer: constant(vector()), says: "has no metrics of pod"},
		"of another namespace": {answer: constant(vector(strings.ReplaceAll(fresh(itsPod), `"shop"`, `"other"`))), says: "has no metrics of pod"},
		"with other labels":    {answer: constant(vector(strings.ReplaceAll(fresh(itsPod), `"pod":`, `"kubernetes_pod_name":`))), says: "has no metrics of pod"},
		"read once":            {answer: constant(vector(strings.Replace(fresh(itsPod), `,"4"`, `,"1"`, 1))), says: "were scraped only once in"},
		"stale":                {answer: constant(vector(stale)), says: "5m0s old"},
		"NaN":                  {answer: constant(vector(fresh(itsPod), calls("NaN"))), says: "returns NaN"},
		"infinite":             {answer: constant(vector(fresh(itsPod), calls("+Inf"))), says: "returns +Inf"},
		"negative":             {answer: constant(vector(fresh(itsPod), calls("-3"))), says: "returns -3"},
		"a part of no query":   {answer: constant(vector(fresh(itsPod), series("requests/x", pod(itsPod, ""), "1"))), says: "which the query does not have"},
		"a scalar":             {answer: constant(`{"status":"success","data":{"resultType":"scalar","result":[1,"0"]}}`), says: "a scalar instead of a vector"},
		"a warning":            {answer: constant(strings.TrimSuffix(vector(fresh(itsPod)), "}") + `,"warnings":["partial response: store is down"]}`), says: "partial response"},
		"an error": {answer: func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"status":"error","errorType":"internal","error":"boom"}`, 500)
		}, says: "prometheus: "},
		"a page":         {answer: constant("<html>login</html>"), says: "prometheus: "},
		"half an answer": {answer: constant(vector(fresh(itsPod))[:80]), says: "prometheus: "},
		"10 MB": {answer: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(vector(fresh(itsPod), calls("0"))[:40] + strings.Repeat(" ", 10<<20)))
		}, says: "too large"},
		"nothing in time": {answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, timeout: 50 * time.Millisecond, says: "did not answer within 50ms"},
		"an hour ahead": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", now.Add(time.Hour).Format(http.TimeFormat))
			_, _ = w.Write([]byte(vector(fresh(itsPod))))
		}, says: "clock of prometheus differs by 1h0m0s"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := answering(t, tc.answer).prometheus(t, func(c *PrometheusConfig) { c.Timeout = cmp.Or(tc.timeout, c.Timeout) })
			got := p.Measure(t.Context(), now, []Subject{users()})[users().Key].Traffic
			if got.Known != tc.known || got.Requests != tc.requests || got.InFlight != tc.inFlight || got.Lost != tc.lost {
				t.Errorf("known %v, %d requests, %d under way, lost %v (%s); want %v, %d, %d, %v", got.Known, got.Requests, got.InFlight, got.Lost, got.Message, tc.known, tc.requests, tc.inFlight, tc.lost)
			}
			if tc.says != "" && !strings.Contains(got.Message, tc.says) {
				t.Errorf("it says %q, want %q in it", got.Message, tc.says)
			}
			if got.Source != "prometheus" {
				t.Errorf("source %q", got.Source)
			}
			if tc.known && (!got.At.Equal(now.Add(-5*time.Second)) || !got.From.Equal(now.Add(-time.Minute))) {
				t.Errorf("it is about %s to %s", got.From, got.At)
			}
		})
	}
}

// TestUnreachableSource holds that a source that is down is unknown, and that its address
// is not shown to readers of the handler.
func TestUnreachableSource(t *testing.T) {
	s := answering(t, constant(vector()))
	p := s.prometheus(t)
	s.Close()
	if got := p.Measure(t.Context(), now, []Subject{users()})[users().Key].Traffic; got.Known || got.Message != "prometheus: cannot be reached: connect: connection refused" {
		t.Errorf("%+v", got)
	}
}
