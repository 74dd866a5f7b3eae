package origin

import "testing"

func TestOf(t *testing.T) {
	tests := []struct{ parent, kind, path, want string }{
		{"GatiHandler", "Deployment", "spec.template.spec.containers[0].resources.requests[cpu]", "spec.resources.requests[cpu]"},
		{"GatiHandler", "Deployment", "spec.template.spec.containers[0].resources", "spec.resources"},
		{"GatiHandler", "Deployment", "spec.template.spec.containers[0].image", "spec.image"},
		{"GatiHandler", "Deployment", "spec.template.spec.containers[0].imagePullPolicy", "spec.pod.imagePullPolicy"},
		{"GatiHandler", "Deployment", "spec.template.spec.containers[0].env[3].name", "spec.env.name"},
		{"GatiHandler", "Deployment", "spec.template.spec.containers[0].envFrom[1].configMapRef.name", "spec.envFrom.configMapRef.name"},
		{"GatiHandler", "Deployment", "spec.template.spec.containers[0].ports[0].containerPort", "spec.port"},
		{"GatiHandler", "Deployment", "spec.template.spec.containers[0].livenessProbe.httpGet.path", "spec.healthCheck"},
		{"GatiHandler", "Deployment", "spec.template.spec.containers[0].lifecycle.preStop", "spec.pod"},
		{"GatiHandler", "Deployment", "spec.template.metadata.labels", "spec.pod.labels"},
		{"GatiHandler", "Deployment", "spec.template.metadata.annotations[a.b/c]", "spec.pod.annotations[a.b/c]"},
		{"GatiHandler", "Deployment", "spec.template.spec.serviceAccountName", "spec.pod.serviceAccountName"},
		{"GatiHandler", "Deployment", "spec.template.spec.volumes[4].secret.secretName", "spec.pod.volumes.secret.secretName"},
		{"GatiHandler", "Deployment", "spec.template.spec.hostNetwork", "spec.pod"},
		{"GatiHandler", "Deployment", "spec.replicas", "spec.replicas"},
		{"GatiHandler", "Deployment", "spec.progressDeadlineSeconds", "spec.rollout.progressDeadline"},
		{"GatiHandler", "Deployment", "spec.selector", "spec"},
		{"GatiHandler", "Deployment", "metadata.name", "metadata.name"},
		{"GatiHandler", "Deployment", "", "spec"},
		{"GatiHandler", "Pod", "spec.containers[0].securityContext.runAsUser", "spec.pod.runAsUser"},
		{"GatiHandler", "Pod", "spec.securityContext.fsGroup", "spec.pod.fsGroup"},
		{"GatiHandler", "Pod", "", "spec.pod"},
		{"GatiModule", "Pod", "spec.runtimeClassName", "spec.runtime"},
		{"GatiHandler", "Service", "spec.ports[0].port", "spec.port"},
		{"GatiHandler", "Service", "metadata.name", "metadata.name"},
		{"GatiHandler", "HorizontalPodAutoscaler", "spec.maxReplicas", "spec.autoscaling.maxReplicas"},
		{"GatiHandler", "HorizontalPodAutoscaler", "spec.behavior.scaleUp.policies[0].value", "spec.autoscaling.behavior.scaleUp.policies.value"},
		{"GatiHandler", "HorizontalPodAutoscaler", "spec.metrics[1].resource", "spec.autoscaling"},
		{"GatiHandler", "PodDisruptionBudget", "spec.maxUnavailable", "spec.replicas"},
		{"GatiHandler", "HTTPRoute", "spec.parentRefs[0].name", "spec.route.parentRefs.name"},
		{"GatiHandler", "HTTPRoute", "spec.rules[0].filters[1].type", "spec.route.filters.type"},
		{"GatiHandler", "HTTPRoute", "spec.rules[0].timeouts.request", "spec.route.timeouts.request"},
		{"GatiHandler", "HTTPRoute", "spec.rules[0].matches[0].path.value", "spec.path"},
		{"GatiHandler", "HTTPRoute", "spec.rules[0].matches[0].method", "spec.methods"},
		{"GatiHandler", "HTTPRoute", "", "spec.route"},
		{"GatiModule", "NetworkPolicy", "spec.egress", "spec.capabilities"},
		{"GatiModule", "ConfigMap", "data", "spec.config"},
		{"GatiHandler", "ConfigMap", "data", "spec"},
		{"GatiHandler", "ControllerRevision", "data", "spec"},
		{"GatiHandler", "Something", "spec.new", "spec"},
	}
	for _, tc := range tests {
		if got := ForField(tc.parent, tc.kind, tc.path); got != tc.want {
			t.Errorf("%s of a %s's %s comes from %s, want %s", tc.path, tc.parent, tc.kind, got, tc.want)
		}
	}
}

func TestOfSentence(t *testing.T) {
	tests := []struct{ kind, sentence, want string }{
		{"Pod", `pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true`, "spec.pod"},
		{"Pod", `pods "a" is forbidden: exceeded quota: q, requested: limits.cpu=500m, used: limits.cpu=0, limited: limits.cpu=100m`, "spec.resources"},
		{"Pod", `pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3`, "spec.replicas"},
		{"Pod", `pods "a" is forbidden: failed quota: q: must specify limits.cpu for: handler`, "spec.resources"},
		{"Deployment", `deployments.apps "a" is forbidden: exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=2, limited: count/deployments.apps=2`, "spec"},
		{"Service", `services "a" is forbidden: exceeded quota: q, requested: services=1, used: services=2, limited: services=2`, "spec"},
		{"Pod", `pods "a" is forbidden: maximum cpu usage per Container is 100m, but limit is 500m`, "spec.resources"},
		{"Pod", `pods "a" is forbidden: [minimum memory usage per Container is 1Gi, but request is 128Mi, x]`, "spec.resources"},
		{"Pod", `pods "a" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 5.000000`, "spec.resources"},
		{"Deployment", `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.spec.replicas <= 3`, "spec.replicas"},
		{"Deployment", `denied request: spec.template.spec.containers[0].image has to come from our registry`, "spec.image"},
		{"Deployment", `denied request: not today.`, "spec"},
		{"HTTPRoute", `denied request: not today`, "spec.route"},
	}
	for _, tc := range tests {
		if got := ForMessage("GatiHandler", tc.kind, tc.sentence); got != tc.want {
			t.Errorf("%s: %s\ncomes from %s, want %s", tc.kind, tc.sentence, got, tc.want)
		}
	}
}
