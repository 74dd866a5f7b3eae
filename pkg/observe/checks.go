package observe

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/rollout"
)

// CheckJobs reads the Jobs of a handler's checks by name. The pods of one that has failed
// and was not judged yet are read from live: no cache holds them.
func CheckJobs(ctx context.Context, cached, live client.Reader, h *v1.GatiHandler) (map[string]rollout.CheckJob, error) {
	var list batchv1.JobList
	if err := cached.List(ctx, &list, client.InNamespace(h.Namespace), client.MatchingLabels{v1.LabelHandler: h.Name}); err != nil {
		return nil, err
	}
	out := map[string]rollout.CheckJob{}
	for i := range list.Items {
		j := &list.Items[i]
		if !ownership.IsChild(j, h) || j.DeletionTimestamp != nil {
			continue
		}
		seen := endOf(j)
		if seen.Failed && !seen.TimedOut && isUnjudged(h, j.Name) {
			var pods corev1.PodList
			if err := live.List(ctx, &pods, client.InNamespace(j.Namespace), client.MatchingLabels{batchv1.JobNameLabel: j.Name}); err != nil {
				return nil, err
			}
			seen.Message = diagnose.CheckFailure(j, pods.Items)
		}
		out[j.Name] = seen
	}
	return out, nil
}

// endOf returns how a Job has ended.
func endOf(j *batchv1.Job) (out rollout.CheckJob) {
	for _, c := range j.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobComplete:
			out.Succeeded = true
		case batchv1.JobFailed:
			out.Failed, out.TimedOut = true, c.Reason == batchv1.JobReasonDeadlineExceeded
		}
	}
	return out
}

// isUnjudged reports whether the rollout still waits for a Job.
func isUnjudged(h *v1.GatiHandler, job string) bool {
	ro := h.Status.Rollout
	return ro != nil && slices.ContainsFunc(ro.Checks, func(s v1.CheckStatus) bool { return s.Job == job && s.Verdict == v1.CheckRunning })
}
