package status

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
)

// newTable starts the table of a section.
func (p *page) newTable() *output.Table { return &output.Table{Indent: "  ", Width: p.width} }

func (p *page) writeVersions(h *model.Handler) {
	if len(h.Versions) == 0 {
		return
	}
	p.writeTitle("Versions")
	t := p.newTable()
	t.Header(VersionColumns()...)
	for i := range h.Versions {
		t.Row(VersionCells(h, &h.Versions[i])...)
	}
	p.writeTable(t)
}

// writeAnalysis shows the evidence on the version that is rolled out, or was promoted and is
// still judged.
func (p *page) writeAnalysis(h *model.Handler) {
	if h.Rollout == nil || h.Rollout.Analysis == nil || h.Rollout.Target == "" && h.Rollout.Analysis.Of == "" {
		return
	}
	title := "Analysis"
	if a := h.Rollout.Analysis; a.Of != "" {
		title += fmt.Sprintf(" of %s, until %s", a.Of, a.Until.UTC().Format("15:04:05 UTC"))
	}
	if h.Rollout.Analysis.DryRun {
		title += " (dry run)"
	}
	p.writeTitle(title)
	t := p.newTable()
	t.Header("METRIC", "VERDICT", "VALUE", "REQUIRED", "EVIDENCE")
	rows := h.Rollout.Analysis.Rows()
	for i := range rows {
		m := &rows[i]
		t.Row(output.Plain(m.Name), output.Plain(string(m.Verdict)), output.Plain(cmp.Or(m.Value, "-")), output.Plain(cmp.Or(m.Threshold, "-")),
			output.Plain(cmp.Or(model.SummarizeMetric(m, p.snap.Time.Time), "-")))
	}
	p.writeTable(t)
}

// writePods names the pods with problems and counts the others.
func (p *page) writePods(item *model.Item) {
	if item.Desired == 0 && item.Ready == 0 && len(item.Problems) == 0 {
		return
	}
	p.writeTitle("Pods")
	t := p.newTable()
	for i := range item.Problems {
		problem := &item.Problems[i]
		color, age := output.Busy, "-"
		if problem.Blocking {
			color = output.Bad
		}
		if problem.Since != nil {
			age = p.snap.Age(*problem.Since)
		}
		t.Row(output.Cell{Text: p.podNames(problem), Color: color}, output.Plain(age), output.Plain(problem.Summary()))
	}
	t.Row(output.Cell{Text: fmt.Sprintf("%d of %d ready", item.Ready, item.Desired), Color: readyColor(item)})
	p.writeTable(t)
}

func readyColor(item *model.Item) output.Color {
	if item.Ready >= item.Desired {
		return output.Good
	}
	return output.Busy
}

// podNames returns the pods of a problem: the first, or with -o wide all.
func (p *page) podNames(problem *model.Problem) string {
	switch n := len(problem.Pods); {
	case n == 0:
		return "no pod"
	case n == 1 || p.wide:
		return strings.Join(problem.Pods, ",")
	default:
		return fmt.Sprintf("%s +%d", problem.Pods[0], n-1)
	}
}

func (p *page) writeChildren(item *model.Item) {
	if len(item.Children) == 0 {
		return
	}
	p.writeTitle("Children")
	t := p.newTable()
	for _, c := range item.Children {
		t.Row(output.Plain(c.Kind), output.Plain(c.Name), output.Plain(c.Message))
	}
	p.writeTable(t)
}

func (p *page) writeConditions(item *model.Item) {
	if len(item.Conditions) == 0 {
		return
	}
	p.writeTitle("Conditions")
	t := p.newTable()
	t.Header("TYPE", "STATUS", "AGE", "REASON", "MESSAGE")
	for _, c := range item.Conditions {
		message := c.Message
		if c.Stale {
			message = strings.TrimSpace(message + " (earlier spec)")
		}
		t.Row(
			output.Plain(c.Type), output.Cell{Text: string(c.Status), Color: conditionColor(c)},
			output.Plain(p.snap.Age(c.Since)), output.Plain(c.Reason), output.Cell{Text: message},
		)
	}
	p.writeTable(t)
}

// conditionColor returns the colour of a condition's meaning: Stalled is bad when True,
// Ready when False.
func conditionColor(c model.Condition) output.Color {
	switch {
	case c.Stale || c.Status == metav1.ConditionUnknown:
		return output.Busy
	case c.Type == v1.ConditionReconciling:
		return output.None
	case (c.Status == metav1.ConditionTrue) != (c.Type == v1.ConditionStalled):
		return output.Good
	default:
		return output.Bad
	}
}

func (p *page) writeDerived(item *model.Item) {
	if len(item.Derived) == 0 {
		return
	}
	p.writeTitle("Derived defaults")
	t := p.newTable()
	for _, d := range item.Derived {
		t.Row(output.Plain(d))
	}
	p.writeTable(t)
}
