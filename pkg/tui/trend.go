package tui

import (
	"strconv"
	"strings"
	"time"

	"gati.dev/gati/pkg/status"
)

// maxTrend is the maximum number of measurements in a sparkline.
const maxTrend = 16

// trendKey names one series: a metric of one rollout of one handler.
type trendKey struct {
	of      itemKey
	version string
	began   time.Time
	metric  string
}

// trend has the latest measurements, oldest first, and the time of the last.
type trend struct {
	values []float64
	at     time.Time
}

// trends are the measurements since the view was opened: the cluster keeps only the
// last one.
type trends map[trendKey]trend

// rate is the series of requests, which belongs to no metric.
const rate = "requests"

// withSnapshot returns the series with the measurements of a snapshot, without those
// that it no longer has. It does not change the receiver.
func (t trends) withSnapshot(s *status.Snapshot) trends {
	out := trends{}
	for i := range s.Handlers {
		h := &s.Handlers[i]
		if h.Rollout == nil || h.Rollout.Analysis == nil {
			continue
		}
		a := h.Rollout.Analysis
		var latest time.Time
		for _, metric := range a.Rows() {
			if metric.MeasuredAt == nil {
				continue
			}
			if metric.MeasuredAt.After(latest) {
				latest = metric.MeasuredAt.Time
			}
			t.carryOver(out, seriesKey(h, metric.Name), metric.Value, metric.MeasuredAt.Time)
		}
		t.carryOver(out, seriesKey(h, rate), a.RequestsPerSecond, latest)
	}
	return out
}

func seriesKey(h *status.Handler, metric string) trendKey {
	k := trendKey{of: keyOf(&h.Item), version: h.Rollout.Target, metric: metric}
	if at := h.Rollout.StartedAt; at != nil {
		k.began = at.Time
	}
	return k
}

// carryOver adds a measurement to a series, once.
func (t trends) carryOver(into trends, key trendKey, text string, at time.Time) {
	was := t[key]
	value, ok := parseNumber(text)
	if !ok || !at.After(was.at) {
		if len(was.values) > 0 {
			into[key] = was
		}
		return
	}
	values := append(was.values[:len(was.values):len(was.values)], value)
	into[key] = trend{values[max(0, len(values)-maxTrend):], at}
}

// number reads the number that a value begins with: 99.2 %, 190 ms, 1.5 s. What is
// written in seconds is taken as milliseconds, so that a series has one unit.
func parseNumber(text string) (float64, bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '-' })
	unit := ""
	if end >= 0 {
		text, unit = text[:end], strings.TrimSpace(text[end:])
	}
	value, err := strconv.ParseFloat(text, 64)
	if unit == "s" {
		value *= 1000
	}
	return value, err == nil
}

// bars are the heights of a sparkline.
var bars = []rune("▁▂▃▄▅▆▇█")

// drawSeries draws a series between its minimum and maximum. A constant series is a line in
// the middle.
func drawSeries(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	out := make([]rune, len(values))
	for i, v := range values {
		at := len(bars)/2 - 1
		if high > low {
			at = int((v - low) / (high - low) * float64(len(bars)-1))
		}
		out[i] = bars[at]
	}
	return string(out)
}
