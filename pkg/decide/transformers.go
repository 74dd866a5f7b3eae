package decide

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
)

// transformers returns what the pods of all versions are told of each other.
func (p *planner) transformers() expand.Transformers {
	var out expand.Transformers
	out.Versions, out.Pairs = p.Family.Pairs(p.Runs, p.winners())
	if ro := p.Decision.Rollout; ro != nil && ro.Contract != nil {
		out.Contract = ro.Contract.Version
		out.Run = p.Family.Members(p.Runs, out.Contract)
	}
	for _, v := range p.Family.Versions {
		isLive := func(s v1.VersionStatus) bool {
			return s.Version == v.Name && s.Phase != v1.VersionDecommissioned && s.Workload != ""
		}
		if slices.ContainsFunc(p.Decision.Versions, isLive) {
			out.Live = append(out.Live, v.Name)
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
