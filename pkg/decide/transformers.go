package decide

import (
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
)

// transformersFor returns the file of transformers that the pods of all versions get in a
// state of the rollout.
func (p *planner) transformersFor(state rollout.State) expand.Transformers {
	var out expand.Transformers
	out.Versions, out.Pairs = p.Family.Pairs(p.Runs, p.electRecords())
	if ro := state.Rollout; ro != nil && ro.Contract != nil {
		out.Contract = ro.Contract.Version
		out.Run = p.servesAsIs(out, out.Contract)
		if move := ro.Contract.Move; move != nil && move.To != out.Contract {
			out.Next = &expand.NextContract{Contract: move.To, Run: p.servesAsIs(out, move.To), At: move.MovesAt}
		}
	}
	for _, v := range p.Family.Versions {
		isLive := func(s v1.VersionStatus) bool {
			return s.Version == v.Name && s.Phase != v1.VersionDecommissioned && s.Workload != ""
		}
		if slices.ContainsFunc(state.Versions, isLive) {
			out.Live = append(out.Live, v.Name)
			if ro := state.Rollout; ro != nil && ro.Contract != nil && state.LacksTraffic(v.Name) {
				out.WithoutTraffic = append(out.WithoutTraffic, v.Name)
			}
		}
		for _, tag := range p.recordFacts()[v.Name].Tags {
			if out.Tags == nil {
				out.Tags = map[string]string{}
			}
			out.Tags[tag] = v.Name
		}
	}
	return out
}

// servesAsIs returns the versions that serve callers of a contract without a transformer,
// oldest first: those of its run, and those of later runs that break none of them and that no
// chain leads to, as a version that takes a breaking change back.
func (p *planner) servesAsIs(t expand.Transformers, contract string) []string {
	members := p.Family.Members(p.Runs, contract)
	var out []string
	for _, v := range p.Family.Versions {
		if slices.Contains(members, v.Name) || slices.Contains(p.Serves[v.Name], contract) && !hasChain(t, contract, v.Name) {
			out = append(out, v.Name)
		}
	}
	return out
}

// hasChain reports whether each step from one version to another has a transformer.
func hasChain(t expand.Transformers, from, to string) bool {
	i, last := slices.Index(t.Versions, from), slices.Index(t.Versions, to)
	if i < 0 || last < 0 {
		return false
	}
	step := 1
	if i > last {
		step = -1
	}
	for ; i != last; i += step {
		hop := func(p v1.Transformer) bool {
			return string(p.From) == t.Versions[i] && string(p.To) == t.Versions[i+step]
		}
		if !slices.ContainsFunc(t.Pairs, hop) {
			return false
		}
	}
	return true
}

// toldTransformers returns the transformers of the last decision.
func (p *planner) toldTransformers(state rollout.State) rollout.Transformers {
	told := p.transformersFor(state)
	out := rollout.Transformers{Versions: told.Versions, WithoutTraffic: told.WithoutTraffic, Declared: p.TransformersDeclared}
	if len(told.Pairs) > 0 {
		out.Hash = told.Hash()
	}
	for _, pair := range told.Pairs {
		hop := rollout.Hop{From: string(pair.From), To: string(pair.To)}
		out.Hops = append(out.Hops, hop)
		names := slices.DeleteFunc([]string{pair.Request, pair.Response}, func(name string) bool { return name == "" })
		if len(names) > 0 {
			if out.Functions == nil {
				out.Functions = map[rollout.Hop]string{}
			}
			out.Functions[hop] = strings.Join(names, ", ")
		}
	}
	return out
}

// reportsFor returns what each ready pod of a workload reports of its transformers. One
// that was not asked yet has an entry without a time.
func (p *planner) reportsFor(name string, w *expand.Observed) []rollout.PodReport {
	var out []rollout.PodReport
	for _, pod := range w.ReadyPods() {
		report := rollout.PodReport{Pod: pod}
		if at := slices.IndexFunc(p.Reports[name], func(r rollout.PodReport) bool { return r.Pod == pod }); at >= 0 {
			report = p.Reports[name][at]
		}
		out = append(out, report)
	}
	return out
}
