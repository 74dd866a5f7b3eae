package tui

import (
	"cmp"
	"fmt"
	"strings"

	"gati.dev/gati/pkg/status"
)

// measuredLines are the measurements of the target: each metric with its sparkline,
// threshold and number of requests.
func (m Model) measuredLines(h *status.Handler) []string {
	if h.Rollout == nil || h.Rollout.Analysis == nil {
		return nil
	}
	a := h.Rollout.Analysis
	var rows [][]string
	add := func(cells ...string) { rows = append(rows, cells) }
	measured := a.Rows()
	for i := range measured {
		metric := &measured[i]
		sign, style := "◌", busy
		word := string(metric.Verdict)
		switch metric.Verdict {
		case "Pass":
			sign, style = "✔", good
		case "Fail":
			sign, style = "✖", bad
			word = fmt.Sprintf("Fail %d of %d", metric.Failures, a.FailureLimit)
		}
		if c := metric.Counted; c != nil && metric.Verdict == "Fail" {
			word = "Fail"
		}
		samples := ""
		if metric.Samples > 0 {
			samples = fmt.Sprintf("n=%d", metric.Samples)
		}
		add(metric.Name, cmp.Or(metric.Value, "-"), m.renderSparkline(h, metric.Name), style.Render(sign+" "+word), samples, cmp.Or(metric.Threshold, metric.Message))
	}
	if a.RequestsPerSecond != "" {
		add(rate, a.RequestsPerSecond+"/s", m.renderSparkline(h, rate), "", "", "")
	}
	lines := alignColumns(rows, m.width)
	for i := range measured {
		if metric := &measured[i]; metric.Counted != nil {
			for _, line := range wrapText(metric.Name+": "+status.SummarizeMetric(metric, m.now), m.width-4, 2) {
				lines = append(lines, "  "+line)
			}
		}
	}
	title := cmp.Or(h.Rollout.Target, a.Of, "the last version")
	if a.Until != nil {
		title += ", until " + a.Until.UTC().Format("15:04:05 UTC")
	}
	if a.DryRun {
		title += ", dry run"
	}
	return renderSection("Measured  "+faint.Render(title), lines)
}

func (m Model) renderSparkline(h *status.Handler, metric string) string {
	values := m.trends[seriesKey(h, metric)].values
	return drawSeries(values[max(0, len(values)-m.width/8):])
}

// drainLines are the draining versions: since when, why they stay or when they are
// removed, and when their traffic was measured.
func (m Model) drainLines(h *status.Handler) []string {
	var lines []string
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Phase != "Draining" {
			continue
		}
		parts := []string{v.DescribeStay(m.now, formatSpan)}
		if v.DrainingSince != nil {
			parts = append([]string{"draining for " + status.Age(*v.DrainingSince, m.now)}, parts...)
		}
		if e := v.Evidence; e != nil && e.MeasuredAt != nil {
			parts = append(parts, "measured by "+e.Source+" "+status.Age(*e.MeasuredAt, m.now)+" ago")
		}
		for n, line := range wrapText(titleFor(v)+"  "+strings.Join(nonEmpty(parts), "; "), m.width-4, 3) {
			if n > 0 {
				line = "  " + line
			}
			lines = append(lines, "  "+line)
		}
	}
	return renderSection("Drain", lines)
}
