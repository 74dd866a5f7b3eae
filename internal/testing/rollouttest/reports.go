package rollouttest

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// Holding is what pods report of their transformers.
type Holding int

// The kinds of reports.
const (
	// HoldsAll pods have every function and the newest file.
	HoldsAll Holding = iota
	// Lacking pods lack the functions of the recorded pairs: one of each workload.
	Lacking
	// Mute pods report nothing: one of each workload.
	Mute
	// Behind pods have the file from before the contract was made.
	Behind

	// holdings is how many there are.
	holdings = int(Behind) + 1
)

// BreakingTransformers are those between the versions of BreakingRecords.
func BreakingTransformers() rollout.Transformers {
	return rollout.Transformers{
		Versions: []string{"v1", "v2", "v3", "v4", "v5"},
		Hops:     []rollout.Hop{{From: "v1", To: "v2"}, {From: "v2", To: "v3"}, {From: "v3", To: "v4"}, {From: "v4", To: "v5"}},
	}
}

// tellContract writes the file of the transformers.
func (c *Cluster) tellContract(d rollout.Decision) {
	c.Told = nil
	if d.Rollout != nil {
		c.Told = d.Rollout.Contract.DeepCopy()
	}
}

// toldContract is the contract that pods with the file answer by now.
func (c *Cluster) toldContract() string {
	switch told := c.Told; {
	case told == nil:
		return ""
	case told.Move != nil && !told.Move.MovesAt.After(c.machineTime()):
		return told.Move.To
	default:
		return told.Version
	}
}

func contractIn(s rollout.State) string {
	if s.Rollout == nil || s.Rollout.Contract == nil {
		return ""
	}
	return s.Rollout.Contract.Version
}

// announcedIn is the contract that pods know of.
func announcedIn(s rollout.State) string {
	if s.Rollout != nil && s.Rollout.Contract != nil && s.Rollout.Contract.Move != nil {
		return s.Rollout.Contract.Move.To
	}
	return contractIn(s)
}

// fileHash is that of the file with a contract, and with the move that it tells of.
func fileHash(c *v1.ContractStatus) string {
	switch {
	case c == nil:
		return "hash"
	case c.Move != nil && c.Version == c.Move.From:
		return "hash of " + c.Version + " to " + c.Move.To
	default:
		return "hash of " + c.Version
	}
}

// readReports returns what the ready pods of a workload report.
func (c *Cluster) readReports(name string, w *workload) []rollout.PodReport {
	var out []rollout.PodReport
	for i := range w.pods {
		if !c.isReady(w, i) {
			continue
		}
		r := rollout.PodReport{Pod: fmt.Sprintf("%s-%d", name, i), At: c.machineTime(), Contract: c.toldContract(), Hash: fileHash(c.Told), Loaded: BreakingTransformers().Hops}
		switch {
		case c.Holding == Behind:
			r.Contract, r.Hash = "", fileHash(nil)
		case len(out) > 0:
		case c.Holding == Lacking:
			r.Loaded = nil
		case c.Holding == Mute:
			r = rollout.PodReport{Pod: r.Pod, At: r.At, Problem: "answers /metrics with 404"}
		}
		out = append(out, r)
	}
	return out
}

// checkReports: a version that serves the callers of the contract through transformers is
// given more weight only while every ready pod reports that it holds them. The way back to
// the stable version is always open.
func (c *Checker) checkReports(l look) error {
	before := l.in.State.Rollout
	contract := contractIn(l.d.State)
	if before == nil || before.Stable == nil || before.Phase == v1.RolloutStarting || !l.in.Policy.Gateway || contract == "" || l.in.Transformers.Versions == nil || l.in.Transformers.Declared || c.neededPods(l) == 0 {
		return nil
	}
	if l.d.Rollout.Mode == v1.RolloutInPlace {
		return nil // Refused by admission: a pod serves there as soon as it is ready.
	}
	for name, is := range l.is {
		goesBack := name == before.Stable.Workload && l.in.Policy.Strategy != v1.StrategyManual
		a, b := l.in.Records[is.Version], l.in.Records[contract]
		if is.Weight <= l.was[name].Weight || goesBack || a.Run == b.Run || !slices.Contains(a.Serves, contract) || contractIn(l.in.State) != contract || c.isAllowed(l, is.Version) {
			continue
		}
		reports := l.in.Workloads[name].Reports
		for _, r := range reports {
			if r.Problem != "" || r.Contract != contract || len(r.Loaded) != len(BreakingTransformers().Hops) {
				return fmt.Errorf("%s is raised from %d %% to %d %%, and %+v", name, l.was[name].Weight, is.Weight, r)
			}
		}
		if len(reports) == 0 {
			return fmt.Errorf("%s is raised from %d %% to %d %% without a report", name, l.was[name].Weight, is.Weight)
		}
	}
	return nil
}

// isAllowed reports whether a user lets a version break callers.
func (c *Checker) isAllowed(l look, version string) bool {
	return slices.ContainsFunc(l.d.Versions, func(v v1.VersionStatus) bool { return v.Version == version && v.OverriddenBy != "" })
}
