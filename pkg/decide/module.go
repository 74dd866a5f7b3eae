package decide

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/seen"
)

// ModuleStory is all that is known of a module. It has no versions.
type ModuleStory struct {
	Module    *v1.GatiModule
	Result    admit.Result
	Resolved  defaulting.Module
	Revisions []expand.Revision
	Workload  seen.Workload
}

// PlannedModule is the plan of a module.
type PlannedModule struct {
	// Running is the revision that the spec leads to; IsCut is true where it is new.
	Running  expand.Revision
	IsCut    bool
	Children []client.Object
	// Ports are those of the Service.
	Ports []int32
}

// PlanModule finds the revision to run, and expands it into children. A module with
// errors has no plan.
func PlanModule(s *ModuleStory) PlannedModule {
	if len(s.Result.Errors) > 0 {
		return PlannedModule{}
	}
	out := PlannedModule{}
	out.Running, out.IsCut = runningModuleRevision(s)
	out.Ports = expand.ServedPorts(s.Module.Status.Ports, *s.Resolved.Spec.Port, []expand.Revision{out.Running}, s.Revisions)
	out.Children = expand.Module(s.Module, s.Resolved, out.Running, s.Revisions, out.Ports, s.Workload.Live()).Objects
	return out
}

func runningModuleRevision(s *ModuleStory) (expand.Revision, bool) {
	fresh := expand.NewModuleRevision(s.Module, s.Resolved, s.Result.Hash, s.Revisions)
	if kept, found := expand.FindRevision(s.Revisions, s.Result.Hash); found && expand.CheckInputs(kept, fresh, s.Module) == nil {
		return kept, false
	}
	return fresh, true
}
