package fleet

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFigures(t *testing.T) {
	f := Figures{
		Subject: "gati", Phase: "create", Workloads: 300, Touched: 200,
		Took: 20 * time.Second, First: 10 * time.Second, Lag50: 1234 * time.Millisecond, Lag99: 3 * time.Second,
		ServerCPU: 10 * time.Second, BeyondIdle: 8 * time.Second, EtcdCPU: 2 * time.Second, OwnCPU: 4 * time.Second, Memory: 81_000_000, OwnMemory: 30_000_000,
		Requests: map[string]int{"create deployments": 200, "patch gatihandlers/status": 400, "create events": 100, "list services": 8},
	}
	var table, lines, requests strings.Builder
	Markdown(&table, []Figures{f})
	Benchmarks(&lines, []Figures{f})
	Requests(&requests, f)
	want := `| phase | of | subject | took | per second | first child p50 | p99 | API server, each | beyond idle, each | etcd, each | controller, each | memory | of it own | writes, each | Events, each |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
| create | 300 | gati | 20s | 10.0 | 1.23s | 3s | 50.0 ms | 40.0 ms | 10.0 ms | 20.0 ms | 81 MB | 30 MB | 3.0 | 0.5 |
`
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	want = "BenchmarkFleet/create/gati/300 1 100000000 ns/workload 50000000 server-ns/workload 40000000 beyond-idle-ns/workload 20000000 own-ns/workload 1234000000 lag50-ns 3000000000 lag99-ns 81000000 B-resident 3 writes/workload 0.5 events/workload\n"
	if diff := cmp.Diff(want, lines.String()); diff != "" {
		t.Errorf("benchmark lines (-want +got):\n%s", diff)
	}
	want = "      2.00 patch gatihandlers/status\n      1.00 create deployments\n      0.50 create events\n      0.04 list services\n"
	if diff := cmp.Diff(want, requests.String()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestBudgetFigures(t *testing.T) {
	all := []Figures{
		{Subject: bareClient, Phase: "idle"},
		{Subject: bareClient, Phase: "create", Workloads: 300, Touched: 300, Took: 20 * time.Second, BeyondIdle: 12 * time.Second},
		{Subject: "gati", Phase: "create", Workloads: 300, Touched: 300, Took: 25 * time.Second, First: 8 * time.Second, BeyondIdle: 18 * time.Second},
		{Subject: "gati", Phase: "canary", Workloads: 300, Touched: 300, Took: time.Minute},
	}
	var table strings.Builder
	BudgetMarkdown(&table, Compare(all))
	want := `| new handlers | API server | bar | complete sets | bar | first Deployments of all | bar |
|---|---|---|---|---|---|---|
| 300 | 1.50 × | 1.80 × | 0.80 × the rate | 0.80 × | 0.40 × its time | 0.40 × |
`
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// TestMedians has runs whose figures are not in one order, and a run that lacks a number.
func TestMedians(t *testing.T) {
	got := Medians([][]Comparison{
		{{300, 1.5, 0.9, 0.3}, {1000, 2, 0.5, 0.8}},
		{{300, 1.1, 0.7, 0.5}},
		{{300, 1.3, 0.8, 0.4}, {1000, 1, 0.6, 0.9}},
	})
	want := []Comparison{{300, 1.3, 0.8, 0.4}, {1000, 2, 0.6, 0.9}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("medians (-want +got):\n%s", diff)
	}
	if got := Medians(nil); got != nil {
		t.Errorf("the medians of no run are %v", got)
	}
}

func TestAdmissionFigures(t *testing.T) {
	var took []time.Duration
	for i := range 200 {
		took = append(took, time.Duration(200-i)*time.Millisecond)
	}
	var table strings.Builder
	AdmissionMarkdown(&table, []Admission{{Clients: 10, Requests: 200, With: latencyOf(took), Without: Latency{P50: 40 * time.Millisecond, P99: 150 * time.Millisecond}}})
	want := `| clients | requests | with hooks p50 | p99 | without p50 | p99 | added p50 | p99 |
|---|---|---|---|---|---|---|---|
| 10 | 200 | 101.0 ms | 199.0 ms | 40.0 ms | 150.0 ms | 61.0 ms | 49.0 ms |
`
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestCPUOfAProcess(t *testing.T) {
	if d, err := cpuOf(1 << 30); err == nil {
		t.Errorf("a process that is not there has used %s", d)
	}
	if n, own, err := memoryOf(0); n != 0 || own != 0 || err != nil {
		t.Errorf("no process holds %d bytes, %d of its own, error %v", n, own, err)
	}
	if n, own, err := memoryOf(os.Getpid()); own < 1<<20 || n <= own || err != nil {
		t.Errorf("this process holds %d bytes, %d of its own, error %v", n, own, err)
	}
}

// TestLooks holds which metrics count reconciles of handlers.
func TestLooks(t *testing.T) {
	const metrics = `# TYPE controller_runtime_reconcile_total counter
controller_runtime_reconcile_total{controller="gatihandler",result="error"} 2
controller_runtime_reconcile_total{controller="gatihandler",result="success"} 1.5e+03
controller_runtime_reconcile_total{controller="gatimodule",result="success"} 7
controller_runtime_reconcile_time_seconds_count{controller="gatihandler"} 9
`
	if got := sumReconciles(metrics); got != 1502 {
		t.Errorf("got %d, want 1502", got)
	}
}
