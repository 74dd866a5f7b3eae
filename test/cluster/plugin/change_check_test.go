package plugin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/decide"

	"gati.dev/gati/test/support/await"
)

// checkOutcome checks all that is meant to come of a step: at once what is stored, and
// as soon as the controller is done what has come of it.
func (c *cell) checkOutcome(step string, want outcome, stamp plan) {
	c.t.Helper()
	stored, inputs := c.change.kind.stored(c.t, c.spec)
	obj := c.readObject("v1")
	if got := encodeJSON(c.t, obj.Object["spec"]); got != stored {
		c.t.Errorf("%s: stored is\n%s, want what was sent and the static defaults:\n%s", step, got, stored)
	}
	if stamp == same && !c.verb.anew {
		inputs = c.inputs // What is the same in other words keeps the revision.
	}
	c.inputs = inputs
	name := decide.StampOf(obj).Revision()
	c.checkStamp(step, name[strings.LastIndex(name, "-")+1:], inputs[:10], stamp)
	var seen children
	await.Eventually(c.t, step+": all is done", func() (err error) {
		if err = checkDone(c.readObject("v1"), want); err != nil {
			return err
		}
		if seen, err = c.readChildren(); err != nil {
			return err
		}
		return seen.checkScale(want)
	})
	for _, err := range []error{seen.checkRevision(inputs, want), seen.checkCounts(want), seen.checkPodFields(want)} {
		if err != nil {
			c.t.Errorf("%s: %v", step, err)
		}
	}
}

// checkStamp checks the revision that the stamp names: that of the inputs, and in the
// right relation to those of before.
func (c *cell) checkStamp(step, got, inputs string, want plan) {
	c.t.Helper()
	if got != inputs {
		c.t.Errorf("%s: the stamp is %q, want %q, the inputs of what is stored", step, got, inputs)
	}
	is := fresh
	switch {
	case len(c.plans) == 0 || c.verb.anew: // A new object has no revision of before.
		is = want
	case got == c.plans[len(c.plans)-1]:
		is = same
	case got == c.plans[0]:
		is = asAtFirst
	case slices.Contains(c.plans, got):
		is = "the stamp is that of an earlier step"
	}
	if is != want {
		c.t.Errorf("%s: %s, want: %s", step, is, want)
	}
	c.plans = append(c.plans, got)
}

// checkDone reports whether the controller has brought the present spec to the end, and
// says the version and the image that are meant.
func checkDone(obj *unstructured.Unstructured, want outcome) error {
	status, _, _ := unstructured.NestedMap(obj.Object, "status")
	conditions, _, _ := unstructured.NestedSlice(status, "conditions")
	ready := slices.ContainsFunc(conditions, func(item any) bool {
		c, _ := item.(map[string]any)
		return c["type"] == v1.ConditionReady && c["status"] == "True" && c["observedGeneration"] == obj.GetGeneration()
	})
	if !ready {
		return fmt.Errorf("generation %d is not Ready: %v", obj.GetGeneration(), conditions)
	}
	version, _, _ := unstructured.NestedString(status, "version")
	image, _, _ := unstructured.NestedString(status, "image")
	if version != want.version || image != want.image {
		return fmt.Errorf("the status says version %q of image %q, want %q of %q", version, image, want.version, want.image)
	}
	return nil
}

// children are what the cluster has of one object.
type children struct {
	deployment  appsv1.Deployment
	config      corev1.ConfigMap
	service     corev1.Service
	autoscaler  *autoscalingv2.HorizontalPodAutoscaler
	revisions   []appsv1.ControllerRevision
	replicaSets []appsv1.ReplicaSet
	records     []v1.GatiVersion
}

func (c *cell) readChildren() (children, error) {
	var out children
	ctx, key := c.t.Context(), client.ObjectKey{Namespace: c.namespace, Name: c.change.kind.child(c.name)}
	ours := []client.ListOption{client.InNamespace(c.namespace), client.MatchingLabels{c.change.kind.label: c.name}}
	var revisions appsv1.ControllerRevisionList
	var replicaSets appsv1.ReplicaSetList
	var records v1.GatiVersionList
	err := errors.Join(
		admin().Get(ctx, key, &out.deployment), admin().Get(ctx, key, &out.service),
		admin().List(ctx, &revisions, ours...), admin().List(ctx, &replicaSets, ours...), admin().List(ctx, &records, ours...),
	)
	if err != nil {
		return out, err
	}
	out.revisions, out.replicaSets, out.records = revisions.Items, replicaSets.Items, records.Items
	from := out.deployment.Spec.Template.Spec.Containers[0].EnvFrom[0].ConfigMapRef.Name
	if err := admin().Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: from}, &out.config); err != nil {
		return out, err
	}
	var hpa autoscalingv2.HorizontalPodAutoscaler
	if err := admin().Get(ctx, key, &hpa); err == nil {
		out.autoscaler = &hpa
	} else if client.IgnoreNotFound(err) != nil {
		return out, err
	}
	return out, nil
}

// checkScale reports whether the number of pods and its bounds are as wanted.
func (s children) checkScale(want outcome) error {
	var least, most int32
	if s.autoscaler != nil {
		least, most = *s.autoscaler.Spec.MinReplicas, s.autoscaler.Spec.MaxReplicas
	}
	if got := *s.deployment.Spec.Replicas; got != want.replicas || least != want.least || most != want.most {
		return fmt.Errorf("%d replicas between %d and %d, want %d between %d and %d", got, least, most, want.replicas, want.least, want.most)
	}
	return nil
}

// checkRevision reports whether the Deployment runs the revision of these inputs.
func (s children) checkRevision(inputs string, want outcome) error {
	name := s.deployment.Annotations[v1.AnnotationRevision]
	at := slices.IndexFunc(s.revisions, func(r appsv1.ControllerRevision) bool { return r.Name == name })
	if at < 0 || s.revisions[at].Labels[v1.LabelInputs] != inputs {
		return fmt.Errorf("the Deployment runs the revision %s, want that of the inputs %s", name, inputs)
	}
	if want.version == "" {
		return nil
	}
	if got := s.config.Data["HANDLER_VERSION"]; got != want.version {
		return fmt.Errorf("the container is told that it is version %q, want %q", got, want.version)
	}
	if !slices.ContainsFunc(s.records, func(r v1.GatiVersion) bool { return r.Status.Version == want.version }) {
		return fmt.Errorf("there is no record of version %s", want.version)
	}
	return nil
}

// checkCounts reports whether as many revisions were cut, and pod templates run, as
// there should have been.
func (s children) checkCounts(want outcome) error {
	if len(s.revisions) != want.revisions || len(s.replicaSets) != want.templates {
		return fmt.Errorf("%d revisions with %d pod templates, want %d with %d", len(s.revisions), len(s.replicaSets), want.revisions, want.templates)
	}
	return nil
}

// checkPodFields compares what the pods are told with what is wanted: no field is left from
// before.
func (s children) checkPodFields(want outcome) error {
	container := s.deployment.Spec.Template.Spec.Containers[0]
	var env []string
	for _, e := range container.Env {
		if e.Name == "LEVEL" || e.Name == "REGION" {
			env = append(env, e.Name+"="+e.Value)
		}
	}
	got := fmt.Sprintf("%s, port %d behind %v, %s of CPU, %q", container.Image, container.Ports[0].ContainerPort,
		s.servicePorts(), container.Resources.Requests.Cpu(), strings.Join(env, " "))
	if must := fmt.Sprintf("%s, port %d behind %v, %s of CPU, %q", want.image, want.port, s.expectedPorts(want), want.cpu, want.env); got != must {
		return fmt.Errorf("the pods are %s, want %s", got, must)
	}
	return nil
}

// expectedPorts are those that the Service should have, sorted. That of a module always
// has the port that handlers are told.
func (s children) expectedPorts(want outcome) []int32 {
	out := want.servicePorts()
	if s.service.Labels[v1.LabelModule] != "" && !slices.Contains(out, v1.DefaultModulePort) {
		out = append(out, v1.DefaultModulePort)
	}
	slices.Sort(out)
	return out
}

// servicePorts are those of the Service, sorted.
func (s children) servicePorts() []int32 {
	var out []int32
	for _, p := range s.service.Spec.Ports {
		out = append(out, p.Port)
	}
	slices.Sort(out)
	return out
}

// servicePorts are those that the Service has, sorted.
func (o outcome) servicePorts() []int32 {
	if o.kept == 0 {
		return []int32{o.port}
	}
	return []int32{min(o.port, o.kept), max(o.port, o.kept)}
}
