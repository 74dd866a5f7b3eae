package decide

import (
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/seen"
)

// LostRevisionError says that the template of a workload is gone: a plan without it
// would take its pods away.
type LostRevisionError struct{ Revision, Version string }

func (e *LostRevisionError) Error() string {
	return fmt.Sprintf("the ControllerRevision %s is gone, which has the template that %s runs: nothing is changed until it is back or %s is over; apply the spec of %s again, or decommission it",
		e.Revision, e.Version, e.Version, e.Version)
}

// Plan returns the children as they were decided, and the versions for whose pins the
// route has no room. It fails with a LostRevisionError where a template is lost.
func (s *Story) Plan() (objects []client.Object, unpinned []string, err error) {
	serving, err := s.serving()
	if err != nil {
		return nil, nil, err
	}
	plan := expand.Handler(s.Handler, s.Resolved, serving, s.Decision.Front, s.Revisions)
	versions, pairs := s.Family.Pairs(s.Source().Records)
	if err := plan.AddTransformers(s.Handler, expand.Transformers{Versions: versions, Pairs: pairs}); err != nil {
		return nil, nil, err
	}
	return plan.Objects, both(s.Decision.Unpinned, plan.Unpinned), nil
}

// both gathers the versions that have lost their pin, to the number of rules or to
// that of matches.
func both(lists ...[]string) []string {
	out := slices.Concat(lists...)
	slices.Sort(out)
	return slices.Compact(out)
}

// serving returns the decided workloads as the plan needs them.
func (s *Story) serving() ([]expand.Serving, error) {
	var out []expand.Serving
	for _, w := range s.Decision.Workloads {
		revision, ok := s.revision(w.Unit.Revision)
		if !ok {
			return nil, &LostRevisionError{w.Unit.Revision, w.Unit.Version}
		}
		out = append(out, s.servingOf(w, revision))
	}
	return out, nil
}

func (s *Story) servingOf(w rollout.WorkloadPlan, revision expand.Revision) expand.Serving {
	out := expand.Serving{
		Revision: revision, Workload: w.Workload, Replicas: w.Replicas, MinReplicas: w.Replicas, Held: w.Exact,
		Weight: w.Weight, Paused: w.Paused,
	}
	if w.Pinned {
		out.Pins = append([]string{w.Unit.Version}, s.tagsOf(w.Unit.Version)...)
	}
	if w.RestartedAt != nil {
		out.RestartedAt = w.RestartedAt.UTC().Format(time.RFC3339)
	}
	live := s.Workloads[w.Workload]
	if live == nil {
		live = &seen.Workload{}
	}
	if live.Deployment == nil && s.Resolved.Scale.Auto && s.Decision.Front == w.Workload {
		// The first workload starts with as many as the spec says.
		out.Replicas = max(out.Replicas, s.Resolved.Scale.Replicas)
	}
	out.Reachable, out.Live = live.HasSettled(s.decidedAt), live.Live()
	return out
}

func (s *Story) tagsOf(version string) []string { return s.recordFacts()[version].Tags }

// revision returns the template of that name.
func (s *Story) revision(name string) (expand.Revision, bool) {
	if s.Running.Name == name {
		return s.Running, true
	}
	at := slices.IndexFunc(s.Revisions, func(r expand.Revision) bool { return r.Name == name })
	if at < 0 {
		return expand.Revision{}, false
	}
	return s.Revisions[at], true
}
