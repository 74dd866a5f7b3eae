package decide

import (
	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/expand"
)

// Compare finds out what each version that is in use, or is to be, means for the
// callers of the others. Admission has done the same, unless it was passed by.
func (s *Story) Compare(j *compat.Judge) {
	if len(s.Result.Errors) > 0 {
		return // Nothing can be said of a spec that says nothing.
	}
	src := s.Source()
	s.Result.Errors = append(s.Result.Errors, src.Conflicts()...)
	s.Family = compat.FamilyOf(src)
	s.Verdicts = map[string]compat.Verdict{}
	for _, v := range s.Family.Versions {
		if v.Live || v.Name == s.Resolved.Version {
			s.Verdicts[v.Name] = j.Verdict(s.Family, v.Name)
		}
	}
}

// Source is what the comparison rests on.
func (s *Story) Source() compat.Source {
	src := compat.Source{
		Handler: s.Handler, Resolved: s.Resolved, Stable: s.stableVersion(),
		Records: map[string]*v1.GatiVersion{}, Frozen: expand.FindSchemas(s.Revisions),
	}
	for version, e := range s.Records {
		if e.Winner != nil {
			src.Records[version] = e.Winner
		}
	}
	return src
}

// stableVersion is the version that serves: by the status, and where that was lost by
// the pods.
func (s *Story) stableVersion() string {
	if stable := compat.StableOf(s.Handler.Status); stable != "" {
		return stable
	}
	version, most := "", int32(-1)
	for _, w := range s.Workloads {
		if w.Deployment == nil {
			continue
		}
		if u := s.UnitOf(w.Revision()); u.Version != "" && w.Deployment.Status.ReadyReplicas > most {
			version, most = u.Version, w.Deployment.Status.ReadyReplicas
		}
	}
	return version
}
