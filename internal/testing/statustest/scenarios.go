package statustest

import (
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/status"
)

// users is the workload that most scenarios are about.
var users = OfHandler("users", v1.WorkloadMain)

// Scenarios returns every scenario by its name.
func Scenarios() map[string]status.Objects {
	all := map[string]status.Objects{
		"healthy":       Healthy(),
		"progressing":   Progressing(),
		"image-pull":    ImagePull(),
		"crash-loop":    CrashLoop(),
		"canary":        Canary(),
		"stalled":       Stalled(),
		"quota":         Quota(),
		"deleting":      Terminating(),
		"never-seen":    {Namespace: Namespace, Handlers: []v1.GatiHandler{MakeHandler("users").Obj()}},
		"behind":        {Namespace: Namespace, Handlers: []v1.GatiHandler{readyHandler().Generation(2).Obj()}},
		"no-permission": NoPermission(),
		"unbound":       Unbound(),
		"empty":         {Namespace: Namespace},
		"no-gateway":    NoGatewayAPI(),
		"invalid":       Invalid(),
		"webhook-down":  WebhookDown(),
		"module-denied": ModuleDenied(),
	}
	maps.Copy(all, rollouts())
	return all
}

func readyHandler() *Handler {
	return MakeHandler("users").Seen(v1.PhaseRunning, "2/2").
		Condition(v1.ConditionReady, metav1.ConditionTrue, "AllReady", "2 of 2 pods are ready").
		Condition(v1.ConditionReconciling, metav1.ConditionFalse, "Settled", "").
		Condition(v1.ConditionStalled, metav1.ConditionFalse, "Settled", "").
		Version("v1.0.0", 1, v1.WorkloadMain, 100)
}

func busyHandler(ready string) *Handler {
	return MakeHandler("users").Seen(v1.PhasePending, ready).
		Condition(v1.ConditionReady, metav1.ConditionFalse, "PodsNotReady", "1 of 2 pods is ready").
		Condition(v1.ConditionReconciling, metav1.ConditionTrue, "Waiting", "waiting for pods").
		Version("v1.0.0", 1, v1.WorkloadMain, 100)
}

// Healthy is a handler with an autoscaler and a module, everything ready.
func Healthy() status.Objects {
	module := OfModule("db")
	h := readyHandler()
	h.Status.Resolved = &v1.ResolvedStatus{Derived: []string{
		"resources: requests 100m, 128Mi, limits 500m, 512Mi (built in)",
	}}
	return status.Objects{
		Namespace:   Namespace,
		Handlers:    []v1.GatiHandler{h.Obj()},
		Modules:     []v1.GatiModule{MakeModule("db").Obj()},
		Versions:    []v1.GatiVersion{MakeRecord("users-main", "users", "v1.0.0").Tags("stable").Obj()},
		Deployments: []appsv1.Deployment{Deployment(users, 2, 2), Deployment(module, 1, 1)},
		Pods:        []corev1.Pod{MakePod(users, "a").Obj(), MakePod(users, "b").Obj(), MakePod(module, "a").Obj()},
		Autoscalers: []autoscalingv2.HorizontalPodAutoscaler{Autoscaler(users, 2, 6, 2, 2)},
	}
}

// Progressing is a handler whose second pod has just started.
func Progressing() status.Objects {
	return status.Objects{
		Namespace:   Namespace,
		Handlers:    []v1.GatiHandler{busyHandler("1/2").Obj()},
		Versions:    []v1.GatiVersion{MakeRecord("users-main", "users", "v1.0.0").Obj()},
		Deployments: []appsv1.Deployment{Deployment(users, 1, 2)},
		Pods: []corev1.Pod{
			MakePod(users, "a").Obj(),
			MakePod(users, "b").Age(5*time.Second).Waiting("ContainerCreating", "").Obj(),
		},
	}
}

// ImagePull is a handler whose image does not exist.
func ImagePull() status.Objects {
	message := "Back-off pulling image \"my-app:v1.0.0\": ErrImagePull: failed to resolve reference:\n  my-app:v1.0.0: not found"
	return status.Objects{
		Namespace:   Namespace,
		Handlers:    []v1.GatiHandler{busyHandler("0/3").Obj(), named("orders").Obj()},
		Deployments: []appsv1.Deployment{Deployment(users, 0, 3), Deployment(OfHandler("orders", v1.WorkloadMain), 2, 2)},
		Pods: []corev1.Pod{
			MakePod(users, "c").Waiting("ImagePullBackOff", message).Obj(),
			MakePod(users, "a").Waiting("ImagePullBackOff", message).Obj(),
			MakePod(users, "b").Waiting("ErrImagePull", "failed to resolve reference").Obj(),
		},
	}
}

// named is a ready handler of another name.
func named(name string) *Handler {
	return MakeHandler(name).Seen(v1.PhaseRunning, "2/2").
		Condition(v1.ConditionReady, metav1.ConditionTrue, "AllReady", "2 of 2 pods are ready")
}

// CrashLoop is a handler of which one pod ends again and again for want of
// memory.
func CrashLoop() status.Objects {
	return status.Objects{
		Namespace:   Namespace,
		Handlers:    []v1.GatiHandler{busyHandler("1/2").Obj()},
		Deployments: []appsv1.Deployment{Deployment(users, 1, 2)},
		Pods: []corev1.Pod{
			MakePod(users, "a").Obj(),
			MakePod(users, "b").Waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container").Died("OOMKilled", 137, 6).Obj(),
		},
	}
}

// Canary is a handler with three versions: one on its way in, one stable, one
// gone.
func Canary() status.Objects {
	canary := OfHandler("users", "v2-0-0")
	h := MakeHandler("users").Strategy(v1.StrategyCanary)
	h.Spec.Version, h.Spec.Image = "v2.0.0", "my-app:v2.0.0"
	h.Seen(v1.PhaseRunning, "3/3").Health(v1.Progressing).
		Condition(v1.ConditionReady, metav1.ConditionTrue, "StableReady", "2 of 2 pods of v1.0.0 are ready").
		Condition(v1.ConditionReconciling, metav1.ConditionTrue, "Canary", "v2.0.0 is at 10 % (step 1 of 3), 50 % in 3m").
		Version("v0.9.0", 1, "", 0).Version("v1.0.0", 2, v1.WorkloadMain, 90).Version("v2.0.0", 3, "v2-0-0", 10)
	h.Status.Versions[0].Phase, h.Status.Versions[0].Record = v1.VersionDecommissioned, "users-v0-9-0"
	accepted := int32(10)
	h.Status.Versions[2].AcceptedWeight = &accepted
	return status.Objects{
		Namespace: Namespace,
		Handlers:  []v1.GatiHandler{h.Obj()},
		Versions: []v1.GatiVersion{
			MakeRecord("users-v0-9-0", "users", "v0.9.0").Obj(),
			MakeRecord("users-main", "users", "v1.0.0").Tags("stable", "production").Obj(),
			MakeRecord("users-v2-0-0", "users", "v2.0.0").Obj(),
			MakeRecord("users-again", "users", "v1.0.0").Refused("users-main is the record of v1.0.0 already").Obj(),
		},
		Deployments: []appsv1.Deployment{Deployment(users, 2, 2), Deployment(canary, 1, 1)},
		Pods:        []corev1.Pod{MakePod(users, "a").Obj(), MakePod(users, "b").Obj(), MakePod(canary, "a").Died("Error", 1, 1).Obj()},
	}
}

// Stalled is a handler whose Service has another owner.
func Stalled() status.Objects {
	h := MakeHandler("users").Seen(v1.PhaseFailed, "0/2").
		Condition(v1.ConditionReady, metav1.ConditionFalse, "ForeignObject", "Service handler-users is not ours").
		Condition(v1.ConditionStalled, metav1.ConditionTrue, "ForeignObject", "Service handler-users already exists and was not created by this object; delete or rename it")
	h.Status.Children = []v1.ChildStatus{
		{Kind: "Deployment.apps", Name: "handler-users"},
		{Kind: "Service", Name: "handler-users", Message: "was not created by this object"},
	}
	return status.Objects{Namespace: Namespace, Handlers: []v1.GatiHandler{h.Obj()}}
}

// Quota is a handler whose pods the namespace's quota refuses.
func Quota() status.Objects {
	refused := CannotCreate(Deployment(users, 0, 2), "FailedCreate", "pods \"handler-users-x\" is forbidden: exceeded quota: small")
	return status.Objects{
		Namespace:   Namespace,
		Handlers:    []v1.GatiHandler{busyHandler("0/2").Obj()},
		Deployments: []appsv1.Deployment{refused},
	}
}

// Terminating is a handler on its way out.
func Terminating() status.Objects {
	return status.Objects{
		Namespace: Namespace,
		Handlers:  []v1.GatiHandler{readyHandler().Deleted("gati.dev/target").Obj(), named("orders").Deleted().Obj()},
	}
}

// NoPermission is a healthy handler whose pods and Deployments may not be read.
func NoPermission() status.Objects {
	return status.Objects{
		Namespace: Namespace,
		Handlers:  []v1.GatiHandler{readyHandler().Obj()},
		Unread: []status.Unread{
			{Resource: status.ResourcePods, Reason: "forbidden"},
			{Resource: status.ResourceDeployments, Reason: "forbidden"},
		},
	}
}

// Unbound is a namespace with records that no handler has.
func Unbound() status.Objects {
	return status.Objects{
		Namespace: Namespace,
		Handlers:  []v1.GatiHandler{readyHandler().Obj()},
		Versions: []v1.GatiVersion{
			MakeRecord("orders-v2", "", "").Loose().Obj(),
			MakeRecord("carts-v1", "carts", "v1.0.0").Loose().Obj(),
			MakeRecord("users-main", "users", "v1.0.0").Obj(),
		},
		Deployments: []appsv1.Deployment{Deployment(users, 2, 2)},
	}
}

// NoGatewayAPI is a handler with a route in a cluster that serves no HTTPRoute.
func NoGatewayAPI() status.Objects {
	const message = "spec.route asks for an HTTPRoute, which this cluster does not serve; install the Gateway API or remove spec.route"
	h := MakeHandler("users").Routed().Seen(v1.PhaseFailed, "2/2").
		Condition(v1.ConditionReady, metav1.ConditionFalse, "NotServed", message).
		Condition(v1.ConditionStalled, metav1.ConditionTrue, "NotServed", message).
		Version("v1.0.0", 1, v1.WorkloadMain, 100)
	h.Status.Children = []v1.ChildStatus{{Kind: "HTTPRoute.gateway.networking.k8s.io", Name: "handler-users", Message: "this cluster serves no HTTPRoute"}}
	return status.Objects{Namespace: Namespace, Handlers: []v1.GatiHandler{h.Obj()}, Deployments: []appsv1.Deployment{Deployment(users, 2, 2)}}
}

// Invalid is a handler that was stored while no webhook looked at it.
func Invalid() status.Objects {
	const message = "spec.path: Invalid value: \"/:a/:a\": must not have two parameters of one name; rename one"
	h := MakeHandler("users").Seen(v1.PhaseFailed, "0/0").Health(v1.Invalid).
		Condition(v1.ConditionValid, metav1.ConditionFalse, "Invalid", message).
		Condition(v1.ConditionStalled, metav1.ConditionTrue, "Invalid", message)
	return status.Objects{Namespace: Namespace, Handlers: []v1.GatiHandler{h.Obj()}}
}

// WebhookDown is a handler that serves, with a new spec that was not observed
// since gati-webhook is down.
func WebhookDown() status.Objects {
	objs := Healthy()
	objs.Handlers[0].Generation = 4
	return objs
}

// ModuleDenied is a module with a capability that it does not get.
func ModuleDenied() status.Objects {
	const message = "spec.capabilities[1]: Invalid value: \"network:all\": must be one that Gati has; Linux capabilities cannot be granted"
	objs := Healthy()
	m := &objs.Modules[0]
	m.Spec.Capabilities = []v1.Capability{v1.CapabilityNetwork, "network:all"}
	m.Status.Phase, m.Status.Health, m.Status.Conditions = v1.PhaseFailed, v1.Invalid, []metav1.Condition{
		condition(v1.ConditionReady, metav1.ConditionTrue, "AllReady", "1 of 1 pod is ready"),
		condition(v1.ConditionValid, metav1.ConditionFalse, "Invalid", message),
		condition(v1.ConditionStalled, metav1.ConditionTrue, "Invalid", message),
	}
	return objs
}
