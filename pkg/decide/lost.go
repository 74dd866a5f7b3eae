package decide

import (
	"fmt"

	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
)

// Lost is a workload whose template is gone. Its Deployment stays as it is: a plan
// without it would take its pods away.
type Lost struct {
	// Revision is the name of the ControllerRevision, Version that of the version.
	Revision, Version string
	// Deployment is the name of the workload, ConfigMaps are those that its pods read.
	Deployment string
	ConfigMaps []string
	// IsMissing is true where the Deployment is gone too, HasTraffic where the workload gets a
	// share of the traffic.
	IsMissing, HasTraffic bool
}

// Problem returns what is wrong, nil for a version that drains with the pods that it has: it
// needs its template no more.
func (l Lost) Problem() error {
	if !l.HasTraffic && !l.IsMissing {
		return nil
	}
	return &LostError{l}
}

// LostError is the fault of a handler with lost templates.
type LostError struct{ Lost }

func (e *LostError) Error() string {
	if e.IsMissing {
		return fmt.Sprintf("the ControllerRevision %s, which holds the template of %s, is gone, and so is Deployment %s; no pod of %[2]s starts until %[2]s is applied again or decommissioned",
			e.Revision, e.Version, e.Deployment)
	}
	return fmt.Sprintf("the ControllerRevision %s, which holds the template of %s, is gone; Deployment %s stays as it is until %s is applied again or decommissioned",
		e.Revision, e.Version, e.Deployment, e.Version)
}

// LostTemplate returns the first lost template as an error, nil where none is lost.
func (p *Planned) LostTemplate() error {
	if len(p.Lost) == 0 {
		return nil
	}
	return &LostError{p.Lost[0]}
}

// lostOf returns a decided workload whose revision is gone. The pods that run still
// read the ConfigMaps of its template.
func (p *planner) lostOf(w expand.Workload) Lost {
	out := Lost{Revision: w.Unit.Revision, Version: w.Unit.Version, Deployment: naming.DeploymentName(p.Handler.Name, w.Workload), HasTraffic: w.Weight > 0}
	live := w.Observed
	if !live.Exists() {
		out.IsMissing = true
		return out
	}
	for _, v := range live.Deployment.Spec.Template.Spec.Volumes {
		if v.ConfigMap != nil {
			out.ConfigMaps = append(out.ConfigMaps, v.ConfigMap.Name)
		}
	}
	for _, c := range live.Deployment.Spec.Template.Spec.Containers {
		for _, from := range c.EnvFrom {
			if from.ConfigMapRef != nil {
				out.ConfigMaps = append(out.ConfigMaps, from.ConfigMapRef.Name)
			}
		}
	}
	return out
}
