package decide

import (
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
)

// turnBounds returns the bounds on rollouts under way, where they apply to what the handler is
// about to roll out.
func (p *planner) turnBounds() *rollout.Turn {
	if p.Turn == nil || !p.Turn.All && !p.isFleetChange() {
		return nil
	}
	return p.Turn
}

// isFleetChange reports whether nothing but the image of the namespace leads to another
// template than the stable one. Who changes the spec as well asks for this handler, and
// does not wait for others.
func (p *planner) isFleetChange() bool {
	spec, ro := &p.Handler.Spec, p.Handler.Status.Rollout
	if spec.Image != "" || ro == nil || ro.Stable == nil {
		return false
	}
	stable, isKept := p.findTemplate(ro.Stable.Revision)
	before := p.Facts
	before.NamespaceImage = stable.Image
	resolved, errs := defaulting.ResolveHandler(spec, before)
	if !isKept || stable.Name == p.Running.Name || len(errs) > 0 {
		return false
	}
	earlier := expand.NewHandlerRevision(p.Handler, resolved, expand.HandlerInputs(spec, before), stable.Sequence, nil)
	_, isSame := expand.FindRevision([]expand.Revision{stable}, earlier, p.Handler)
	return isSame
}
