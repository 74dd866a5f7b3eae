package decide

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/seen"
)

// ModuleStory is what was seen of a module, and what is decided about it. It has no
// versions.
type ModuleStory struct {
	Module    *v1.GatiModule
	Result    admit.Result
	Resolved  defaulting.Module
	Revisions []expand.Revision
	Workload  seen.Workload

	// Running is the revision that the spec leads to; Cut tells that it is new.
	Running expand.Revision
	Cut     bool
}

// Decide finds the revision to run.
func (s *ModuleStory) Decide() {
	var found bool
	if s.Running, found = expand.FindRevision(s.Revisions, s.Result.Hash); !found {
		s.Running = expand.NewModuleRevision(s.Module, s.Resolved, s.Result.Hash, s.Revisions)
		s.Cut = true
	}
}

// Plan returns the children as they were decided.
func (s *ModuleStory) Plan() []client.Object {
	return expand.Module(s.Module, s.Resolved, s.Running, s.Revisions, s.Workload.Live()).Objects
}
