package rollout_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// breakingLife is a Canary whose v2 breaks callers of v1 and serves them through
// transformers. It has just become stable.
func breakingLife(t *testing.T) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyCanary)
	l.Policy.MinAge, l.Policy.DrainDeadline = 100*time.Hour, 100*time.Hour
	l.Records = map[string]rollout.Record{"v1": {Run: "v1"}, "v2": {Run: "v2", Serves: []string{"v1"}}}
	l.Declare("v2", 1)
	look(t, l)
	wantContract(t, l, "v1")
	l.Ask(request.Promote, request.Full)
	pass(t, l, 20)
	if l.State.Rollout.Stable.Version != "v2" {
		t.Fatalf("v2 is not stable: %s", l.Last.Reason)
	}
	return l
}

func wantContract(t *testing.T, l *rollouttest.Life, want string) {
	t.Helper()
	got := ""
	if c := l.State.Rollout.Contract; c != nil {
		got = c.Version
	}
	if got != want {
		t.Fatalf("the contract is %q, want %q: %s %q", got, want, l.Last.Reason, l.Last.Notes)
	}
}

// wantMove passes the time of a move of the contract, and wants it to be over.
func wantMove(t *testing.T, l *rollouttest.Life, to string) {
	t.Helper()
	if c := l.State.Rollout.Contract; c.Move == nil || c.Move.To != to {
		t.Fatalf("no move to %s: %+v", to, c)
	}
	l.Cluster.Pass(3 * time.Minute)
	look(t, l)
	look(t, l)
	wantContract(t, l, to)
	if move := l.State.Rollout.Contract.Move; move != nil {
		t.Fatalf("%+v is not over: %q", move, l.Last.Notes)
	}
}

// makeRequest makes a request and returns the answer.
func makeRequest(t *testing.T, l *rollouttest.Life, verb request.Verb, argument string) v1.HandledRequest {
	t.Helper()
	l.Ask(verb, argument)
	look(t, l)
	all := l.State.Rollout.Requests
	return all[len(all)-1]
}

func wantAnswer(t *testing.T, got v1.HandledRequest, refused bool, words string) {
	t.Helper()
	if got.Refused != refused || !strings.Contains(got.Outcome, words) {
		t.Fatalf("%+v, want refused %t: %s", got, refused, words)
	}
}

// The contract goes with a breaking version only when a user moves it, and back before
// a rollback.
func TestContractMovesAcrossABreak(t *testing.T) {
	l := breakingLife(t)
	pass(t, l, 5)
	wantContract(t, l, "v1") // Promoted, and callers without a version still speak v1.
	wantAnswer(t, makeRequest(t, l, request.Contract, "v2"), true, "rollout.rollbackWindow is not over, in which v1 may serve again")
	l.Cluster.Pass(l.Policy.RollbackWindow)
	wantAnswer(t, makeRequest(t, l, request.Contract, "v9"), true, "no such version: v9")
	wantAnswer(t, makeRequest(t, l, request.Contract, ""), false, "callers without a version speak v2 instead of v1 in 2m, at the same moment at every pod")
	wantContract(t, l, "v1")
	wantMove(t, l, "v2")
	wantAnswer(t, makeRequest(t, l, request.Contract, "v2"), true, "v2 is the contract already")
	wantAnswer(t, makeRequest(t, l, request.Rollback, "v1"), true, "move the contract back first: kubectl gati version contract users v1")
	wantAnswer(t, makeRequest(t, l, request.Contract, "v1"), false, "speak v1 instead of v2")
	wantMove(t, l, "v1")
	wantAnswer(t, makeRequest(t, l, request.Rollback, "v1"), false, "rolls back to v1")
}

// A contract cannot move to a version whose callers a version with traffic does not serve.
func TestContractNeedsEveryVersionWithTraffic(t *testing.T) {
	l := settled(t, v1.StrategyManual)
	half := int32(50)
	l.Records = map[string]rollout.Record{"v1": {Run: "v1", Traffic: &half}, "v2": {Run: "v2", Serves: []string{"v1"}, Traffic: &half}}
	l.Declare("v2", 1)
	pass(t, l, 20)
	if weightOf(&l.Last, "v2") != 50 {
		t.Fatalf("%+v", l.Last.Workloads)
	}
	wantAnswer(t, makeRequest(t, l, request.Contract, "v2"), true, "v1 has 50 % of the traffic and does not serve callers of v2")
}

// A version that does not serve the contract gets no weight, even where it breaks no caller of
// the version before it.
func TestContractHoldsWhoDoesNotServeIt(t *testing.T) {
	l := breakingLife(t)
	l.Records["v3"] = rollout.Record{Run: "v2"}
	l.Declare("v3", 1)
	pass(t, l, 20)
	if weightOf(&l.Last, "v3") != 0 || !strings.Contains(strings.Join(l.Last.Notes, " "), "does not serve callers of v1") {
		t.Fatalf("%s %q", l.Last.Reason, l.Last.Notes)
	}
	l.Records["v3"] = rollout.Record{Run: "v2", Serves: []string{"v1"}}
	pass(t, l, 20)
	if weightOf(&l.Last, "v3") == 0 {
		t.Errorf("it serves v1 and gets nothing: %s", l.Last.Reason)
	}
}

// Within a run the contract follows the stable version, and nothing is refused.
func TestContractFollowsWithinItsRun(t *testing.T) {
	l := breakingLife(t)
	l.Cluster.Pass(l.Policy.RollbackWindow)
	wantAnswer(t, makeRequest(t, l, request.Contract, "v2"), false, "speak v2")
	wantMove(t, l, "v2")
	l.Records["v3"] = rollout.Record{Run: "v2"}
	l.Declare("v3", 1)
	look(t, l)
	l.Ask(request.Promote, request.Full)
	pass(t, l, 20)
	wantContract(t, l, "v3")
	wantAnswer(t, makeRequest(t, l, request.Rollback, "v2"), false, "rolls back to v2")
	pass(t, l, 20)
	wantContract(t, l, "v2")
}

// The contract leaves a version without traffic only once its pods have let go of the clients
// that keep connections to them: each would get an error.
func TestContractWaitsForKeptConnections(t *testing.T) {
	l := breakingLife(t)
	l.Cluster.Pass(l.Policy.RollbackWindow)
	l.Cluster.Holding = rollouttest.Behind
	look(t, l)
	if every := planOf(l, "v1").ReportEvery; every == 0 {
		t.Error("the pods of v1 are not asked")
	}
	const words = "pod v1-0 of v1 has not reported yet that no client without a version keeps a connection to it, and it does not serve callers of v2"
	wantAnswer(t, makeRequest(t, l, request.Contract, "v2"), true, words)
	l.Policy.Contract = "v2"
	look(t, l)
	if !strings.Contains(strings.Join(l.Last.Notes, " "), words) {
		t.Errorf("%q", l.Last.Notes)
	}
	wantContract(t, l, "v1")
	l.Cluster.Holding = rollouttest.HoldsAll
	look(t, l)
	wantMove(t, l, "v2")
	if every := planOf(l, "v1").ReportEvery; every != 0 {
		t.Errorf("the pods of v1 are asked every %s, and nothing depends on it", every)
	}
}

// A file that was written while a version had traffic tells its pods nothing: that they have
// read it is no reason to move the contract.
func TestContractWaitsForTheFileWithoutTraffic(t *testing.T) {
	l := breakingLife(t)
	l.Cluster.Pass(l.Policy.RollbackWindow)
	look(t, l)
	l.Policy.Contract = "v2"
	in := l.Input()
	in.Transformers.WithoutTraffic = nil
	if d := rollout.Next(in); d.Rollout.Contract.Version != "v1" || !strings.Contains(strings.Join(d.Notes, " "), "pod v1-0 of v1 has not reported yet") {
		t.Errorf("%+v %q", d.Rollout.Contract, d.Notes)
	}
	in.Transformers.WithoutTraffic = []string{"v1"}
	if d := rollout.Next(in); d.Rollout.Contract.Move == nil {
		t.Errorf("%+v %q", d.Rollout.Contract, d.Notes)
	}
}

// Pods without the package keep no contract from moving: they never need it.
func TestContractWaitsForNoForeignPod(t *testing.T) {
	l := breakingLife(t)
	l.Cluster.Pass(l.Policy.RollbackWindow)
	l.Cluster.Holding = rollouttest.Mute
	wantAnswer(t, makeRequest(t, l, request.Contract, "v2"), false, "speak v2")
}

// Pods without metrics are not asked either.
func TestContractWaitsForNoPodWithoutMetrics(t *testing.T) {
	l := breakingLife(t)
	l.Cluster.Pass(l.Policy.RollbackWindow)
	l.Cluster.Holding = rollouttest.Behind
	for i := range l.State.Versions {
		if v := &l.State.Versions[i]; v.Version == "v1" {
			v.TrafficSource = v1.TrafficSourceNone
		}
	}
	l.Policy.Contract = "v2"
	if d := rollout.Next(l.Input()); d.Rollout.Contract.Move == nil {
		t.Errorf("%q", d.Notes)
	}
}

// spec.contract moves it as soon as it may, and says what it waits for.
func TestContractOfTheSpec(t *testing.T) {
	l := breakingLife(t)
	l.Policy.Contract = "v2"
	look(t, l)
	wantContract(t, l, "v1")
	if !slices.ContainsFunc(l.Last.Notes, func(n string) bool {
		return strings.HasPrefix(n, "spec.contract is v2 and the contract stays v1: rollout.rollbackWindow")
	}) {
		t.Errorf("%q", l.Last.Notes)
	}
	wantAnswer(t, makeRequest(t, l, request.Contract, "v2"), true, "spec.contract is v2; change it there")
	l.Cluster.Pass(l.Policy.RollbackWindow)
	look(t, l)
	wantMove(t, l, "v2")
}

// Every pod makes a move at the same moment: it is told ahead, nothing gets its first traffic
// in between, and the move is over when each pod answers by the new contract.
func TestContractMovesAtOneMoment(t *testing.T) {
	l := breakingLife(t)
	l.Transformers = rollouttest.BreakingTransformers()
	l.Cluster.Pass(l.Policy.RollbackWindow)
	look(t, l)
	wantAnswer(t, makeRequest(t, l, request.Contract, "v2"), false, "speak v2")
	l.Cluster.Holding = rollouttest.Behind
	l.Records["v3"] = rollout.Record{Run: "v2", Serves: []string{"v1"}}
	l.Declare("v3", 1)
	wantNote := func(words string) {
		t.Helper()
		look(t, l)
		if !strings.Contains(strings.Join(l.Last.Notes, " "), words) {
			t.Errorf("%q, want %s", l.Last.Notes, words)
		}
	}
	wantNote("v3 waits: the contract moves from v1 to v2 at ")
	wantNote(": 0 of 4 pods know it; v2-0 has not read the file that tells of it yet.")
	wantAnswer(t, makeRequest(t, l, request.Contract, "v1"), true, "the contract moves from v1 to v2 at ")
	if every := planOf(l, "v2").ReportEvery; every == 0 {
		t.Error("the pods of v2 are not asked")
	}
	l.Cluster.Holding = rollouttest.HoldsAll
	wantNote(": 4 of 4 pods know it.")
	wantContract(t, l, "v1")
	l.Cluster.Holding = rollouttest.Behind
	l.Cluster.Pass(2 * time.Minute)
	wantNote("The contract has moved from v1 to v2, and 0 of 4 pods hold it; v2-0 still answers by the contract before.")
	wantContract(t, l, "v2")
	l.Cluster.Holding = rollouttest.HoldsAll
	look(t, l)
	if move := l.State.Rollout.Contract.Move; move != nil {
		t.Errorf("%+v", move)
	}
	pass(t, l, 3)
	if l.State.Rollout.Target == nil {
		t.Errorf("v3 is not rolled out: %s", l.Last.Reason)
	}
}

// While no version breaks another there is no contract to move.
func TestNoContractWithoutABreak(t *testing.T) {
	l := settled(t, v1.StrategyCanary)
	wantContract(t, l, "")
	wantAnswer(t, makeRequest(t, l, request.Contract, "v1"), true, "no version breaks the callers of another")
}
