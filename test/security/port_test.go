package security

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	admissionv1 "k8s.io/api/admission/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/test/support/await"
)

const (
	// applyRate is how many applies begin in a second at most, and atOnce how many are under
	// way: a machine that is slower than the rate would be asked for ever more at once.
	applyRate, atOnce = 10, 4
)

// idlers is how many connections say nothing, and how many say little.
var idlers = soak.Pick("silentAndSlowConnections", 100, 40)

// TestSilentAndSlowConnections attacks as a pod without credentials: connections that say
// nothing, or little of much that they announce. The API server comes from the same
// address, so that nothing can tell them apart. The soak holds that no apply fails.
func TestSilentAndSlowConnections(t *testing.T) {
	ns := "silent"
	env.Namespace(t, ns)
	length := soak.Pick("silentAndSlowConnections", 5*time.Minute, 4*time.Second)
	attack, stop := context.WithCancel(t.Context())
	var open atomic.Int64
	var attackers sync.WaitGroup
	for i := range 2 * idlers {
		attackers.Go(func() { stayOpen(attack, i, &open) })
	}
	t.Cleanup(func() { stop(); attackers.Wait() })
	await.Eventually(t, "connections of all attackers", func() error {
		if n := int(open.Load()); n < 2*idlers {
			return fmt.Errorf("%d of %d are open", n, 2*idlers)
		}
		return nil
	})
	logAttempt(t, "%d connections that say nothing and %d that send a byte now and then, some of 7 MiB that they announce", idlers, idlers)
	applies := int(length.Seconds()) * applyRate
	before, busyBefore := countCalls(t)
	failed := applyAtRate(t, ns, applies)
	// The applies are fewer than there is room for, however late a busy machine is.
	if all, busy := countCalls(t); busy > busyBefore || all-before < applies {
		t.Errorf("%d of %d calls found no room, want none of at least %d", busy-busyBefore, all-before, applies)
	}
	// Without room for what has arrived 66 of 100 failed.
	mayFail := applies / 10
	if soak.IsLong("silentAndSlowConnections") {
		mayFail = 0
	}
	if len(failed) > mayFail {
		t.Errorf("%d of %d applies failed, the first: %v", len(failed), applies, failed[0])
	}
	logDefence(t, "%d applies at %d a second, %d failed; %d connections are open", applies, applyRate, len(failed), open.Load())
}

// stayOpen keeps a connection open, and opens another whenever it is closed.
func stayOpen(ctx context.Context, i int, open *atomic.Int64) {
	for ctx.Err() == nil {
		c, err := dialWebhook(ctx, i%4 != 0) // A quarter does not even begin to speak TLS.
		if err != nil {
			continue
		}
		open.Add(1)
		stopWith := context.AfterFunc(ctx, func() { _ = c.Close() })
		if i < idlers {
			_, _ = io.Copy(io.Discard, c) // until it is closed
		} else {
			sendTrickle(ctx, c, i)
		}
		stopWith()
		_ = c.Close()
		open.Add(-1)
	}
}

// sendTrickle sends a request byte by byte: a third of them a header, the others a body of
// which the header announces megabytes.
func sendTrickle(ctx context.Context, c net.Conn, i int) {
	path := []string{"/mutate", "/validate", "/convert"}[i%3]
	begin := "POST " + path + "?timeout=30s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	if i%2 == 0 {
		begin += fmt.Sprintf("Content-Length: %d\r\n\r\n", []int{7 << 20, 7 << 20, 2 << 20}[i/2%3])
	}
	if _, err := io.WriteString(c, begin); err != nil {
		return
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
		}
	}
}

func dialWebhook(ctx context.Context, secure bool) (net.Conn, error) {
	address := strings.TrimPrefix(env.Webhook.URL(), "https://")
	if !secure {
		return (&net.Dialer{}).DialContext(ctx, "tcp", address)
	}
	return (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(ctx, "tcp", address)
}

// calls matches how many calls of a hook had a verdict.
var calls = regexp.MustCompile(`(?m)^gati_webhook_call_duration_seconds_count{[^}]*verdict="(\w+)"[^}]*} (\d+)$`)

// countCalls counts the calls of all hooks so far, and those that found no room.
func countCalls(t *testing.T) (all, busy int) {
	t.Helper()
	text, err := env.Webhook.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range calls.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(found[2])
		if err != nil {
			t.Fatal(err)
		}
		if all += n; found[1] == "busy" {
			busy += n
		}
	}
	return all, busy
}

// applyAtRate applies ten handlers in turn, a few at once, and returns the errors.
func applyAtRate(t *testing.T, ns string, applies int) []error {
	t.Helper()
	tick := time.NewTicker(time.Second / applyRate)
	defer tick.Stop()
	var mu sync.Mutex
	var failed []error
	var wait errgroup.Group
	wait.SetLimit(atOnce)
	for i := range applies {
		<-tick.C
		wait.Go(func() error {
			h := handlerObject(ns, fmt.Sprint("h", i%applyRate), int64(1+i/applyRate%2))
			err := admin.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(h), client.FieldOwner("kubectl"), client.ForceOwnership)
			if err == nil && h.GetAnnotations()[v1.AnnotationPlan] == "" {
				err = fmt.Errorf("%s has no plan: it was not mutated", h.GetName())
			}
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, err)
			}
			return nil
		})
	}
	_ = wait.Wait() // The errors are in failed.
	return failed
}

func handlerObject(ns, name string, replicas int64) *unstructured.Unstructured {
	h := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"path": "/" + name, "image": "app:v1.0.0", "replicas": replicas}}}
	h.SetGroupVersionKind(v1.GroupVersion.WithKind("GatiHandler"))
	h.SetNamespace(ns)
	h.SetName(name)
	return h
}

// planted is a word that is in another namespace and in no forged review.
const planted = "harvest"

// TestForgedReview attacks as a pod without credentials that sends the webhook a review of
// its own about another namespace, as a dry run. The answer has verdicts on what was sent,
// and no word of what is there.
func TestForgedReview(t *testing.T) {
	ns := "forged-review"
	env.Namespace(t, ns)
	plantSecrets(t, ns)
	for name, tc := range map[string]struct{ spec, want string }{
		"a quota":          {`"path":"/a","image":"app:v1"`, "exceeded quota, requested: limits.cpu=500m"},
		"a name":           {`"path":"/a","image":"app:v1"`, "Service handler-a already exists"},
		"what is missing":  {`"path":"/a","image":"app:v1","pod":{"serviceAccountName":"nobody"}`, ""},
		"a field":          {`"path":"/a","image":"app:v1","pod":{"nodeSelector":{"a":"no value"}}`, "nodeSelector"},
		"a gateway's rule": {`"path":"/a","image":"app:v1","route":{"parentRefs":[{"name":"g"}]}`, "exceeded quota"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := forgeReview(t, ns, tc.spec)
			logAttempt(t, "a forged review about namespace %s: %s", ns, name)
			if !strings.Contains(answer, tc.want) {
				t.Errorf("the verdict %q is missing in %s", tc.want, answer)
			}
			if strings.Contains(answer, planted) {
				t.Errorf("the answer quotes what is there: %s", answer)
			}
			logDefence(t, "the answer quotes nothing of it: %s", answer)
		})
	}
}

// plantSecrets puts objects with the planted word where a dry run of a handler a looks.
func plantSecrets(t *testing.T, ns string) {
	t.Helper()
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: planted + "-quota"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourceLimitsCPU: resource.MustParse("123m")}},
	}
	owner := metav1.OwnerReference{APIVersion: "apps/v1", Kind: "Deployment", Name: planted, UID: "1", Controller: new(true)}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "handler-a", OwnerReferences: []metav1.OwnerReference{owner}},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}
	pods := metav1.LabelSelector{MatchLabels: map[string]string{"a": planted}}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: planted},
		Spec: appsv1.DeploymentSpec{Selector: &pods, Replicas: new(int32(0)), Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: pods.MatchLabels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: planted, Image: planted}}},
		}},
	}
	if err := admin.Create(t.Context(), deployment); err != nil {
		t.Fatal(err)
	}
	service.OwnerReferences[0].UID = deployment.UID // or the garbage collector takes it
	for _, obj := range []client.Object{quota, service} {
		if err := admin.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	await.Eventually(t, "a quota that counts, and an account for pods", func() error {
		if err := admin.Get(t.Context(), client.ObjectKeyFromObject(quota), quota); err != nil {
			return err
		}
		if len(quota.Status.Used) == 0 {
			return fmt.Errorf("quota %s counts nothing yet", quota.Name)
		}
		return admin.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "default"}, &corev1.ServiceAccount{})
	})
}

// forgeReview sends a review of a handler a, as a dry run, and returns the answer.
func forgeReview(t *testing.T, ns, spec string) string {
	t.Helper()
	body := fmt.Sprintf(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"forged","kind":{"group":"gati.dev","version":"v1","kind":"GatiHandler"},
		"resource":{"group":"gati.dev","version":"v1","resource":"gatihandlers"},"name":"a","namespace":%[1]q,"operation":"CREATE","userInfo":{"username":"system:admin"},"dryRun":true,
		"object":{"apiVersion":"gati.dev/v1","kind":"GatiHandler","metadata":{"name":"a","namespace":%[1]q},"spec":{%[2]s}}}}`, ns, spec)
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // as an attacker
	}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, env.Webhook.URL()+"/validate?timeout=30s", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(text, &review); err != nil || review.Response == nil {
		t.Fatalf("no review: %d %s", answer.StatusCode, text)
	}
	return string(bytes.TrimSpace(text))
}
