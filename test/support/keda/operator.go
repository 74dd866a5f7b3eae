// Package keda stands in for KEDA's operator on a test cluster. It does to ScaledObjects
// and their HorizontalPodAutoscalers what controllers/keda/scaledobject_controller.go and
// hpa.go of KEDA v2.21.0 do, and measures nothing.
package keda

import (
	"context"
	_ "embed"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/yaml"

	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
)

//go:embed crd.yaml
var crd []byte

// finalizer is KEDA's, manager the name that its writes have.
const (
	finalizer = "finalizer.keda.sh"
	manager   = "keda"
)

// Install creates the CRD, unless it is there.
func Install(ctx context.Context, c client.Client) error {
	out, err := readCRD()
	if err != nil {
		return err
	}
	return client.IgnoreAlreadyExists(c.Create(ctx, out))
}

// Uninstall deletes the CRD, and with it all ScaledObjects.
func Uninstall(ctx context.Context, c client.Client) error {
	out, err := readCRD()
	if err != nil {
		return err
	}
	return client.IgnoreNotFound(c.Delete(ctx, out))
}

func readCRD() (*apiextensionsv1.CustomResourceDefinition, error) {
	var out apiextensionsv1.CustomResourceDefinition
	err := yaml.UnmarshalStrict(crd, &out)
	return &out, err
}

// Operator reconciles the ScaledObjects of one namespace.
type Operator struct {
	Client    client.WithWatch
	Namespace string
}

// Run reconciles until the context ends. A watch that the API server cuts, as it does when
// the CRD changes, begins anew and shows every object once more.
func (o *Operator) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := o.watchObjects(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// watchObjects reconciles until a watch is cut.
func (o *Operator) watchObjects(ctx context.Context) error {
	objects, err := o.Client.Watch(ctx, &kedav1alpha1.ScaledObjectList{}, client.InNamespace(o.Namespace))
	if err != nil {
		return err
	}
	defer objects.Stop()
	scalers, err := o.Client.Watch(ctx, &autoscalingv2.HorizontalPodAutoscalerList{}, client.InNamespace(o.Namespace))
	if err != nil {
		return err
	}
	defer scalers.Stop()
	for {
		var event watch.Event
		select {
		case <-ctx.Done():
			return nil
		case event = <-objects.ResultChan():
		case event = <-scalers.ResultChan():
		}
		changed, ok := event.Object.(client.Object)
		if !ok { // A closed channel gives no object, a cut watch gives a Status.
			return nil
		}
		if err := o.reconcileScaledObject(ctx, changed.GetName()); err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return err
		}
	}
}

// reconcileScaledObject does what KEDA does about one ScaledObject.
func (o *Operator) reconcileScaledObject(ctx context.Context, name string) error {
	var s kedav1alpha1.ScaledObject
	if err := o.Client.Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: name}, &s); err != nil {
		return client.IgnoreNotFound(err)
	}
	// The garbage collector takes its own finalizer off at the same time.
	lock := client.MergeFromWithOptions(s.DeepCopy(), client.MergeFromWithOptimisticLock{})
	if s.DeletionTimestamp != nil {
		if !controllerutil.RemoveFinalizer(&s, finalizer) {
			return nil
		}
		return o.Client.Patch(ctx, &s, lock, client.FieldOwner(manager))
	}
	if controllerutil.AddFinalizer(&s, finalizer) {
		if err := o.Client.Patch(ctx, &s, lock, client.FieldOwner(manager)); err != nil {
			return err
		}
	}
	if err := o.ensureAutoscaler(ctx, &s); err != nil {
		return err
	}
	return o.ensurePods(ctx, &s)
}

// ensurePods starts the fewest pods of a workload that has none, as KEDA does where
// minReplicaCount forbids zero: an autoscaler leaves a workload without pods alone.
func (o *Operator) ensurePods(ctx context.Context, s *kedav1alpha1.ScaledObject) error {
	var d appsv1.Deployment
	if err := o.Client.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: s.Spec.ScaleTargetRef.Name}, &d); err != nil {
		return err
	}
	if *d.Spec.Replicas > 0 || *s.Spec.MinReplicaCount == 0 {
		return nil
	}
	return o.Client.SubResource("scale").Update(ctx, &d, client.WithSubResourceBody(&autoscalingv1.Scale{
		ObjectMeta: d.ObjectMeta, Spec: autoscalingv1.ScaleSpec{Replicas: *s.Spec.MinReplicaCount},
	}), client.FieldOwner(manager))
}

// ensureAutoscaler creates the HorizontalPodAutoscaler of a ScaledObject, or replaces the
// one of that name, whoever has it: KEDA's update names no resourceVersion.
func (o *Operator) ensureAutoscaler(ctx context.Context, s *kedav1alpha1.ScaledObject) error {
	want := newAutoscaler(s)
	var have autoscalingv2.HorizontalPodAutoscaler
	err := o.Client.Get(ctx, client.ObjectKeyFromObject(want), &have)
	switch {
	case apierrors.IsNotFound(err):
		return o.Client.Create(ctx, want, client.FieldOwner(manager))
	case err != nil:
		return err
	case len(want.Spec.Metrics) == len(have.Spec.Metrics) && apiequality.Semantic.DeepEqual(want.Spec.Behavior, have.Spec.Behavior) &&
		apiequality.Semantic.DeepDerivative(want.Spec, have.Spec) && apiequality.Semantic.DeepDerivative(want.Labels, have.Labels) &&
		apiequality.Semantic.DeepDerivative(want.Annotations, have.Annotations):
		return nil
	case s.Annotations[kedav1alpha1.AnnotationTransfer] != "true" && !metav1.IsControlledBy(&have, s):
		return fmt.Errorf("the workload is already managed by the hpa %s", have.Name)
	default:
		return o.Client.Update(ctx, want, client.FieldOwner(manager))
	}
}

func newAutoscaler(s *kedav1alpha1.ScaledObject) *autoscalingv2.HorizontalPodAutoscaler {
	config := s.Spec.Advanced.HorizontalPodAutoscalerConfig
	labels := map[string]string{
		"app.kubernetes.io/name": config.Name, "app.kubernetes.io/version": "2.21.0",
		"app.kubernetes.io/part-of": s.Name, "app.kubernetes.io/managed-by": "keda-operator",
	}
	maps.Copy(labels, s.Labels)
	least := max(1, *s.Spec.MinReplicaCount)
	yes := true
	out := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, Name: config.Name, Labels: labels, Annotations: s.Annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: kedav1alpha1.GroupVersion.String(), Kind: kedav1alpha1.Kind, Name: s.Name, UID: s.UID, Controller: &yes, BlockOwnerDeletion: &yes,
			}},
		},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: s.Spec.ScaleTargetRef.APIVersion, Kind: s.Spec.ScaleTargetRef.Kind, Name: s.Spec.ScaleTargetRef.Name},
			MinReplicas:    &least, MaxReplicas: *s.Spec.MaxReplicaCount, Behavior: config.Behavior,
		},
	}
	for i, t := range s.Spec.Triggers {
		out.Spec.Metrics = append(out.Spec.Metrics, newMetric(i, t, s.Name))
	}
	return out
}

func newMetric(i int, t kedav1alpha1.Trigger, name string) autoscalingv2.MetricSpec {
	if t.Type == "cpu" || t.Type == "memory" {
		var percent int32
		if _, err := fmt.Sscan(t.Metadata["value"], &percent); err != nil {
			percent = 1
		}
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
			Name: corev1.ResourceName(t.Type), Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
		}}
	}
	one := resource.MustParse("1")
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{
		Metric: autoscalingv2.MetricIdentifier{
			Name:     fmt.Sprintf("s%d-%s", i, t.Type),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"scaledobject.keda.sh/name": name}},
		},
		Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &one},
	}}
}
