package diagnose_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/pkg/diagnose"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// waiting is a pod whose container waits.
func waiting(reason, message string) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", CreationTimestamp: metav1.NewTime(noon.Add(-time.Minute))}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "handler", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}}
	return p
}

// pending is a pod that the scheduler has no node for.
func pending(message string) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "b", CreationTimestamp: metav1.NewTime(noon.Add(-time.Minute))}}
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: message}}
	return p
}

// refused is a Deployment whose pods the API server refuses.
func refused(message string) *appsv1.Deployment {
	d := &appsv1.Deployment{}
	d.Status.Conditions = []appsv1.DeploymentCondition{{
		Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: message,
	}}
	return d
}

// paused is a Deployment that someone has paused with some pods of its template.
func paused(wanted, updated int32) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "handler-a", Namespace: "shop"}}
	d.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl-rollout", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:paused":{}}}`)}}
	d.Spec.Paused, d.Spec.Replicas, d.Status.UpdatedReplicas = true, &wanted, updated
	return d
}

// TestFindCause holds which problems are a version's own. The messages are those of the
// API server, the scheduler, the kubelet and containerd.
func TestFindCause(t *testing.T) {
	noHost := `failed to pull and unpack image "registry.invalid/app:v2": failed to resolve reference "registry.invalid/app:v2": failed to do request: Head "https://registry.invalid/v2/app/manifests/v2": dial tcp: lookup registry.invalid on 10.0.0.10:53: no such host`
	tests := map[string]struct {
		d    *appsv1.Deployment
		pods []corev1.Pod
		want diagnose.Cause
	}{
		"nothing":          {nil, nil, diagnose.CauseProgram},
		"a crash":          {nil, []corev1.Pod{waiting("CrashLoopBackOff", "back-off 10s")}, diagnose.CauseProgram},
		"a missing Secret": {nil, []corev1.Pod{waiting("CreateContainerConfigError", `secret "db" not found`)}, diagnose.CauseProgram},
		"a quota": {refused(`pods "handler-users-6f-x" is forbidden: exceeded quota: compute, requested: limits.cpu=500m, used: limits.cpu=2, limited: limits.cpu=2`),
			nil, diagnose.CauseRoom},
		"a quota that asks for more": {refused(`pods "x" is forbidden: failed quota: compute: must specify limits.cpu for: handler`), nil, diagnose.CauseRoom},
		"a LimitRange":               {refused(`pods "x" is forbidden: maximum memory usage per Container is 256Mi, but limit is 512Mi`), nil, diagnose.CauseRoom},
		"two bounds of a LimitRange": {refused(`pods "x" is forbidden: [minimum cpu usage per Pod is 1, but request is 100m, cpu max limit to request ratio per Container is 2, but provided ratio is 5.000000]`), nil, diagnose.CauseRoom},
		"Pod Security":               {refused(`pods "x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false`), nil, diagnose.CauseProgram},
		"a webhook that is down":     {refused(`Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.b.svc:443/": no endpoints available for service "a"`), nil, diagnose.CauseService},
		"a webhook that refuses":     {refused(`admission webhook "a.example.com" denied the request: the image is not signed`), nil, diagnose.CauseProgram},
		"no node":                    {nil, []corev1.Pod{pending("0/3 nodes are available: 3 Insufficient cpu.")}, diagnose.CauseRoom},
		"an image that is not there": {nil, []corev1.Pod{waiting("ErrImagePull", `failed to resolve reference "registry.example.com/app:v2": registry.example.com/app:v2: not found`)}, diagnose.CauseProgram},
		"an image that is denied":    {nil, []corev1.Pod{waiting("ImagePullBackOff", `Back-off pulling image "app:v2": ErrImagePull: pull access denied, repository does not exist or may require authorization`)}, diagnose.CauseProgram},
		"a registry of no host":      {nil, []corev1.Pod{waiting("ErrImagePull", noHost)}, diagnose.CauseService},
		"the back-off after it":      {nil, []corev1.Pod{waiting("ImagePullBackOff", `Back-off pulling image "registry.invalid/app:v2": ErrImagePull: `+noHost)}, diagnose.CauseService},
		"a registry that is broken":  {nil, []corev1.Pod{waiting("ErrImagePull", `unexpected status from HEAD request to https://registry.example.com/v2/app/manifests/v2: 503 Service Unavailable`)}, diagnose.CauseService},
		"a registry with a limit":    {nil, []corev1.Pod{waiting("ErrImagePull", `unexpected status code: 429 Too Many Requests - toomanyrequests: You have reached your pull rate limit.`)}, diagnose.CauseService},
		"an image named like a fault": {nil, []corev1.Pod{waiting("ErrImagePull", `failed to resolve reference "registry.example.com/eof:v503": registry.example.com/eof:v503: not found`)},
			diagnose.CauseProgram},
		"a pause":                 {paused(1, 0), nil, diagnose.CauseHold},
		"a pause, and a crash":    {paused(2, 1), []corev1.Pod{waiting("CrashLoopBackOff", "")}, diagnose.CauseHold},
		"a pause of what is done": {paused(2, 2), []corev1.Pod{waiting("CrashLoopBackOff", "")}, diagnose.CauseProgram},
		"no node, and a crash":    {nil, []corev1.Pod{pending("0/3 nodes are available"), waiting("CrashLoopBackOff", "")}, diagnose.CauseProgram},
		"no node and no registry": {nil, []corev1.Pod{waiting("ErrImagePull", noHost), pending("0/3 nodes are available")}, diagnose.CauseRoom},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := diagnose.FindCause(tc.d, tc.pods, noon); got != tc.want {
				t.Errorf("cause %d, want %d", got, tc.want)
			}
		})
	}
}

// TestARefusalIsToldInTheSameWords holds that each try, which has a pod of another name,
// leads to the same sentence.
func TestARefusalIsToldInTheSameWords(t *testing.T) {
	want := "FailedCreate: forbidden: exceeded quota: compute."
	for _, pod := range []string{"users-6f-x", "users-6f-y"} {
		if got := diagnose.Workload(refused(`pods "`+pod+`" is forbidden: exceeded quota: compute`), nil, noon); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAsksForSameRoom holds that what quotas, LimitRanges and schedulers look at counts,
// and nothing else.
func TestAsksForSameRoom(t *testing.T) {
	spec := func(change func(*corev1.PodSpec)) *corev1.PodSpec {
		s := &corev1.PodSpec{Containers: []corev1.Container{{
			Image:     "app:v1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}},
		}}}
		change(s)
		return s
	}
	tests := map[string]struct {
		change func(*corev1.PodSpec)
		want   bool
	}{
		"nothing":                     {func(*corev1.PodSpec) {}, true},
		"an image":                    {func(s *corev1.PodSpec) { s.Containers[0].Image = "app:v2" }, true},
		"a variable":                  {func(s *corev1.PodSpec) { s.Containers[0].Env = []corev1.EnvVar{{Name: "A"}} }, true},
		"a ConfigMap":                 {func(s *corev1.PodSpec) { s.Volumes = []corev1.Volume{{Name: "files"}} }, true},
		"the same in other words":     {func(s *corev1.PodSpec) { s.Containers[0].Resources.Requests["cpu"] = resource.MustParse("1000m") }, true},
		"more resources":              {func(s *corev1.PodSpec) { s.Containers[0].Resources.Requests["cpu"] = resource.MustParse("2") }, false},
		"a sidecar":                   {func(s *corev1.PodSpec) { s.InitContainers = []corev1.Container{{Name: "proxy"}} }, false},
		"a node selector":             {func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"disk": "ssd"} }, false},
		"a toleration":                {func(s *corev1.PodSpec) { s.Tolerations = []corev1.Toleration{{Key: "gpu"}} }, false},
		"an affinity":                 {func(s *corev1.PodSpec) { s.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}} }, false},
		"a spread":                    {func(s *corev1.PodSpec) { s.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1}} }, false},
		"a priority":                  {func(s *corev1.PodSpec) { s.PriorityClassName = "high" }, false},
		"a scheduler":                 {func(s *corev1.PodSpec) { s.SchedulerName = "other" }, false},
		"a runtime":                   {func(s *corev1.PodSpec) { s.RuntimeClassName = new("wasm") }, false},
		"a claim, which binds a node": {func(s *corev1.PodSpec) { s.Volumes = claim("data") }, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := diagnose.AsksForSameRoom(spec(func(*corev1.PodSpec) {}), spec(tc.change)); got != tc.want {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

func claim(name string) []corev1.Volume {
	return []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
	}}}
}
