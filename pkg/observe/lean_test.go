package observe

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/ownership"
)

var now = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// typicalPod is a pod of a handler as a kubelet reports it: our own template, and what the
// API server, a ServiceAccount and the kubelet add.
func typicalPod(t *testing.T) *corev1.Pod {
	t.Helper()
	h := builders.MakeHandler("users").Namespace("shop").Path("/users").Version("v1.0.0").Image("registry.example.com/shop/users:v1.0.0").Env("LOG_LEVEL", "info").Default().Obj()
	resolved, _ := defaulting.ResolveHandler(&h.Spec, facts.Facts{Namespace: "shop"})
	template := expand.NewHandlerRevision(h, resolved, "0123456789abcdef", 1, nil).Template
	since := metav1.NewTime(now.Add(-time.Hour))
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace, pod.Name, pod.UID = "shop", "handler-users--v1-0-0-5d8c7bb5f4-x7k2p", types.UID("7f9a2c1e-3b52-4d0e-9a57-0e6d0f1b2c3d")
	pod.ResourceVersion, pod.CreationTimestamp, pod.Labels[v1.LabelWorkload] = "123456", since, "v1-0-0"
	pod.Labels["pod-template-hash"] = "5d8c7bb5f4"
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "handler-users--v1-0-0-5d8c7bb5f4", UID: "1f9a2c1e-3b52-4d0e-9a57-0e6d0f1b2c3d", Controller: new(true)}}
	pod.Spec.NodeName = "node-17"
	for _, kind := range []corev1.PodConditionType{"PodReadyToStartContainers", corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: since})
	}
	pod.Status.Phase, pod.Status.PodIP, pod.Status.HostIP, pod.Status.StartTime = corev1.PodRunning, "10.1.2.3", "192.168.0.17", &since
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "handler", Ready: true, Image: "registry.example.com/shop/users:v1.0.0", ContainerID: "containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		ImageID: "registry.example.com/shop/users@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		State:   corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: since}}, Started: new(bool), Resources: &corev1.ResourceRequirements{},
	}}
	return pod
}

// maxPodBytes is what a pod may take of the memory of the controllers, the cache's own index
// aside.
const maxPodBytes = 2500

// TestAPodTakesLittleMemory measures what a cached pod takes, as it is decoded from the API
// server's answer.
func TestAPodTakesLittleMemory(t *testing.T) {
	raw, err := json.Marshal(typicalPod(t))
	if err != nil {
		t.Fatal(err)
	}
	measure := func(transform func(any) (any, error)) uint64 {
		const n = 2000
		kept := make([]any, 0, n)
		before := heapBytes()
		for range n {
			pod := &corev1.Pod{}
			if err := json.Unmarshal(raw, pod); err != nil {
				t.Fatal(err)
			}
			lean, err := transform(pod)
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, lean)
		}
		after := heapBytes()
		runtime.KeepAlive(kept)
		return (after - before) / n
	}
	whole := measure(func(pod any) (any, error) { return pod, nil })
	lean := measure(LeanPod)
	t.Logf("a pod takes %d bytes, %d as it is cached", whole, lean)
	if lean > maxPodBytes && !detector.Enabled { // which takes memory of its own
		t.Errorf("a cached pod takes %d bytes, want at most %d", lean, maxPodBytes)
	}
}

func heapBytes() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// verdict is all that is read of a pod.
type verdict struct {
	Problem             diagnose.Problem
	HasProblem, Failing bool
	Workload            string
	LookAgain           time.Duration
	Restarts, Port      int32
	Since               time.Time
	Meta                metav1.ObjectMeta
	Status              []string
}

func judge(p *corev1.Pod) verdict {
	out := verdict{Port: expand.PodPort(&p.Spec), LookAgain: diagnose.LookAgain([]corev1.Pod{*p}, now), Since: reachableSince(p, now)}
	out.Problem, out.HasProblem = diagnose.Pod(p, now)
	out.Workload, out.Failing = diagnose.Workload(nil, []corev1.Pod{*p}, now), diagnose.IsFailing(nil, []corev1.Pod{*p}, now)
	out.Restarts = (&expand.Observed{Pods: []corev1.Pod{*p}}).Restarts()
	out.Meta = metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion}
	out.Status = []string{string(p.Status.Phase), p.Status.PodIP, p.Labels[v1.LabelHandler], p.Labels[v1.LabelModule], p.Labels[v1.LabelWorkload], p.Labels[v1.LabelManagedBy]}
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Running != nil {
			out.Status = append(out.Status, c.State.Running.StartedAt.String())
		}
	}
	return out
}

// TestALeanPodIsFoundByItsLabels holds which labels are kept.
func TestALeanPodIsFoundByItsLabels(t *testing.T) {
	pod := typicalPod(t)
	lean := leanPod(pod)
	for _, label := range []string{v1.LabelHandler, v1.LabelWorkload, v1.LabelManagedBy} {
		if value := lean.Labels[label]; value == "" || value != pod.Labels[label] {
			t.Errorf("%s is %q, was %q", label, value, pod.Labels[label])
		}
	}
	if _, kept := lean.Labels["app.kubernetes.io/name"]; kept {
		t.Error("a label that nothing is found by is kept")
	}
	if !ownership.IsPodOf(lean, "handler-users--v1-0-0") || ownership.IsPodOf(lean, "handler-users") {
		t.Errorf("its Deployment is not known: %+v", lean.ObjectMeta)
	}
}

// TestALeanPodIsJudgedAsTheWholeOne changes pods at random: nothing that is decided about a
// pod depends on what the cache drops.
func TestALeanPodIsJudgedAsTheWholeOne(t *testing.T) {
	problems := 0
	for seed := range int64(3000) {
		whole := randomPod(typicalPod(t), rand.New(rand.NewSource(seed)))
		lean, err := LeanPod(whole.DeepCopy())
		if err != nil {
			t.Fatal(err)
		}
		want, got := judge(whole), judge(lean.(*corev1.Pod))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-whole +lean):\n%s", seed, diff)
		}
		if want.HasProblem {
			problems++
		}
	}
	if problems < 500 {
		t.Errorf("%d of 3000 pods have a problem: too few to compare", problems)
	}
	if other, err := LeanPod("a tombstone"); other != "a tombstone" || err != nil {
		t.Errorf("%v, %v", other, err)
	}
}

// randomPod lets things happen to a pod.
func randomPod(p *corev1.Pod, random *rand.Rand) *corev1.Pod {
	at := metav1.NewTime(now.Add(-time.Duration(random.Intn(1200)) * time.Second))
	reasons := []string{"", "CrashLoopBackOff", "ImagePullBackOff", "ContainerCreating", "CreateContainerConfigError", "OOMKilled", "Error"}
	reason := func() string { return reasons[random.Intn(len(reasons))] }
	state := func() (s corev1.ContainerState) {
		switch random.Intn(4) {
		case 0:
			s.Running = &corev1.ContainerStateRunning{StartedAt: at}
		case 1:
			s.Waiting = &corev1.ContainerStateWaiting{Reason: reason(), Message: fmt.Sprint("message ", random.Intn(9))}
		case 2:
			s.Terminated = &corev1.ContainerStateTerminated{ExitCode: int32(random.Intn(3)), Reason: reason(), Message: "its log", FinishedAt: at, ContainerID: "id"}
		}
		return s
	}
	statuses := func(n int) (out []corev1.ContainerStatus) {
		for i := range n {
			out = append(out, corev1.ContainerStatus{
				Name: fmt.Sprint("c", i), Image: "app:v1", Ready: random.Intn(2) == 0, RestartCount: int32(random.Intn(4)), State: state(), LastTerminationState: state(),
			})
		}
		return out
	}
	p.CreationTimestamp = at
	p.Status.ContainerStatuses, p.Status.InitContainerStatuses = statuses(random.Intn(3)), statuses(random.Intn(2))
	p.Status.Phase = []corev1.PodPhase{corev1.PodRunning, corev1.PodPending, corev1.PodFailed, corev1.PodSucceeded}[random.Intn(4)*random.Intn(2)]
	for i := range p.Status.Conditions {
		c := &p.Status.Conditions[i]
		c.LastTransitionTime = at
		if random.Intn(3) == 0 {
			c.Status, c.Reason, c.Message = corev1.ConditionFalse, []string{"", "Unschedulable"}[random.Intn(2)], "0/3 nodes are available"
		}
	}
	if random.Intn(8) == 0 {
		p.DeletionTimestamp = &at
	}
	if random.Intn(4) == 0 {
		p.Spec.Containers[0].Ports = nil
	}
	return p
}
