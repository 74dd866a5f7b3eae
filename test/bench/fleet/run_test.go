package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"gati.dev/gati/test/support/auditlog"
	"gati.dev/gati/test/support/await"
)

const (
	// creators is how many clients write side by side.
	creators = 8
	// patience bounds a phase for each workload, and minPatience however few there are.
	patience, minPatience = 2 * time.Second, 5 * time.Minute
)

// bench is one subject on the cluster.
type bench struct {
	t      *testing.T
	s      subject
	ns     string
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
	record *record
	// answered are the times at which the client had created the workloads.
	mu       sync.Mutex
	answered map[string]time.Time
	count    int
	all      []Figures
	// idle is what the API server uses of a second when nothing happens; zero where that was
	// not measured.
	idle time.Duration
	// among is how many other workloads there are; nil for none.
	among func() int
}

func newBench(t *testing.T, s subject, ns string) *bench {
	t.Helper()
	config := *env.Config
	config.QPS = -1
	c, err := dynamic.NewForConfig(&config)
	if err != nil {
		t.Fatal(err)
	}
	d, err := discovery.NewDiscoveryClientForConfig(&config)
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))
	sample, err := s.make(nameFor(0))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range sample { // Discovery is no part of a figure.
		if _, err := mapper.RESTMapping(o.GroupVersionKind().GroupKind()); err != nil {
			t.Fatal(err)
		}
	}
	return &bench{t: t, s: s, ns: ns, client: c, mapper: mapper,
		record: watchChildren(t, c, ns, s), answered: map[string]time.Time{}}
}

func nameFor(i int) string { return fmt.Sprintf("f%06d", i) }

// createWorkloads brings the workloads up to a number.
func (b *bench) createWorkloads(to int) {
	b.t.Helper()
	from := b.count
	b.count = to
	b.measurePhase("create", to-from, func(began time.Time, f *Figures) {
		b.forEachWorkload(from, to, func(ctx context.Context, name string) error {
			objects, err := b.s.make(name)
			if err != nil {
				return err
			}
			for _, o := range objects {
				if err := b.createObject(ctx, o); err != nil {
					return err
				}
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.answered[name] = time.Now()
			return nil
		})
		b.eventually("children of all", func() error { return b.record.checkWhole(to, b.s.children[0].of == deployments) })
		b.fillTimes(from, to, began, f)
		// What is written of them is part of the phase: in a crowd it comes last, and nothing
		// may happen for a while before.
		if !b.s.parent.Empty() {
			b.eventually("status of all", func() error { return b.record.checkParents(isDone(firstVersion)) })
		}
	})
}

func (b *bench) createIn(ctx context.Context, ns string, o *unstructured.Unstructured) error {
	kind := o.GroupVersionKind()
	m, err := b.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return err
	}
	_, err = b.client.Resource(m.Resource).Namespace(ns).Create(ctx, o, metav1.CreateOptions{FieldManager: "bench"})
	return err
}

// fillTimes fills in when the children of the new workloads were there.
func (b *bench) fillTimes(from, to int, began time.Time, f *Figures) {
	b.record.mu.Lock()
	defer b.record.mu.Unlock()
	var lags []time.Duration
	for i := from; i < to; i++ {
		name := nameFor(i)
		lags = append(lags, max(0, b.record.first[name].Sub(b.answered[name])))
		f.First = max(f.First, b.record.first[name].Sub(began))
		f.Took = max(f.Took, b.record.whole[name].Sub(began))
	}
	slices.Sort(lags)
	f.Lag50, f.Lag99 = lags[len(lags)/2], lags[len(lags)*99/100]
}

// patchWorkloads sends a patch to the handlers and waits until all meet a condition.
func (b *bench) patchWorkloads(phase string, patch any, done func(*unstructured.Unstructured) error) {
	b.t.Helper()
	raw, err := json.Marshal(patch)
	if err != nil {
		b.t.Fatal(err)
	}
	b.measurePhase(phase, b.count, func(began time.Time, f *Figures) {
		b.forEachWorkload(0, b.count, func(ctx context.Context, name string) error {
			_, err := b.client.Resource(handlers).Namespace(b.ns).Patch(ctx, name, types.MergePatchType, raw, metav1.PatchOptions{FieldManager: "bench"})
			return err
		})
		b.eventually(phase, func() error { return b.record.checkParents(done) })
		f.Took = time.Since(began)
	})
}

// removeWorkloads deletes the handlers, and waits until their Deployments are gone.
func (b *bench) removeWorkloads() {
	b.t.Helper()
	b.measurePhase("delete", b.count, func(began time.Time, f *Figures) {
		b.forEachWorkload(0, b.count, func(ctx context.Context, name string) error {
			return b.client.Resource(handlers).Namespace(b.ns).Delete(ctx, name, metav1.DeleteOptions{})
		})
		b.eventually("end of the Deployments", func() error {
			left, err := b.client.Resource(deployments).Namespace(b.ns).List(b.t.Context(), metav1.ListOptions{})
			if err == nil && len(left.Items) > 0 {
				err = fmt.Errorf("%d are left", len(left.Items))
			}
			return err
		})
		f.Took = time.Since(began)
	})
}

// measureRestart measures a process that begins anew with all workloads there: until it is ready, and
// what it costs until it has looked at all of them.
func (b *bench) measureRestart() {
	b.t.Helper()
	if err := env.Webhook.Stop(); err != nil {
		b.t.Fatal(err)
	}
	b.measurePhase("restart", b.count, func(began time.Time, f *Figures) {
		if err := env.Webhook.Start(b.t.Context()); err != nil {
			b.t.Fatal(err)
		}
		f.Took = time.Since(began)
		b.awaitSettled()
	})
}

// restingShare is what of a core a process that is at rest uses at most.
const restingShare = 0.2

// awaitSettled waits until gati-webhook is at rest: a process that is ready looks at every workload
// afterwards.
func (b *bench) awaitSettled() {
	b.t.Helper()
	before := b.readUsage().own
	b.eventually("process at rest", func() error {
		time.Sleep(*quiet) // The span is what is measured.
		now := b.readUsage().own
		share := (now - before).Seconds() / quiet.Seconds()
		before = now
		if share > restingShare {
			return fmt.Errorf("it uses %.0f %% of a core", 100*share)
		}
		return nil
	})
}

// measurePause measures a time in which nothing happens.
func (b *bench) measurePause(phase string, lasts time.Duration) {
	b.t.Helper()
	b.measurePhase(phase, b.count, func(_ time.Time, f *Figures) {
		select {
		case <-time.After(lasts):
		case <-b.t.Context().Done():
		}
		f.Took = lasts
	})
}

// maxRest is long enough to tell what a process costs that has nothing to do.
const maxRest = 20 * time.Second

// measureIdle measures what the cluster costs when nothing happens, which later phases leave out.
func (b *bench) measureIdle() {
	b.t.Helper()
	b.measurePause("idle", min(*steady, maxRest))
	last := b.all[len(b.all)-1]
	b.idle = time.Duration(float64(last.ServerCPU) / last.Lasted.Seconds())
}

// restInRoles measures a process of each role, as they are installed, when nothing happens.
func (b *bench) restInRoles(phase string) {
	b.t.Helper()
	start := func(role string) {
		b.t.Helper()
		env.Webhook.UseRole(role)
		if err := errors.Join(env.Webhook.Stop(), env.Webhook.Start(b.t.Context())); err != nil {
			b.t.Fatal(err)
		}
	}
	for _, role := range []string{"controllers", "admission"} {
		start(role)
		b.measurePause(phase+" "+role, min(*steady, maxRest))
	}
	start("")
	b.awaitSettled()
}

// measurePhase measures what something costs until nothing more happens.
func (b *bench) measurePhase(name string, touched int, run func(began time.Time, f *Figures)) {
	b.t.Helper()
	f := Figures{Subject: b.s.name, Phase: name, Workloads: b.count, Touched: touched}
	if b.among != nil {
		f.Workloads += b.among()
	}
	takeProfiles := profiling.beginPhase(b.t, fmt.Sprint(b.s.name, "-", name, "-", f.Workloads), b.s.pid() != 0 && name != "restart")
	looked := b.countReconciles(name)
	before, began := b.readUsage(), time.Now()
	run(began, &f)
	b.eventually("quiet after "+name, func() error { return b.record.checkQuiet(*quiet) })
	after := b.readUsage()
	f.Lasted = time.Since(began)
	takeProfiles()
	if name == "restart" {
		before.own = 0 // It is another process.
	}
	spent := after.usageSince(before)
	f.ServerCPU, f.EtcdCPU, f.OwnCPU = spent.server, spent.etcd, spent.own
	f.BeyondIdle = max(0, f.ServerCPU-time.Duration(f.Lasted.Seconds()*float64(b.idle)))
	var err error
	if f.Memory, f.OwnMemory, err = memoryOf(b.s.pid()); err != nil {
		b.t.Fatal(err)
	}
	f.Requests = b.countRequests(began)
	f.Looks = b.countReconciles(name) - looked
	b.all = append(b.all, f)
	var text strings.Builder
	Markdown(&text, []Figures{f})
	Requests(&text, f)
	b.t.Logf("\n%s", text.String())
}

// countReconciles returns how often gati-webhook's process has reconciled a handler, in a phase in which
// it is not to; zero in others.
func (b *bench) countReconciles(phase string) int {
	b.t.Helper()
	if phase != "steady" {
		return 0
	}
	text, err := env.Webhook.Metrics(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	n := sumReconciles(text)
	if n == 0 {
		b.t.Fatal("the metrics of gati-webhook count no reconcile, though it has looked at every handler once")
	}
	return n
}

// reconcilesOfHandlers matches the counts in the metrics of controller-runtime.
var reconcilesOfHandlers = regexp.MustCompile(`(?m)^controller_runtime_reconcile_total\{controller="gatihandler",.*\} (\S+)$`)

func sumReconciles(metrics string) (n int) {
	for _, match := range reconcilesOfHandlers.FindAllStringSubmatch(metrics, -1) {
		count, _ := strconv.ParseFloat(match[1], 64)
		n += int(count)
	}
	return n
}

// countRequests counts what Gati's accounts have asked for since a time.
func (b *bench) countRequests(since time.Time) map[string]int {
	if b.s.pid() == 0 {
		return nil
	}
	asked, err := auditlog.Read(env.Cluster.AuditLog, "system:serviceaccount:gati-system:", func(r auditlog.Request) bool {
		return r.Received.After(since) && r.Annotations["dry-run"] == "" && r.Object.Resource != "leases"
	})
	if err != nil {
		b.t.Fatal(err)
	}
	out := map[string]int{}
	for _, r := range asked {
		out[r.Verb+" "+strings.Trim(r.Object.Resource+"/"+r.Object.Subresource, "/")]++
	}
	return out
}

func (b *bench) readUsage() (u usage) {
	b.t.Helper()
	var errs []error
	for _, p := range []struct {
		pid  func() (int, error)
		into *time.Duration
	}{
		{func() (int, error) { return componentPid(b.t, "kube-apiserver", *server) }, &u.server},
		{func() (int, error) { return componentPid(b.t, "etcd", 0) }, &u.etcd},
		{func() (int, error) { return b.s.pid(), nil }, &u.own},
	} {
		pid, err := p.pid()
		if err == nil {
			*p.into, err = cpuOf(pid)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		b.t.Fatal(err)
	}
	return u
}

// componentPid returns a process of the devcluster; that of another cluster is named by a
// flag, 0 for none.
func componentPid(t *testing.T, component string, named int) (int, error) {
	if !env.Cluster.IsDevcluster() {
		return named, nil
	}
	return env.Cluster.Pid(t.Context(), component)
}

// forEachWorkload calls a function with the name of every workload, by some clients side by side.
func (b *bench) forEachWorkload(from, to int, call func(context.Context, string) error) {
	b.t.Helper()
	b.eachOf(creators, from, to, func(ctx context.Context, i int) error { return call(ctx, nameFor(i)) })
}

// eachOf calls a function with every number, by a number of clients side by side.
func (b *bench) eachOf(clients, from, to int, call func(context.Context, int) error) {
	b.t.Helper()
	next, errs := make(chan int), make(chan error, clients)
	for range clients {
		go func() {
			var failed error
			for i := range next {
				if err := call(b.t.Context(), i); err != nil && failed == nil {
					failed = err
				}
			}
			errs <- failed
		}()
	}
	for i := from; i < to; i++ {
		next <- i
	}
	close(next)
	for range clients {
		if err := <-errs; err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) eventually(what string, check func() error) {
	b.t.Helper()
	await.Within(b.t, max(minPatience, time.Duration(b.count)*patience), what, check)
}
