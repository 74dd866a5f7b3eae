package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/target/kubernetes"
)

// intruder is the manager of everybody else's writes.
const intruder = "intruder"

// world is one namespace with an owner, what is planned for it, and the target
// that makes the plan real.
type world struct {
	t      *testing.T
	admin  client.Client
	target *kubernetes.Target
	clock  *clocktesting.FakePassiveClock
	wire   *counter
	// ours is how the target reaches the API server: by the wire.
	ours    client.Client
	config  *rest.Config
	owner   client.Object
	plan    []client.Object
	context context.Context
}

// counter counts the requests that write, by method and content type.
type counter struct {
	next  http.RoundTripper
	mu    sync.Mutex
	count map[string]int
	// left is how many more writes the process sees answered, nil for all. With isUnheard
	// the one behind them reaches the API server as well.
	left      *int
	isUnheard bool
	// refused is part of the paths that the account has no right to.
	refused string
}

// forbidRequest answers a request as the API server does without the right to it.
func forbidRequest(r *http.Request) *http.Response {
	body := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no right to %s","reason":"Forbidden","code":403}`, r.URL.Path)
	return &http.Response{
		StatusCode: http.StatusForbidden, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)),
	}
}

// errDead answers the writes of a process that was killed.
var errDead = errors.New("the process was killed")

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.refused != "" && strings.Contains(r.URL.Path, c.refused) {
		return forbidRequest(r), nil
	}
	if r.Method != http.MethodGet {
		c.mu.Lock()
		c.count[r.Method+" "+r.Header.Get("Content-Type")]++
		isDead := c.left != nil && *c.left == 0
		isSent := !isDead || c.isUnheard
		if c.left != nil && !isDead {
			*c.left--
		}
		if isDead {
			c.isUnheard = false
		}
		c.mu.Unlock()
		if isDead {
			return nil, c.dropAnswer(r, isSent)
		}
	}
	return c.next.RoundTrip(r)
}

// dropAnswer is a write of a process that is killed: before it is sent, or while the API
// server answers.
func (c *counter) dropAnswer(r *http.Request, isSent bool) error {
	if !isSent {
		return errDead
	}
	response, err := c.next.RoundTrip(r)
	if err == nil {
		_ = response.Body.Close()
	}
	return errDead
}

// takeCounts returns what was counted since the last time.
func (c *counter) takeCounts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.count
	c.count = map[string]int{}
	return out
}

// countAll is the number of requests of all sorts.
func countAll(requests map[string]int) int {
	sum := 0
	for _, n := range requests {
		sum += n
	}
	return sum
}

// newWorld stores the owner in a namespace of its own and expands it. prunable
// are the kinds that the target removes from.
func newWorld(t *testing.T, owner client.Object, prunable ...client.ObjectList) *world {
	t.Helper()
	w := &world{t: t, context: t.Context(), wire: &counter{count: map[string]int{}}, clock: clocktesting.NewFakePassiveClock(time.Unix(1_800_000_000, 0))}
	w.admin = w.newClient(config)
	counted := rest.CopyConfig(config)
	counted.Wrap(func(next http.RoundTripper) http.RoundTripper { w.wire.next = next; return w.wire })
	w.config, w.ours = counted, w.newClient(counted)
	w.target = kubernetes.New(w.ours, w.ours, w.clock, func() []client.ObjectList { return prunable })

	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "target-"}}
	w.must(w.admin.Create(w.context, ns))
	owner.SetNamespace(ns.Name)
	owner.SetUID("")
	w.must(w.admin.Create(w.context, owner))
	w.owner = owner
	w.plan = w.expandPlan(owner)
	return w
}

func (w *world) newClient(c *rest.Config) client.Client {
	out, err := client.New(c, client.Options{Scheme: scheme.Scheme})
	w.must(err)
	return out
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// expandPlan returns the plan of an owner.
func (w *world) expandPlan(owner client.Object) []client.Object {
	w.t.Helper()
	result := admit.Check(owner, nil, admit.Surroundings{Facts: facts.Facts{
		Namespace: owner.GetNamespace(), NamespaceImage: "app:v1", HTTPRouteServed: true,
		RuntimeClasses: map[string]string{"wasmtime": "wasmtime"},
	}})
	if len(result.Errors) > 0 {
		w.t.Fatal(result.Errors.ToAggregate())
	}
	return result.Expand(owner)
}

// mustApply applies a plan and fails the test at the first problem.
func (w *world) mustApply(plan ...client.Object) target.Outcome {
	w.t.Helper()
	out, err := w.target.Apply(w.context, w.owner, target.Plan{Objects: plan})
	w.must(err)
	for _, c := range out.Children {
		w.must(c.Problem)
	}
	return out
}

// readObject reads an object as the server has it.
func (w *world) readObject(obj client.Object) *unstructured.Unstructured {
	w.t.Helper()
	u := &unstructured.Unstructured{}
	gvk, err := apiutil.GVKForObject(obj, scheme.Scheme)
	w.must(err)
	u.SetGroupVersionKind(gvk)
	w.must(w.admin.Get(w.context, client.ObjectKeyFromObject(obj), u))
	return u
}

// resourceVersions returns the resourceVersion of each planned object.
func (w *world) resourceVersions() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for _, obj := range w.plan {
		live := w.readObject(obj)
		out[live.GetKind()+" "+live.GetName()] = live.GetResourceVersion()
	}
	return out
}

// managerOperations returns the operations by which a manager owns fields.
func managerOperations(u *unstructured.Unstructured, name string) []string {
	var out []string
	for _, e := range u.GetManagedFields() {
		if e.Manager == name && e.Subresource == "" {
			out = append(out, string(e.Operation))
		}
	}
	return out
}

// findPlanned returns the one planned object of a type.
func findPlanned[T client.Object](w *world) T {
	w.t.Helper()
	for _, o := range w.plan {
		if typed, ok := o.(T); ok {
			return typed.DeepCopyObject().(T)
		}
	}
	var none T
	w.t.Fatalf("no %T is planned", none)
	return none
}

// foreignConfigMap creates a ConfigMap that has another owner.
func (w *world) foreignConfigMap(name string, change func(*corev1.ConfigMap)) *corev1.ConfigMap {
	w.t.Helper()
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.owner.GetNamespace()}, Data: map[string]string{"whose": "not ours"}}
	if change != nil {
		change(cm)
	}
	w.must(w.admin.Create(w.context, cm, client.FieldOwner(intruder)))
	return cm
}

func ownerReference(o client.Object, kind string) []metav1.OwnerReference {
	yes := true
	return []metav1.OwnerReference{{APIVersion: v1.GroupVersion.String(), Kind: kind, Name: o.GetName(), UID: o.GetUID(), Controller: &yes}}
}
