package main

import "regexp"

// labelsOf are named as by Prometheus's kubernetes_sd_configs.
func labelsOf(p pod) map[string]string {
	const prefix = "__meta_kubernetes_"
	all := map[string]string{
		prefix + "namespace":     p.Metadata.Namespace,
		prefix + "pod_name":      p.Metadata.Name,
		prefix + "pod_ip":        p.Status.PodIP,
		prefix + "pod_phase":     p.Status.Phase,
		prefix + "pod_node_name": p.Spec.NodeName,
	}
	for key, value := range p.Metadata.Labels {
		all[prefix+"pod_label_"+sanitizeKey(key)] = value
	}
	for key, value := range p.Metadata.Annotations {
		if len(value) < annotationLimit {
			all[prefix+"pod_annotation_"+sanitizeKey(key)] = value
		}
	}
	return all
}

// annotationLimit leaves out annotations that are no settings, such as a copy of
// the whole object.
const annotationLimit = 256

var odd = regexp.MustCompile(`[^a-zA-Z0-9_]`)

func sanitizeKey(key string) string { return odd.ReplaceAllString(key, "_") }
