package handler

import (
	"context"
	"errors"
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

// keepChecks creates the Jobs of the checks that run, and deletes those that run for
// nothing. One that has ended is left to its time to live.
func (r *Reconciler) keepChecks(ctx context.Context, s *story) error {
	var errs []error
	for _, job := range s.Checks {
		if _, isThere := s.CheckJobs[job.Name]; isThere {
			continue
		}
		if err := s.writer.Create(ctx, job, client.FieldOwner(v1.FieldManager)); err != nil && !apierrors.IsAlreadyExists(err) {
			errs = append(errs, s.noteFailure(jobKind, job.Name, fmt.Errorf("create the Job of a check: %w", err)))
		}
	}
	for name, seen := range s.CheckJobs {
		runs := !seen.Succeeded && !seen.Failed
		if !runs || slices.ContainsFunc(s.Checks, func(job *batchv1.Job) bool { return job.Name == name }) {
			continue
		}
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: s.Handler.Namespace, Name: name}}
		err := s.writer.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			errs = append(errs, s.noteFailure(jobKind, name, fmt.Errorf("delete the Job of a check: %w", err)))
		}
	}
	return errors.Join(errs...)
}
