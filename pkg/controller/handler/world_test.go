package handler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// setReady has the one pod of a Deployment ready.
func (w *world) setReady(name string) {
	w.t.Helper()
	w.setReplicas(name, 1, 1)
}

// setReplicas has some of the pods of a Deployment ready.
func (w *world) setReplicas(name string, wanted, ready int32) {
	w.t.Helper()
	var d appsv1.Deployment
	w.must(w.get(&d, name))
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: wanted, UpdatedReplicas: wanted, ReadyReplicas: ready, AvailableReplicas: ready}
	w.must(w.live.Status().Update(w.t.Context(), &d))
}

// addEndpoints creates so many ready pods of a Deployment and their endpoints, where they are
// not there yet.
func (w *world) addEndpoints(name string, pods int) {
	w.t.Helper()
	var d appsv1.Deployment
	w.must(w.get(&d, name))
	for i := range pods {
		w.addEndpoint(&d, fmt.Sprintf("%s-%d", name, i))
	}
}

func (w *world) addEndpoint(d *appsv1.Deployment, name string) {
	w.t.Helper()
	now := metav1.NewTime(w.clock.Now())
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: d.Namespace, Labels: d.Spec.Template.Labels},
		Status:     corev1.PodStatus{PodIP: "10.0.0.1", Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: now}}},
	}
	builders.MakePodOf(d.Name, pod)
	yes := true
	endpoints := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: d.Namespace, CreationTimestamp: now, Labels: map[string]string{
			v1.LabelHandler: w.handler().Name, discoveryv1.LabelServiceName: d.Name,
		}},
		Endpoints: []discoveryv1.Endpoint{{
			Conditions: discoveryv1.EndpointConditions{Ready: &yes}, TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: name},
		}},
	}
	w.must(client.IgnoreAlreadyExists(w.live.Create(w.t.Context(), pod)))
	w.must(client.IgnoreAlreadyExists(w.live.Create(w.t.Context(), endpoints)))
}

// checkEvents checks the reasons of the Events since the last look.
func (w *world) checkEvents(want ...string) {
	w.t.Helper()
	var got []string
	for told := w.r.Events.(*events.FakeRecorder).Events; len(told) > 0; {
		got = append(got, strings.Fields(<-told)[1])
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("Events %q, want %q", got, want)
	}
}

// written returns how often the handler was written.
func (w *world) written() int {
	w.t.Helper()
	n, err := strconv.Atoi(w.handler().ResourceVersion)
	w.must(err)
	return n
}

// deploymentName returns the name of the only Deployment.
func (w *world) deploymentName() string {
	w.t.Helper()
	var list appsv1.DeploymentList
	w.must(w.live.List(w.t.Context(), &list))
	if len(list.Items) != 1 {
		w.t.Fatalf("%d Deployments", len(list.Items))
	}
	return list.Items[0].Name
}
