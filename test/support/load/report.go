package load

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// failuresShown is how many failures a report tells in full.
const failuresShown = 10

// Answer has the properties by which answers are counted. Without an
// answer both are zero.
type Answer struct {
	Version string
	Status  int
}

// Failure is a request that was not answered with success.
type Failure struct {
	After       time.Duration
	Method, URL string
	Status      int
	Reason      string
}

// Report counts the outcomes of a run's requests.
type Report struct {
	Config  Config
	Offered int
	Answers map[Answer]int
	// Last is when the last answer of each kind was there.
	Last map[Answer]time.Time
	// Failures are the first ones; Failed counts all.
	Failures []Failure

	took  latencies
	first time.Time
}

func newReport(c Config) Report {
	return Report{Config: c, Answers: map[Answer]int{}, Last: map[Answer]time.Time{}}
}

// addResult counts a result and reports whether it is a success.
func (r *Report) addResult(result result, versionHeader string) bool {
	if r.first.IsZero() || result.sent.Before(r.first) {
		r.first = result.sent
	}
	answer := Answer{Status: result.status}
	if result.status == 0 || result.problem != "" && isSuccess(answer.Status) {
		answer = Answer{} // no answer, or one that broke off
	} else {
		answer.Version = result.answer.Get(versionHeader)
	}
	r.Answers[answer]++
	if end := result.endTime(); end.After(r.Last[answer]) {
		r.Last[answer] = end
	}
	r.took = append(r.took, result.latency)
	if isSuccess(answer.Status) {
		return true
	}
	if len(r.Failures) < failuresShown {
		r.Failures = append(r.Failures, Failure{
			After: result.sent.Sub(r.first), Method: result.method, URL: result.url, Status: answer.Status, Reason: result.problem,
		})
	}
	return false
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// Answered counts the requests that something became of, failures included. It
// is what was offered unless the generator lost count.
func (r Report) Answered() int {
	sum := 0
	for _, n := range r.Answers {
		sum += n
	}
	return sum
}

// Failed counts the requests without a successful answer.
func (r Report) Failed() int {
	sum := 0
	for answer, n := range r.Answers {
		if !isSuccess(answer.Status) {
			sum += n
		}
	}
	return sum
}

// By counts the successful answers of a version.
func (r Report) By(version string) int {
	sum := 0
	for answer, n := range r.Answers {
		if answer.Version == version && isSuccess(answer.Status) {
			sum += n
		}
	}
	return sum
}

// LastBy is when the last successful answer of a version was there, zero where there
// was none.
func (r Report) LastBy(version string) (last time.Time) {
	for answer, at := range r.Last {
		if answer.Version == version && isSuccess(answer.Status) && at.After(last) {
			last = at
		}
	}
	return last
}

// LastFailure is when it was known of the last request that it had failed, zero where
// none has.
func (r Report) LastFailure() (last time.Time) {
	for answer, at := range r.Last {
		if !isSuccess(answer.Status) && at.After(last) {
			last = at
		}
	}
	return last
}

// String has a line for each kind of answer and for the first failures.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d offered = %d answered at %d/s, seed %d, %d failed; p50 %v, p99 %v, max %v\n", r.Offered, r.Answered(), r.Config.Rate,
		r.Config.Seed, r.Failed(), roundLatency(r.took.quantile(0.5)), roundLatency(r.took.quantile(0.99)), roundLatency(r.took.quantile(1)))
	for _, answer := range slices.SortedFunc(maps.Keys(r.Answers), byVersion) {
		fmt.Fprintf(&b, "  %-12s %3d  %6d\n", cmp.Or(answer.Version, "-"), answer.Status, r.Answers[answer])
	}
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "  after %v: %s %s: %d %s\n", roundLatency(f.After), f.Method, f.URL, f.Status, f.Reason)
	}
	return b.String()
}

func byVersion(a, b Answer) int {
	return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Status, b.Status))
}

func roundLatency(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
