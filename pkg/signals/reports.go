package signals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gati.dev/gati/pkg/rollout"
)

// PodReport is the report of one pod instance about its transformers.
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

// newReport returns the report in the metrics of a pod. A pair without a metric is not
// loaded.
func (t *tally) newReport(pod Pod, at time.Time) PodReport {
	out := PodReport{PodReport: rollout.PodReport{Pod: pod.Name, At: at}, Instance: pod.Instance}
	if !t.hasFile {
		out.Problem = noReport
		return out
	}
	out.Contract, out.Hash, out.Loaded, out.Failed = t.contract, t.hash, t.loaded, t.failed
	return out
}

// failedReport returns why the metrics of a pod say nothing of its transformers.
func failedReport(pod Pod, at time.Time, err error) PodReport {
	return PodReport{PodReport: rollout.PodReport{Pod: pod.Name, At: at, Problem: describeFailure(err)}, Instance: pod.Instance}
}

// podError is why a pod could not be read: the code that it answers with, or a text where it
// gives no answer.
type podError struct {
	pod, text string
	code      int
}

func (e *podError) Error() string {
	if e.code > 0 {
		return fmt.Sprintf("pod %s answers %s with %d", e.pod, metricsPath, e.code)
	}
	return fmt.Sprintf("pod %s: %s", e.pod, e.text)
}

// describeFailure returns why a pod could not be asked, with what to do.
func describeFailure(failed error) string {
	text := shortenMessage(failed.Error())
	if e := (*podError)(nil); errors.As(failed, &e) {
		if e.code > 0 {
			return fmt.Sprintf("answers %s with %d, where its transformers are read: its image needs the package gati-kubernetes", metricsPath, e.code)
		}
		text = e.text
	}
	return "cannot be asked for its transformers: " + text + "; they are read from " + metricsPath + " on the pod's port, which gati-webhook has to reach"
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
