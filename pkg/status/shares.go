package status

import (
	"maps"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// TrafficChange is the effect of a change of the records' shares.
type TrafficChange struct {
	rollout.ShareChange
	// Undo has the shares that lead back, by version; nil removes one.
	Undo map[string]*int32
	// Refused is why the change would move nothing; empty if it would.
	Refused string
}

// SetTraffic predicts what shares of versions lead to under the strategy Manual, by the
// code that the controller decides with. nil removes a share.
func (h *Handler) SetTraffic(traffic map[string]*int32) TrafficChange {
	p := h.Predictor
	if p == nil || p.handler.Status.Rollout == nil {
		return TrafficChange{} // Nothing has a share before the first decision.
	}
	in := p.rolloutInput()
	in.Namespace = p.handler.Namespace
	pinned := p.handler.Status.Rollout.Pinned != nil
	for _, version := range slices.Sorted(maps.Keys(traffic)) {
		if share := traffic[version]; !pinned && (share == nil || *share == 0) {
			continue
		}
		if why := rollout.RefuseShare(in, version); why != "" {
			return TrafficChange{Refused: why}
		}
	}
	return TrafficChange{ShareChange: rollout.SharesWith(in, traffic), Undo: rollout.UndoShares(in, traffic)}
}

func (p *Predictor) rolloutInput() rollout.Input {
	records := make([]v1.GatiVersion, len(p.records))
	for i := range p.records {
		records[i] = *p.records[i]
	}
	return rollout.InputFor(p.handler, records, p.now)
}

// ShareByPods returns the share of the traffic that the ready pods of a version come to. It
// reports false where a gateway moves the traffic, or the share is not known.
func (h *Handler) ShareByPods(v *Version) (int32, bool) {
	if h.Rollout == nil || h.Rollout.Gateway || v.AcceptedWeight == nil {
		return 0, false
	}
	return *v.AcceptedWeight, true
}
