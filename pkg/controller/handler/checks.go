package handler

import (
	"context"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// jobKind is that of a check's Job among the children.
const jobKind = "Job.batch"

// checkChanges returns the Jobs of the checks that are to run, and those that run for
// nothing. One that has ended is left to its time to live.
func (s *story) checkChanges() (out changes[*batchv1.Job]) {
	for _, job := range s.Checks {
		if _, isThere := s.CheckJobs[job.Name]; !isThere {
			out.create = append(out.create, job)
		}
	}
	for name, seen := range s.CheckJobs {
		runs := !seen.Succeeded && !seen.Failed
		if runs && !slices.ContainsFunc(s.Checks, func(job *batchv1.Job) bool { return job.Name == name }) {
			out.remove = append(out.remove, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: s.Handler.Namespace, Name: name}})
		}
	}
	return out
}

// keepChecks creates and deletes the Jobs of checks.
func (a *application) keepChecks(ctx context.Context, jobs changes[*batchv1.Job]) {
	for _, job := range jobs.create {
		if err := a.writer.Create(ctx, job, client.FieldOwner(v1.FieldManager)); err != nil && !apierrors.IsAlreadyExists(err) {
			a.noteResult(jobKind, job.Name, fmt.Errorf("create the Job of a check: %w", err))
		}
	}
	for _, job := range jobs.remove {
		err := a.writer.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			a.noteResult(jobKind, job.Name, fmt.Errorf("delete the Job of a check: %w", err))
		}
	}
}
