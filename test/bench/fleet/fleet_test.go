package fleet

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/terminal"
)

// Without flags this is a test of few handlers.
var (
	sizes  = flag.String("sizes", "4", "numbers of handlers, rising, separated by commas")
	steady = flag.Duration("steady", 2*time.Second, "how long nothing is to be written")
	// Numbers of pods are written at most every three seconds.
	quiet    = flag.Duration("quiet", 4*time.Second, "how long nothing may have happened at the end of a phase")
	phases   = flag.String("phases", "create,restart,steady,change,canary,delete,admission", "what is measured of Gati, separated by commas; create always is")
	subjects = flag.String("subjects", "gati", "what is measured, separated by commas: "+bareClient+", Deployments alone, gati")
	into     = flag.String("o", "", "prefix of the files with the figures: .json, .md, and .txt for benchstat")
	canaries = flag.Int("canaries", 1, "how many canaries of one handler the median is taken of")
	template = flag.String("parent", "", "measure another controller: a template of its parent object, with NAME and NAMESPACE")
	child    = flag.String("child", "apps/v1/replicasets", "the child of the other controller that people wait for")
	process  = flag.Int("pid", 0, "the process of the other controller")
	server   = flag.Int("server-pid", 0, "the API server's process, where the cluster is none of devcluster's")
)

// most is up to which number of handlers each is changed, rolled and deleted.
const most = 1000

// env is the cluster. Gati is installed when the clients without it are measured.
// profiling is nil where no profiles were asked for.
var (
	env       *terminal.Environment
	profiling *profiler
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: nodesFor(lastNumber(*sizes)), Bare: true}, &env))
}

// nodesFor returns how many simulated nodes hold that many pods and those of canaries.
func nodesFor(handlers int) int {
	const podsOfANode = 100
	return 2 + 2*handlers/podsOfANode
}

func lastNumber(list string) int {
	parts := strings.Split(list, ",")
	n, _ := strconv.Atoi(parts[len(parts)-1]) // A test asks for each of them.
	return n
}

// TestBenchFleet measures, and holds how much a handler makes Gati write.
func TestBenchFleet(t *testing.T) {
	var all []Figures
	var admission []Admission
	defer func() { writeFigures(t, all, admission) }()
	var err error
	if profiling, err = newProfiler(); err != nil {
		t.Fatal(err)
	}
	if *template != "" {
		all = measurePeer(t)
		return
	}
	warmUp(t)
	for i, s := range []subject{bareSubject(t, "fleet-0"), deploymentsAlone(t, "fleet-1")} {
		if isIn(*subjects, s.name) {
			all = append(all, measureClient(t, s, fmt.Sprintf("fleet-%d", i))...)
		}
	}
	if isIn(*subjects, "gati") {
		all = append(all, measureGati(t)...)
	}
	if isMeasured("admission") {
		admission = measureAdmission(t, "fleet-6")
	}
	for _, f := range all {
		if f.Subject != "gati" {
			continue
		}
		writes, events := f.countWrites()
		budget, found := budgets[f.Phase]
		if !found {
			t.Fatalf("the phase %s has no budget", f.Phase)
		}
		if most := budget.writes * f.Touched; writes > most {
			t.Errorf("%s: %d writes for %d handlers, at most %d", f.Phase, writes, f.Touched, most)
		}
		if most := budget.own * f.Touched; f.ownWrites() > most {
			t.Errorf("%s: %d writes of %d handlers and their records, at most %d", f.Phase, f.ownWrites(), f.Touched, most)
		}
		if f.Looks > 0 {
			t.Errorf("%s: %d handlers were looked at %d times", f.Phase, f.Workloads, f.Looks)
		}
		// One is of the lease.
		if most := budget.events*f.Touched + 1; events > most {
			t.Errorf("%s: %d Events for %d handlers, at most %d", f.Phase, events, f.Touched, most)
		}
	}
}

// budgets are what a handler may make Gati write: all of it, what of that are writes of the
// handler and its records, and Events. A slow machine sees more states that are worth a
// write, so they leave some room.
var budgets = map[string]struct{ writes, own, events int }{
	"create": {12, 6, 2}, "change": {10, 6, 2}, "canary": {38, 20, 10}, "one canary": {38, 20, 10}, "delete": {8, 4, 2},
	"idle": {}, "idle controllers": {}, "idle admission": {},
	"restart": {}, "restart controllers": {}, "restart admission": {}, "steady": {}, "foreign pods": {},
}

// minForRates is how many workloads it takes to tell anything about rates and CPU.
const minForRates = 100

// warmUp has the cluster go through what is measured afterwards, once. An API server that has
// just started costs less: it has little to collect, and its watches no history.
func warmUp(t *testing.T) {
	t.Helper()
	if first := parseSizes(t)[0]; first >= minForRates {
		const ns = "fleet-warm-up"
		env.Namespace(t, ns)
		newBench(t, bareSubject(t, ns), ns).createWorkloads(min(first, most))
		env.Must(t, "", "delete", "namespace", ns, "--timeout=20m")
	}
}

// measureClient measures a client that needs no controller, at each size anew.
func measureClient(t *testing.T, s subject, ns string) []Figures {
	t.Helper()
	env.Namespace(t, ns)
	b := newBench(t, s, ns)
	b.measureIdle()
	for _, n := range parseSizes(t) {
		b.createWorkloads(n)
	}
	env.Must(t, "", "delete", "namespace", ns, "--timeout=20m")
	return b.all
}

func measurePeer(t *testing.T) []Figures {
	t.Helper()
	parts := strings.Split(*child, "/")
	of := schema.GroupVersionResource{Version: parts[0], Resource: parts[len(parts)-1]}
	if len(parts) == 3 {
		of.Group, of.Version = parts[0], parts[1]
	}
	s, err := peerSubject(*template, of, *process, "fleet-2")
	if err != nil {
		t.Fatal(err)
	}
	return measureClient(t, s, "fleet-2")
}

// measureGati takes handlers through their life.
func measureGati(t *testing.T) []Figures {
	t.Helper()
	startGati(t)
	const ns = "fleet-3"
	env.Namespace(t, ns)
	b := newBench(t, gatiSubject(func() int { return env.Webhook.Pid() }, ns), ns)
	if isMeasured("idle") {
		b.measureIdle()
		b.restInRoles("idle")
	}
	one := func() {
		if isMeasured("one") {
			measureOne(t, b, fmt.Sprintf("fleet-4-%d", b.count))
		}
	}
	one()
	for _, n := range parseSizes(t) {
		b.createWorkloads(n)
		one()
		if isMeasured("restart") {
			b.measureRestart()
			b.restInRoles("restart")
		}
		if isMeasured("steady") {
			b.measurePause("steady", *steady)
		}
	}
	if isMeasured("foreign") {
		b.foreignPods("fleet-5")
	}
	if b.count > most {
		return b.all
	}
	if isMeasured("change") {
		b.patchWorkloads("change", map[string]any{"spec": map[string]any{"replicas": 2}}, isDone(firstVersion))
	}
	if isMeasured("canary") {
		b.patchWorkloads("canary", imagePatch("v2.0.0"), isDone("v2.0.0"))
	}
	if isMeasured("delete") {
		b.removeWorkloads()
	}
	return b.all
}

// measureOne measures canaries of one handler in a namespace of its own, beside the others if
// there are any; the median counts. The handler goes afterwards: its earlier versions would go
// at their deadline, in the midst of another phase.
func measureOne(t *testing.T, others *bench, ns string) {
	t.Helper()
	env.Namespace(t, ns)
	one := newBench(t, gatiSubject(others.s.pid, ns), ns)
	one.among = func() int { return others.count }
	one.awaitSettled() // A crowd that was just created is not what a canary is measured among.
	one.createWorkloads(1)
	one.all = nil
	for i := range *canaries {
		awaitPart(i, *canaries)
		version := fmt.Sprintf("v%d.0.0", i+2)
		one.patchWorkloads("one canary", imagePatch(version), isDone(version))
	}
	slices.SortFunc(one.all, func(a, b Figures) int { return cmp.Compare(a.Took, b.Took) })
	others.all = append(others.all, one.all[len(one.all)/2])
	one.removeWorkloads()
}

// awaitPart waits for a part of a second to begin. Times in a status are whole seconds, so how long
// a canary takes depends on where in a second it began: by up to a second, which is half of it.
func awaitPart(i, of int) {
	part := time.Duration(i) * time.Second / time.Duration(of)
	now := time.Now()
	next := now.Truncate(time.Second).Add(part)
	if next.Before(now) {
		next = next.Add(time.Second)
	}
	time.Sleep(next.Sub(now))
}

func imagePatch(version string) map[string]any {
	return map[string]any{"spec": map[string]any{"image": "app:" + version}}
}

func isMeasured(phase string) bool { return isIn(*phases, phase) }

// isIn reports whether a list separated by commas has a name in it.
func isIn(list, name string) bool { return slices.Contains(strings.Split(list, ","), name) }

// startGati installs Gati and starts it.
func startGati(t *testing.T) {
	t.Helper()
	w, err := local.Install(t.Context(), env.Cluster, t.TempDir(), profiling.webhookFlags()...)
	if err != nil {
		t.Fatal(err)
	}
	env.Webhook = w
	t.Cleanup(func() {
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// isDone returns a check that a handler is Ready with that version.
func isDone(version string) func(*unstructured.Unstructured) error {
	return func(h *unstructured.Unstructured) error {
		observed, _, _ := unstructured.NestedInt64(h.Object, "status", "observedGeneration")
		serving, _, _ := unstructured.NestedString(h.Object, "status", "serving")
		phase, _, _ := unstructured.NestedString(h.Object, "status", "rollout", "phase")
		if observed != h.GetGeneration() || serving != version || phase != "Stable" {
			return fmt.Errorf("generation %d of %d, %s, %s", observed, h.GetGeneration(), serving, phase)
		}
		return nil
	}
}

func parseSizes(t *testing.T) (out []int) {
	t.Helper()
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || len(out) > 0 && n <= out[len(out)-1] {
			t.Fatalf("-sizes %s: want rising numbers from 1 on", *sizes)
		}
		out = append(out, n)
	}
	return out
}

// writeFigures writes the files that were asked for.
func writeFigures(t *testing.T, all []Figures, admission []Admission) {
	t.Helper()
	var table, lines strings.Builder
	Markdown(&table, all)
	table.WriteString("\n")
	BudgetMarkdown(&table, Compare(all))
	if len(admission) > 0 {
		table.WriteString("\n")
		AdmissionMarkdown(&table, admission)
	}
	Benchmarks(&lines, all)
	t.Logf("\n%s", table.String())
	if *into == "" {
		return
	}
	raw, err := json.MarshalIndent(map[string]any{"phases": all, "admission": admission}, "", "  ")
	if err := errors.Join(err,
		os.WriteFile(*into+".json", raw, 0o644),
		os.WriteFile(*into+".md", []byte(table.String()), 0o644),
		os.WriteFile(*into+".txt", []byte(lines.String()), 0o644)); err != nil {
		t.Error(err)
	}
}
