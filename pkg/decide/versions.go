package decide

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/expand"
)

// maxFindings is how many findings the status has of a version.
const maxFindings = 5

// compareVersions finds out what each version that is in use, or is to be, means for
// the callers of the others. Admission has done the same, unless it was bypassed.
func (p *planner) compareVersions(judge *compat.Judge) error {
	p.Family = compat.FamilyOf(p.versionSource())
	p.Verdicts = map[string]compat.Verdict{}
	for _, v := range p.Family.Versions {
		if v.Live || v.Name == p.Resolved.Version {
			verdict, err := judge.Verdict(p.Family, v.Name)
			if err != nil {
				return err
			}
			p.Verdicts[v.Name] = verdict
		}
	}
	return p.findRuns(judge)
}

// versionSource returns where the schemas of the versions are.
func (p *planner) versionSource() compat.Source {
	return compat.Source{
		Handler: p.Handler, Resolved: p.Resolved, Stable: p.stableVersion(),
		Records: p.electRecords(), Frozen: expand.FindSchemas(p.Revisions),
	}
}

// findRuns finds the run of each version, and the versions of other runs that those in use
// serve. A decommissioned version keeps the earlier result.
func (p *planner) findRuns(judge *compat.Judge) error {
	var err error
	if p.Runs, err = judge.Runs(p.Family); err != nil {
		return err
	}
	p.Serves = map[string][]string{}
	for _, v := range p.Handler.Status.Versions {
		p.Serves[v.Version] = v.Serves
	}
	for _, v := range p.Family.Versions {
		if !v.Live && v.Name != p.Resolved.Version {
			continue
		}
		if p.Serves[v.Name], err = judge.Serves(p.Family, p.Runs, v.Name); err != nil {
			return err
		}
	}
	return nil
}

// electRecords returns the record that counts of each version that has one.
func (p *planner) electRecords() map[string]*v1.GatiVersion {
	out := map[string]*v1.GatiVersion{}
	for version, e := range p.Elections {
		if e.Winner != nil {
			out[version] = e.Winner
		}
	}
	return out
}

// stableVersion returns the version that serves: by the status, and where that was
// lost by the pods.
func (p *planner) stableVersion() string {
	if stable := compat.StableOf(p.Handler.Status); stable != "" {
		return stable
	}
	version, maxReady := "", int32(-1)
	for _, w := range p.Workloads {
		if w.Deployment == nil {
			continue
		}
		if u := p.unitFor(w.Revision()); u.Version != "" && w.Deployment.Status.ReadyReplicas > maxReady {
			version, maxReady = u.Version, w.Deployment.Status.ReadyReplicas
		}
	}
	return version
}

// noteVerdicts writes the verdicts into the decided versions.
func (p *planner) noteVerdicts() {
	schemas := map[string]*v1.VersionSchema{}
	for _, v := range p.Family.Versions {
		schemas[v.Name] = v.Schema
	}
	for i := range p.Decision.Versions {
		v := &p.Decision.Versions[i]
		verdict := p.Verdicts[v.Version]
		v.Schema = compat.Shown(schemas[v.Version])
		v.Breaking, v.Held, v.Findings = len(verdict.Breaks) > 0, "", nil
		if v1.OverriddenBy(p.Decision.Versions, v.Version) == "" {
			v.Held = verdict.Held()
		}
		if b := verdict.Worst(); b != nil {
			v.Findings = b.Lines(maxFindings)
		}
	}
}

// noteReferences writes into the decided versions what their templates reach. A rollback
// may go to any kept template of a version.
func (p *planner) noteReferences() {
	templates := map[string][]expand.Revision{}
	for _, r := range append(slices.Clone(p.Revisions), p.Running) {
		templates[r.Version] = append(templates[r.Version], r)
	}
	for i := range p.Decision.Versions {
		v := &p.Decision.Versions[i]
		v.References = expand.References(templates[v.Version]...)
	}
}
