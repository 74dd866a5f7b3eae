package certificates_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

const (
	clients = 500
	// memoryLimit and goMemoryLimit are those of manifests/controller.
	memoryLimit   = 512 << 20
	goMemoryLimit = "460MiB"
)

// "Overload: 500 clients … against one replica: memory bounded, every answer right
// or clearly retryable; recovery within 5 s."
func TestOverload(t *testing.T) {
	port := freePort(t)
	c := needCluster(t, "https://"+loopbackAddress(port))
	p := startProcess(t, c, port)
	p.awaitReady(t, "ready")
	length := soak.Pick("overload", time.Minute, time.Second)
	o := newOverload(t, p)
	o.runCalls(length)
	idle := readResidentMemory(t, p)
	for what, n := range o.counts {
		t.Logf("%d %s", n, what)
	}
	t.Logf("500 clients for %s: resident memory at most %d MiB, %d MiB afterwards", length, o.most>>20, idle>>20)
	if o.most > memoryLimit {
		t.Errorf("resident memory rose to %d MiB, the limit is %d", o.most>>20, memoryLimit>>20)
	}
	if o.counts["right"] == 0 || o.counts["wrong"] > 0 {
		t.Errorf("answers %v; the first that is wrong: %s", o.counts, o.wrong)
	}
	over := time.Now()
	await.Eventually(t, "an admission after the storm", func() error {
		return c.client.Create(t.Context(), &v1.GatiVersion{
			TypeMeta: v1TypeMeta("GatiVersion"), ObjectMeta: objectMeta("after"), Spec: v1.GatiVersionSpec{Version: "v1.0.0"},
		}, client.DryRunAll)
	})
	if took := time.Since(over); took > 5*time.Second {
		t.Errorf("the first admission came %s after the storm, want 5s", took)
	}
	p.awaitReady(t, "ready after the storm")
}

// overload sends reviews whose right answer is known.
type overload struct {
	t      *testing.T
	p      *process
	client *http.Client

	mu     sync.Mutex
	counts map[string]int
	wrong  string
	most   int64
}

func newOverload(t *testing.T, p *process) *overload {
	return &overload{t: t, p: p, counts: map[string]int{}, client: &http.Client{
		Timeout: 10 * time.Second,
		Transport: &http.Transport{
			MaxIdleConnsPerHost: clients,
			TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, // who is there is another test's subject
		},
	}}
}

func (o *overload) runCalls(length time.Duration) {
	o.t.Helper()
	end := time.Now().Add(length)
	var wait sync.WaitGroup
	for worker := range clients {
		wait.Go(func() {
			for i := worker; time.Now().Before(end); i++ {
				o.countAnswer(o.sendCall(i))
			}
		})
	}
	for time.Now().Before(end) {
		o.most = max(o.most, readResidentMemory(o.t, o.p))
		time.Sleep(50 * time.Millisecond) // between two measurements
	}
	wait.Wait()
	o.client.CloseIdleConnections()
}

func (o *overload) countAnswer(what, wrong string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counts[what]++
	if what == "wrong" && o.wrong == "" {
		o.wrong = wrong
	}
}

// The calls take turns: a mutation, a good and a bad object to validate, and a
// conversion.
func (o *overload) sendCall(i int) (what, wrong string) {
	uid := fmt.Sprint("call-", i)
	switch i % 4 {
	case 0:
		return o.sendReview("mutate", uid, makeReview(uid, `"path":"/a","image":"app:v1"`), true)
	case 1:
		return o.sendReview("validate", uid, makeReview(uid, `"path":"/a","image":"app:v1"`), true)
	case 2:
		return o.sendReview("validate", uid, makeReview(uid, `"path":"no/slash","image":"app:v1"`), false)
	default:
		return o.sendConversion(uid)
	}
}

func makeReview(uid, spec string) string {
	padding := strings.Repeat("x", 20<<10)
	return fmt.Sprintf(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":%q,"kind":{"group":"gati.dev","version":"v1","kind":"GatiHandler"},
		"resource":{"group":"gati.dev","version":"v1","resource":"gatihandlers"},"name":"a","namespace":"default","operation":"CREATE","userInfo":{},
		"object":{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"a","namespace":"default","annotations":{"x":%q}},"spec":{%s}},"oldObject":null,"dryRun":false}}`,
		uid, padding, spec)
}

func (o *overload) sendReview(hook, uid, body string, allowed bool) (what, wrong string) {
	status, text, err := o.postBody("/"+hook+"?timeout=5s", body)
	if err != nil {
		return "wrong", err.Error()
	}
	var got admissionv1.AdmissionReview
	if status != http.StatusOK || json.Unmarshal(text, &got) != nil || got.Response == nil || string(got.Response.UID) != uid {
		return "wrong", fmt.Sprintf("%s: %d %.300s", hook, status, text)
	}
	r := got.Response
	switch {
	case !r.Allowed && r.Result.Code == http.StatusTooManyRequests && r.Result.Details.RetryAfterSeconds > 0 && hook == "validate":
		return "told to try again", ""
	case r.Allowed != allowed:
		return "wrong", fmt.Sprintf("%s: %.300s", hook, text)
	case hook == "mutate" && len(r.Patch) == 0:
		return "passed unstamped", ""
	}
	return "right", ""
}

func (o *overload) sendConversion(uid string) (what, wrong string) {
	body := fmt.Sprintf(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":%q,"desiredAPIVersion":"gati.dev/v1",
		"objects":[{"apiVersion":"gati.dev/v1alpha1","kind":"GatiHandler","metadata":{"name":"a"},"spec":{"handlerPath":"/a","image":"app:v1"}}]}}`, uid)
	status, text, err := o.postBody("/convert?timeout=30s", body)
	switch {
	case err != nil:
		return "wrong", err.Error()
	case status == http.StatusTooManyRequests:
		return "told to ask again", ""
	case status != http.StatusOK || !bytes.Contains(text, []byte(`"status":"Success"`)):
		return "wrong", fmt.Sprintf("convert: %d %.300s", status, text)
	}
	return "right", ""
}

func (o *overload) postBody(path, body string) (int, []byte, error) {
	request, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, "https://"+o.p.webhook+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := o.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// readResidentMemory returns the resident memory of a process, in bytes.
func readResidentMemory(t *testing.T, p *process) int64 {
	t.Helper()
	kib, err := strconv.ParseInt(strings.TrimSuffix(residentMemory(p.command.Process.Pid), " kB"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}
