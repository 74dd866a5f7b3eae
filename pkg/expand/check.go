package expand

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/naming"
)

const (
	// checkKept is how long a Job that has ended is kept, in seconds.
	checkKept = 3600
	// checkGracePeriod is how long a check that is stopped has, in seconds.
	checkGracePeriod = 10
)

// CheckJob returns the Job of a check. revision is the version under test, workload the
// one that runs it, port the one of its Service.
func CheckJob(h *v1.GatiHandler, c v1.RolloutCheck, revision Revision, workload, name string, port int32) *batchv1.Job {
	o := handlerOwner(h)
	labels := map[string]string{v1.LabelCheck: c.Name}
	none, kept, deadline := int32(0), int32(checkKept), int64(toSeconds(c.Timeout, v1.DefaultCheckTimeout.Or(0)))
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: o.objectMeta(name, labels),
		Spec: batchv1.JobSpec{
			BackoffLimit: &none, ActiveDeadlineSeconds: &deadline, TTLSecondsAfterFinished: &kept,
			// A pod that its node loses is no fault of the version: there is another one.
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action:          batchv1.PodFailurePolicyActionIgnore,
				OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
			}}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
					"app.kubernetes.io/name": "gati-check", "app.kubernetes.io/instance": h.Name,
					v1.LabelCheck: c.Name, v1.LabelVersion: versionLabelValue(revision.Version),
				}},
				Spec: checkPod(c.Job, revision, checkVariables(h, c.Job, revision, workload, port)),
			},
		},
	}
}

// checkPod returns the pod of a check: in the place and with the security of the version
// under test.
func checkPod(j v1.CheckJob, revision Revision, env []corev1.EnvVar) corev1.PodSpec {
	of := revision.Template.Spec
	mounts, grace, token := standardMounts()[:1], int64(checkGracePeriod), j.ServiceAccountName != ""
	resources := defaulting.Resources(j.Resources)
	return corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{
			Name: "check", Image: firstNonEmpty(j.Image, revision.Image), Command: j.Command, Args: j.Args, Env: env, EnvFrom: j.EnvFrom,
			Resources:    corev1.ResourceRequirements{Requests: resources.Requests, Limits: resources.Limits},
			VolumeMounts: newVolumeMounts(mounts),
			// The kubelet keeps the end of the log in the status of a pod that failed:
			// the controllers need no right to read logs.
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			SecurityContext:          containerSecurityOf(&of),
		}},
		Volumes:                       newVolumes(mounts),
		SecurityContext:               of.SecurityContext.DeepCopy(),
		ServiceAccountName:            j.ServiceAccountName,
		AutomountServiceAccountToken:  &token,
		EnableServiceLinks:            new(bool),
		ImagePullSecrets:              slices.Clone(of.ImagePullSecrets),
		TerminationGracePeriodSeconds: &grace,
		NodeSelector:                  of.NodeSelector,
		Tolerations:                   slices.Clone(of.Tolerations),
	}
}

// containerSecurityOf returns the security of the version's own container.
func containerSecurityOf(s *corev1.PodSpec) *corev1.SecurityContext {
	if len(s.Containers) == 0 {
		return containerSecurity(&v1.PodSettings{})
	}
	return s.Containers[0].SecurityContext.DeepCopy()
}

// checkVariables returns where a check finds the version under test, and the user's list.
func checkVariables(h *v1.GatiHandler, j v1.CheckJob, revision Revision, workload string, port int32) []corev1.EnvVar {
	out := []corev1.EnvVar{
		{Name: v1.CheckEnv + "URL", Value: fmt.Sprintf("http://%s.%s.svc:%d", naming.WorkloadService(h.Name, workload), h.Namespace, port)},
		{Name: v1.CheckEnv + "HEADER", Value: v1.VersionHeader + ": " + revision.Version},
		{Name: v1.CheckEnv + "VERSION", Value: revision.Version},
	}
	return append(out, j.Env...)
}
