package signals

import (
	"context"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"

	"gati.dev/gati/pkg/rollout"
)

// PodReport is what one instance of a pod says of its transformers.
type PodReport struct {
	rollout.PodReport
	Instance string
}

// The gauges of the npm package gati-kubernetes: the file that a pod has read, and for
// each recorded pair 1 where the application has its functions, else 0. The counter has the
// runs of these functions.
const (
	transformersFamily = "gati_timescape_transformers_info"
	loadedFamily       = "gati_timescape_transformer_loaded"
	executionsFamily   = "gati_timescape_transformer_executions_total"
)

// noReport is the problem of a pod whose metrics have no transformers. Until the file is
// there the package shows none either.
const noReport = "reports no file of transformers: its image needs the package gati-kubernetes, and a new file reaches a pod within a minute or two"

// newReport returns what the metrics of a pod say of its transformers, or why they say
// nothing. A pair that they do not name is not loaded.
func newReport(pod Pod, at time.Time, families map[string]*dto.MetricFamily, failed error) PodReport {
	out := PodReport{PodReport: rollout.PodReport{Pod: pod.Name, At: at}, Instance: pod.Instance}
	if failed != nil {
		out.Problem = describeFailure(pod, failed)
		return out
	}
	files := families[transformersFamily].GetMetric()
	if len(files) == 0 {
		out.Problem = noReport
		return out
	}
	out.Contract, out.Hash = labelValue(files[0], "contract"), labelValue(files[0], "hash")
	for _, m := range families[loadedFamily].GetMetric() {
		if m.GetGauge().GetValue() == 1 {
			out.Loaded = append(out.Loaded, rollout.Hop{From: labelValue(m, "from"), To: labelValue(m, "to")})
		}
	}
	for _, m := range families[executionsFamily].GetMetric() {
		if labelValue(m, "success") == "false" && m.GetCounter().GetValue() > 0 {
			out.Failed = append(out.Failed, rollout.Hop{From: labelValue(m, "from_version"), To: labelValue(m, "to_version")})
		}
	}
	return out
}

// describeFailure returns why a pod could not be asked, with what to do.
func describeFailure(pod Pod, failed error) string {
	text := strings.TrimPrefix(shorten(failed.Error()), "pod "+pod.Name)
	if answer, ok := strings.CutPrefix(text, " answers"); ok {
		return "answers" + answer + ", where its transformers are read: its image needs the package gati-kubernetes"
	}
	return "cannot be asked for its transformers: " + strings.TrimLeft(text, ": ") + "; they are read from " + metricsPath + " on the pod's port, which gati-webhook has to reach"
}

// readReports asks for the transformers of the subjects that want them.
func (h *Hub) readReports(ctx context.Context, now time.Time, subjects []Subject) map[Key][]PodReport {
	var asked []Subject
	for _, s := range subjects {
		if s.Reported {
			asked = append(asked, s)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	out := map[Key][]PodReport{}
	for key, r := range h.reporter.Measure(ctx, now, asked) {
		out[key] = r.Reports
	}
	return out
}
