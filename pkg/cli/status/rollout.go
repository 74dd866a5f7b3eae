package status

import (
	"fmt"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
)

// recent is the number of history entries on the page; "rollout history" has all.
const recent = 5

// addRollout adds the state of the rollout to the head.
func (p *page) addRollout(h *head, handler *model.Handler) {
	r := handler.Rollout
	if r == nil {
		return
	}
	if handler.Strategy != v1.StrategyRollingUpdate {
		h.addLine("Traffic", describeTraffic(r))
		h.addLine("Measured", handler.Measured())
	}
	if r.Target != "" {
		h.addLine("Rollout", p.rolloutPath(handler))
	}
	h.addLine("Steps", describeSteps(r))
	if r.SparePods > 0 {
		h.addLine("Warm pool", fmt.Sprintf("%d of the pods of %s are spare, for its next steps", r.SparePods, r.Target))
	}
	h.addLine("Spec", strings.TrimPrefix(handler.Badge(), "Spec "))
	if f := r.Frozen; f != nil {
		h.addLine("Paused", fmt.Sprintf("by %s, %s ago", f.By, p.snap.Age(f.At)))
	}
	for _, rejected := range r.Rejected {
		h.addLine("Rejected", fmt.Sprintf("%s, %s ago: %s", rejected.Version, p.snap.Age(rejected.At), rejected.Reason))
	}
}

func describeTraffic(r *model.Rollout) string {
	if r.Gateway {
		return "through the gateway"
	}
	return "split by the numbers of ready pods (no gateway)"
}

// rolloutPath returns the versions of the rollout, and its reason where the health has
// another.
func (p *page) rolloutPath(h *model.Handler) string {
	r := h.Rollout
	text := r.Stable + " → " + r.Target
	if r.StartedAt != nil {
		text += fmt.Sprintf(", started %s ago", p.snap.Age(*r.StartedAt))
	}
	if r.Reason != "" && r.Reason != h.Reason {
		text += "; " + r.Reason + "; " + r.Next
	}
	return text
}

// describeSteps returns the steps in one line.
func describeSteps(r *model.Rollout) string {
	parts := make([]string, len(r.Steps))
	for i, step := range r.Steps {
		parts[i] = fmt.Sprintf("%d%%", step.Weight)
		switch {
		case step.Pause != "":
			parts[i] += " for " + step.Pause
		case i < len(r.Steps)-1:
			parts[i] += " until promoted"
		}
		switch step.State {
		case model.StepDone:
			parts[i] += " (done)"
		case model.StepNow:
			parts[i] += " (now)"
		}
	}
	return strings.Join(parts, ", ")
}

// writeHistory shows the latest events.
func (p *page) writeHistory(h *model.Handler) {
	if h.Rollout == nil || len(h.Rollout.History) == 0 {
		return
	}
	p.writeTitle("History")
	t := p.newTable()
	HistoryRows(t, p.snap, h.Rollout.History[max(0, len(h.Rollout.History)-recent):])
	p.writeTable(t)
}

// HistoryRows adds the entries of a history to a table, the latest first.
func HistoryRows(t *output.Table, snap *model.Snapshot, entries []v1.HistoryEntry) {
	t.Header("AGE", "BY", "WHAT", "FROM", "TO", "WHY")
	for i := len(entries) - 1; i >= 0; i-- {
		e := &entries[i]
		t.Row(
			output.Plain(snap.Age(e.At)), output.Plain(e.By), output.Plain(e.What),
			output.Plain(e.From), output.Plain(e.To), output.Cell{Text: e.Why},
		)
	}
}
