package fleet

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// bareClient is the subject that creates the children of handlers itself.
const bareClient = "bare client"

// Figures are those of one phase of one subject.
type Figures struct {
	Subject string `json:"subject"`
	Phase   string `json:"phase"`
	// Workloads is how many there were, Touched how many the phase was about.
	Workloads int `json:"workloads"`
	Touched   int `json:"touched"`
	// Took is the time until the last child was there, or until all was done.
	Took time.Duration `json:"took"`
	// First is the time until the last of the first children was there.
	First time.Duration `json:"first,omitempty"`
	// Lag50 and Lag99 are from the answer to the client to the first child.
	Lag50 time.Duration `json:"lag50,omitempty"`
	Lag99 time.Duration `json:"lag99,omitempty"`
	// ServerCPU, EtcdCPU and OwnCPU are those of the API server, of etcd and of the
	// controller until nothing more happened, which Lasted took. BeyondIdle is what the API
	// server used beyond what it uses when nothing happens: on a busy machine a phase takes
	// longer, and that part with it.
	Lasted     time.Duration `json:"lasted"`
	ServerCPU  time.Duration `json:"serverCPU"`
	BeyondIdle time.Duration `json:"beyondIdle"`
	EtcdCPU    time.Duration `json:"etcdCPU"`
	OwnCPU     time.Duration `json:"ownCPU,omitempty"`
	// Memory is the controller's resident memory afterwards, in bytes, and OwnMemory what of
	// it is not the program's file.
	Memory    int `json:"memory,omitempty"`
	OwnMemory int `json:"ownMemory,omitempty"`
	// Looks is how often the controller has reconciled a workload at rest.
	Looks int `json:"looks,omitempty"`
	// Requests are those of the controller, by verb and resource, dry runs aside.
	Requests map[string]int `json:"requests,omitempty"`
}

// Admission is what the hooks add to the time of one request that creates a handler.
type Admission struct {
	// Clients is how many asked side by side, Requests how often all of them did.
	Clients  int `json:"clients"`
	Requests int `json:"requests"`
	// With is with the hooks, Without is without their configurations.
	With    Latency `json:"with"`
	Without Latency `json:"without"`
}

// Latency is how long the middle and the 99th of a hundred requests took.
type Latency struct {
	P50 time.Duration `json:"p50"`
	P99 time.Duration `json:"p99"`
}

// latencyOf sorts the times of requests.
func latencyOf(took []time.Duration) Latency {
	slices.Sort(took)
	return Latency{P50: took[len(took)/2], P99: took[len(took)*99/100]}
}

// AdmissionMarkdown writes the figures as a table of docs/performance.md.
func AdmissionMarkdown(w io.Writer, all []Admission) {
	fmt.Fprintln(w, "| clients | requests | with hooks p50 | p99 | without p50 | p99 | added p50 | p99 |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for _, a := range all {
		fmt.Fprintf(w, "| %d | %d | %s | %s | %s | %s | %s | %s |\n", a.Clients, a.Requests,
			formatMilliseconds(a.With.P50), formatMilliseconds(a.With.P99), formatMilliseconds(a.Without.P50), formatMilliseconds(a.Without.P99),
			formatMilliseconds(a.With.P50-a.Without.P50), formatMilliseconds(a.With.P99-a.Without.P99))
	}
}

// timePerWorkload returns a time for each workload that the phase was about.
func (f Figures) timePerWorkload(d time.Duration) time.Duration {
	return d / time.Duration(max(f.Touched, 1))
}

// countWrites returns how many requests change something, Events aside.
func (f Figures) countWrites() (n, events int) {
	for what, count := range f.Requests {
		switch verb, resource, _ := strings.Cut(what, " "); {
		case isRead(verb):
		case resource == "events":
			events += count
		default:
			n += count
		}
	}
	return n, events
}

// ownWrites returns how many of the writes are of handlers and records themselves.
func (f Figures) ownWrites() (n int) {
	for what, count := range f.Requests {
		verb, resource, _ := strings.Cut(what, " ")
		if isRead(verb) {
			continue
		}
		if kind, _, _ := strings.Cut(resource, "/"); kind == "gatihandlers" || kind == "gativersions" {
			n += count
		}
	}
	return n
}

func isRead(verb string) bool { return verb == "get" || verb == "list" || verb == "watch" }

// Markdown writes the figures as the tables of docs/performance.md.
func Markdown(w io.Writer, all []Figures) {
	fmt.Fprintln(w, "| phase | of | subject | took | per second | first child p50 | p99 | API server, each | beyond idle, each | etcd, each | controller, each | memory | of it own | writes, each | Events, each |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, f := range all {
		writes, events := f.countWrites()
		fmt.Fprintf(w, "| %s | %d | %s | %s | %.1f | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", f.Phase, f.Workloads, f.Subject,
			f.Took.Round(100*time.Millisecond), float64(f.Touched)/max(f.Took.Seconds(), 0.001), formatLag(f.Lag50), formatLag(f.Lag99),
			formatMilliseconds(f.timePerWorkload(f.ServerCPU)), formatMilliseconds(f.timePerWorkload(f.BeyondIdle)), formatMilliseconds(f.timePerWorkload(f.EtcdCPU)), formatMilliseconds(f.timePerWorkload(f.OwnCPU)),
			formatMegabytes(f.Memory), formatMegabytes(f.OwnMemory), perWorkload(writes, f.Touched), perWorkload(events, f.Touched))
	}
}

// The bars of the design for new handlers beside a bare client in the same run: what they cost
// the API server, how fast complete sets come, and when the last first Deployment is there,
// each as a multiple of the client's.
const (
	serverBar = 1.8
	rateBar   = 0.8
	firstBar  = 0.4
)

// Comparison is how new handlers compare with the bare client of the same run, each figure a
// multiple of the client's.
type Comparison struct {
	// Handlers is how many were created.
	Handlers int
	// Server is what they cost the API server, Rate how fast complete sets came, and First
	// when the last first Deployment was there.
	Server, Rate, First float64
}

// Compare returns the comparisons of a run, one for each number of handlers.
func Compare(all []Figures) (out []Comparison) {
	for _, f := range all {
		at := slices.IndexFunc(all, func(b Figures) bool {
			return b.Subject == bareClient && b.Phase == f.Phase && b.Workloads == f.Workloads
		})
		if at < 0 || f.Subject != "gati" || f.Phase != "create" {
			continue
		}
		b := all[at]
		out = append(out, Comparison{
			Handlers: f.Touched, Server: ratioOf(f.timePerWorkload(f.BeyondIdle), b.timePerWorkload(b.BeyondIdle)),
			Rate: ratioOf(b.timePerWorkload(b.Took), f.timePerWorkload(f.Took)), First: ratioOf(f.First, b.Took),
		})
	}
	return out
}

// Medians returns the median of each figure of several runs, for each number of handlers that
// the first of them has. The three need not be of one run.
func Medians(runs [][]Comparison) (out []Comparison) {
	if len(runs) == 0 {
		return nil
	}
	for _, first := range runs[0] {
		var server, rate, last []float64
		for _, run := range runs {
			for _, c := range run {
				if c.Handlers == first.Handlers {
					server, rate, last = append(server, c.Server), append(rate, c.Rate), append(last, c.First)
				}
			}
		}
		out = append(out, Comparison{Handlers: first.Handlers, Server: medianOf(server), Rate: medianOf(rate), First: medianOf(last)})
	}
	return out
}

func medianOf(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// BudgetMarkdown writes comparisons beside the bars of the design.
func BudgetMarkdown(w io.Writer, all []Comparison) {
	fmt.Fprintln(w, "| new handlers | API server | bar | complete sets | bar | first Deployments of all | bar |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for _, c := range all {
		fmt.Fprintf(w, "| %d | %.2f × | %.2f × | %.2f × the rate | %.2f × | %.2f × its time | %.2f × |\n", c.Handlers,
			c.Server, serverBar, c.Rate, rateBar, c.First, firstBar)
	}
}

func ratioOf(a, b time.Duration) float64 { return float64(a) / max(float64(b), 1) }

// Requests writes what a controller asked of the API server for each workload.
func Requests(w io.Writer, f Figures) {
	for _, what := range slices.SortedFunc(maps.Keys(f.Requests), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.Requests[b], f.Requests[a]), cmp.Compare(a, b))
	}) {
		fmt.Fprintf(w, "  %8.2f %s\n", float64(f.Requests[what])/float64(max(f.Touched, 1)), what)
	}
}

// Benchmarks writes the figures in the format of Go's benchmarks, for benchstat.
func Benchmarks(w io.Writer, all []Figures) {
	for _, f := range all {
		writes, events := f.countWrites()
		name := strings.ReplaceAll(fmt.Sprintf("%s/%s/%d", f.Phase, f.Subject, f.Workloads), " ", "-")
		fmt.Fprintf(w, "BenchmarkFleet/%s 1 %d ns/workload %d server-ns/workload %d beyond-idle-ns/workload %d own-ns/workload %d lag50-ns %d lag99-ns %d B-resident %g writes/workload %g events/workload\n",
			name, f.timePerWorkload(f.Took).Nanoseconds(), f.timePerWorkload(f.ServerCPU).Nanoseconds(), f.timePerWorkload(f.BeyondIdle).Nanoseconds(), f.timePerWorkload(f.OwnCPU).Nanoseconds(), f.Lag50.Nanoseconds(), f.Lag99.Nanoseconds(),
			f.Memory, float64(writes)/float64(max(f.Touched, 1)), float64(events)/float64(max(f.Touched, 1)))
	}
}

func formatLag(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return d.Round(10 * time.Millisecond).String()
}

func formatMilliseconds(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func formatMegabytes(bytes int) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%d MB", bytes/1e6)
}

func perWorkload(n, of int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", float64(n)/float64(max(of, 1)))
}
