package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fillFields replaces the fields of a document that values.yaml has.
func (s *slots) fillFields(d document) error {
	if d.condition == "" {
		s.fillInjection(d.object)
	}
	if d.condition == monitoring && d.object.GetName() != "gati-webhook" {
		return nil // Of monitoring, only what reads gati-webhook depends on values.
	}
	switch d.object.GetKind() {
	case "Namespace":
		metadataOf(d.object)["annotations"] = map[string]any{"helm.sh/resource-policy": "keep"}
		return nil
	case crdKind:
		s.addConditional(annotationsOf(d.object), "helm.sh/resource-policy", ".Values.crds.keep", "helm.sh/resource-policy: keep")
		return nil
	case "ConfigMap":
		return s.fillConfig(d.object)
	case "Deployment":
		return s.fillDeployment(d.object)
	case "NetworkPolicy":
		return s.fillNetworkPolicy(d.object)
	case "PodMonitor":
		return s.fillPodMonitor(d.object)
	}
	return nil
}

func metadataOf(object *unstructured.Unstructured) map[string]any {
	return object.Object["metadata"].(map[string]any)
}

func annotationsOf(object *unstructured.Unstructured) map[string]any {
	annotations, _ := metadataOf(object)["annotations"].(map[string]any)
	return annotations
}

// fillInjection leaves cert-manager's annotation to the values.
func (s *slots) fillInjection(object *unstructured.Unstructured) {
	annotations := annotationsOf(object)
	from, found := annotations[injectCA].(string)
	if !found {
		return
	}
	line := injectCA + ": " + from
	if len(annotations) == 1 {
		s.addConditional(metadataOf(object), "annotations", certManager, "annotations:\n  "+line)
		return
	}
	s.addConditional(annotations, injectCA, certManager, line)
}

// fillConfig leaves the operator's configuration to the values, below its comment.
func (s *slots) fillConfig(object *unstructured.Unstructured) error {
	data, _ := object.Object["data"].(map[string]any)
	text, found := data["config.yaml"].(string)
	if !found {
		return fmt.Errorf("data has no config.yaml")
	}
	var comment strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			comment.WriteString("  " + line)
		}
	}
	data["config.yaml"] = s.addPlaceholder("config.yaml: |\n" + comment.String() + "  {{- toYaml .Values.config | nindent INDENT }}")
	return nil
}

// fillNetworkPolicy narrows the port of the hooks, as overlays/webhook-peers does.
func (s *slots) fillNetworkPolicy(object *unstructured.Unstructured) error {
	rules, _, err := unstructured.NestedSlice(object.Object, "spec", "ingress")
	if err != nil || len(rules) == 0 {
		return fmt.Errorf("spec.ingress has no rule for the port of the hooks: %w", err)
	}
	s.addConditional(rules[0].(map[string]any), "z-from", ".Values.networkPolicy.apiServers",
		"from:\n{{- range .Values.networkPolicy.apiServers }}\n- ipBlock:\n    cidr: {{ . }}\n{{- end }}")
	return unstructured.SetNestedSlice(object.Object, rules, "spec", "ingress")
}

// fillPodMonitor names the CA that serves the metrics.
func (s *slots) fillPodMonitor(object *unstructured.Unstructured) error {
	endpoints, _, err := unstructured.NestedSlice(object.Object, "spec", "podMetricsEndpoints")
	if err != nil || len(endpoints) != 1 {
		return fmt.Errorf("spec.podMetricsEndpoints has %d entries, want one: %w", len(endpoints), err)
	}
	secret, found, err := unstructured.NestedMap(endpoints[0].(map[string]any), "tlsConfig", "ca", "secret")
	if err != nil || !found {
		return fmt.Errorf("spec.podMetricsEndpoints[0] has no tlsConfig.ca.secret: %w", err)
	}
	for field, managed := range map[string]string{"name": "gati-webhook-tls", "key": "ca.crt"} {
		s.setValue(secret, field, fmt.Sprintf("ternary %q %q %s", managed, secret[field], certManager))
	}
	if err := unstructured.SetNestedMap(endpoints[0].(map[string]any), secret, "tlsConfig", "ca", "secret"); err != nil {
		return err
	}
	return unstructured.SetNestedSlice(object.Object, endpoints, "spec", "podMetricsEndpoints")
}
