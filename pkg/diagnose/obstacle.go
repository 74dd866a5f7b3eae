package diagnose

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/remedy"
)

// Obstacle is what others have set on a child, or put beside it, and that stops it. No
// version is to blame, and the child goes on by itself once it is gone.
type Obstacle struct {
	// Kind and Name are those of the child, What has the field that stops it and who set that.
	Kind, Name, What string
	// Reason is the short name of the obstacle, Effect what does not happen.
	Reason, Effect string
	// Remedy removes it: an imperative and a command.
	Remedy string
	// Since is when a child with a finalizer was deleted; zero for other obstacles.
	Since time.Time
}

// Error implements error: an obstacle is the problem of a child.
func (o *Obstacle) Error() string { return o.Summary() + "; " + o.Remedy }

// Summary is the obstacle without its remedy.
func (o *Obstacle) Summary() string {
	kind, _, _ := strings.Cut(o.Kind, ".")
	return fmt.Sprintf("%s %s %s, so %s", kind, o.Name, o.What, o.Effect)
}

// The kinds that have obstacles beside finalizers.
const (
	deploymentKind = "Deployment.apps"
	autoscalerKind = "HorizontalPodAutoscaler.autoscaling"
)

// stop is a field of a Deployment's spec that Gati leaves to others, and that stops it.
type stop struct {
	// field is the one in the spec, what leaves open who has set it.
	field, what string
	// isSet is asked with the autoscaler of Gati's own, nil where there is none.
	isSet          func(*appsv1.Deployment, *autoscalingv2.HorizontalPodAutoscaler) bool
	reason, effect string
	advice         string
	remedy         remedy.Remedy
}

var stops = []stop{
	{
		"paused", "is paused by %s", func(d *appsv1.Deployment, _ *autoscalingv2.HorizontalPodAutoscaler) bool {
			return d.Spec.Paused && lacksPods(d)
		},
		"DeploymentPaused", "it makes no new pods", "resume it", remedy.ResumeDeployment,
	},
	{
		// Without an autoscaler or a manager the number is put back, and KEDA scales up from 0 itself.
		"replicas", "is scaled to 0 pods by %s", func(d *appsv1.Deployment, a *autoscalingv2.HorizontalPodAutoscaler) bool {
			return a != nil && wantedPods(d) == 0
		},
		"ScaledToZero", "its autoscaler does not act", "scale it up", remedy.ScaleUp,
	},
	{
		// Pods that do not get ready are no matter of this field.
		"minReadySeconds", "counts its pods late for %s", func(d *appsv1.Deployment, _ *autoscalingv2.HorizontalPodAutoscaler) bool {
			return d.Spec.MinReadySeconds > 0 && d.Status.ReadyReplicas > d.Status.AvailableReplicas && lacksPods(d)
		},
		"PodsCountLate", "its ready pods replace no others yet",
		"remove it", remedy.CountPodsAtOnce,
	},
}

// removal is the remedy for a Deployment: an imperative and a command.
func (s *stop) removal(namespace, name string) string {
	return s.advice + ": " + s.remedy.For(namespace, name)
}

// FixFor returns the command of the remedy of an obstacle where it alone ends the obstacle of
// that Deployment, and removes nothing that belongs to others; empty for other texts.
func FixFor(removal, namespace, name string) string {
	for i := range stops {
		if stops[i].removal(namespace, name) == removal {
			return stops[i].remedy.For(namespace, name)
		}
	}
	return ""
}

// findStop finds the first field that stops a Deployment and that others have set.
func findStop(d *appsv1.Deployment, own *autoscalingv2.HorizontalPodAutoscaler) *Obstacle {
	ours := append(ownership.Labellers(d.ManagedFields, v1.LabelTarget), v1.FieldManager)
	for i := range stops {
		s := &stops[i]
		if !s.isSet(d, own) {
			continue
		}
		if by := ownership.FindOther(d.ManagedFields, s.field, ours...); by != "" {
			return &Obstacle{
				Kind: deploymentKind, Name: d.Name, What: fmt.Sprintf(s.what+" (spec.%s)", by, s.field), Reason: s.reason, Effect: s.effect,
				Remedy: s.removal(d.Namespace, d.Name),
			}
		}
	}
	return nil
}

// FindObstacle finds what others have done to a Deployment or to its autoscaler: one of
// Gati's own that KEDA does not have, else nil. It returns nil where there is nothing.
func FindObstacle(d *appsv1.Deployment, own *autoscalingv2.HorizontalPodAutoscaler) *Obstacle {
	if d == nil {
		return nil
	}
	if held := FindFinalizer(deploymentKind, d); held != nil {
		return held
	}
	if stopped := findStop(d, own); stopped != nil || own == nil {
		return stopped
	}
	return findRival(own)
}

// findRival finds another autoscaler for the same pods: Kubernetes then lets neither act.
func findRival(own *autoscalingv2.HorizontalPodAutoscaler) *Obstacle {
	for _, c := range own.Status.Conditions {
		if c.Type != autoscalingv2.ScalingActive || c.Status != corev1.ConditionFalse || c.Reason != "AmbiguousSelector" {
			continue
		}
		rival := nameRival(own, c.Message)
		return &Obstacle{
			Kind: autoscalerKind, Name: own.Name, What: "shares its pods with HorizontalPodAutoscaler " + rival,
			Reason: c.Reason, Effect: "neither scales them", Remedy: "delete the other one: " + remedy.DeleteAutoscaler.For(own.Namespace, rival),
		}
	}
	return nil
}

// nameRival finds the name of another autoscaler in the list at the end of Kubernetes' message,
// whose form is not the same in all releases.
func nameRival(own *autoscalingv2.HorizontalPodAutoscaler, message string) string {
	list := message[strings.LastIndex(message, "[")+1:]
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune("{}[]()/, ", r) }) {
		if word != own.Name && word != own.Namespace {
			return word
		}
	}
	return "NAME"
}

// FindFinalizer finds the finalizer that holds an object that is being deleted; nil is none.
func FindFinalizer(kind string, obj metav1.Object) *Obstacle {
	deleted := obj.GetDeletionTimestamp()
	if deleted == nil {
		return nil
	}
	for i, name := range obj.GetFinalizers() {
		if name == metav1.FinalizerDeleteDependents || name == metav1.FinalizerOrphanDependents {
			continue // The garbage collector's own.
		}
		return &Obstacle{
			Kind: kind, Name: obj.GetName(), Since: deleted.Time,
			What:   fmt.Sprintf("is being deleted and has the finalizer %s of %s (metadata.finalizers)", name, ownership.FindFinalizer(obj.GetManagedFields(), name)),
			Reason: "HeldByFinalizer", Effect: "it stays and takes no changes",
			Remedy: "let its controller finish, or remove it: " + remedy.RemoveFinalizer.For(obj.GetNamespace(), strings.ToLower(kind), obj.GetName(), strconv.Itoa(i)),
		}
	}
	return nil
}
