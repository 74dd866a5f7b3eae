package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fillDeployment leaves to the values what operators change of a Deployment.
func (s *slots) fillDeployment(object *unstructured.Unstructured) error {
	values := ".Values." + strings.TrimPrefix(object.GetName(), "gati-")
	spec := object.Object["spec"].(map[string]any)
	template := spec["template"].(map[string]any)
	s.setValue(spec, "replicas", values+".replicas")
	s.addConditional(template["metadata"].(map[string]any)["annotations"].(map[string]any), "gati.dev/config",
		`ne (toYaml .Values.config) "runtime-classes: {}"`,
		"# Pods read their configuration when they start.\ngati.dev/config: {{ toYaml .Values.config | sha256sum | trunc 16 | quote }}")
	s.moreFields(template["metadata"].(map[string]any)["annotations"].(map[string]any), "zz-more", values+".podAnnotations")
	pod := template["spec"].(map[string]any)
	pod["volumes"] = append(pod["volumes"].([]any), s.moreItems(values+".extraVolumes"))
	s.setBlock(pod, "nodeSelector", values+".nodeSelector")
	s.addOptional(pod, "affinity", values+".affinity")
	s.addOptional(pod, "tolerations", values+".tolerations")
	s.addOptional(pod, "imagePullSecrets", ".Values.imagePullSecrets")
	return s.fillContainer(object.GetName(), pod, values)
}

func (s *slots) fillContainer(name string, pod map[string]any, values string) error {
	containers, _, err := unstructured.NestedSlice(pod, "containers")
	if err != nil || len(containers) != 1 {
		return fmt.Errorf("spec.template.spec has %d containers, want %s alone: %w", len(containers), name, err)
	}
	container := containers[0].(map[string]any)
	s.setValue(container, "image", `include "gati.image" .`)
	s.setValue(container, "imagePullPolicy", ".Values.image.pullPolicy")
	s.setBlock(container, "resources", values+".resources")
	env, _ := container["env"].([]any)
	if len(env) != 1 || env[0].(map[string]any)["name"] != "GOMEMLIMIT" {
		return fmt.Errorf("the environment is %v, want GOMEMLIMIT alone", env)
	}
	s.setValue(env[0].(map[string]any), "value", values+".goMemLimit")
	container["env"] = append(env, s.moreItems(values+".env"))
	s.addOptional(container, "envFrom", values+".envFrom")
	container["volumeMounts"] = append(container["volumeMounts"].([]any), s.moreItems(values+".extraVolumeMounts"))
	pod["containers"] = containers
	return nil
}
