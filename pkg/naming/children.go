package naming

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// HandlerChild returns the name of a handler's Deployment, front Service and most
// other children.
func HandlerChild(name string) string { return "handler-" + name }

// WorkloadService returns the name of the Service of one workload of a handler.
func WorkloadService(handler, workload string) string { return HandlerChild(handler) + "--" + workload }

// DeploymentName returns the name of the Deployment of one workload of a handler,
// and of its autoscaler and budget. That of main has no suffix, as in the
// documents.
func DeploymentName(handler, workload string) string {
	if workload == "main" {
		return HandlerChild(handler)
	}
	return WorkloadService(handler, workload)
}

// ModuleChild returns the name of a module's children.
func ModuleChild(name string) string { return "module-" + name }

// TransformersName returns the name of the optional ConfigMap with the
// transformers.
func TransformersName(handler string) string { return HandlerChild(handler) + "-transformers" }

// ReplayName returns the name of the ConfigMap with the decisions of a handler's last
// rollout.
func ReplayName(handler string) string { return HandlerChild(handler) + "-replay" }

// RecordName returns the name of a handler's automatic GatiVersion.
func RecordName(handler, version string) string { return handler + "-" + Slug(version, 1) }

// AlternativeRecordName returns the name of a handler's automatic GatiVersion if
// another handler's record has the first: version v1.2 of a and version 2 of a-v1
// both lead to a-v1-2.
func AlternativeRecordName(handler, version string) string {
	return handler + "-" + hashedSlug("", handler+"/"+version, MaxSlug)
}

// maxLabel is the length of a label's value, which the name of a Job becomes.
const maxLabel = 63

// CheckJob returns the name of the Job of a check. key distinguishes the tries of a check.
func CheckJob(handler, check, key string) string {
	prefix, sum := HandlerChild(handler)+"-", sha256.Sum256([]byte(check+"/"+key))
	suffix := "-" + hex.EncodeToString(sum[:4])
	room := max(0, maxLabel-len(prefix)-len(suffix))
	return prefix + strings.TrimRight(check[:min(len(check), room)], "-") + suffix
}

// HashedName returns the name of a child that is derived from its content.
func HashedName(prefix, hash string) string { return prefix + "-" + hash[:8] }

// maxPodNameBase is how much of a ReplicaSet's name Kubernetes keeps in a pod's
// name, before it adds five characters.
const maxPodNameBase = 58

// PodPattern returns a regular expression for the pods that a Deployment has or
// had.
func PodPattern(deployment string) string {
	if base := deployment + "-"; len(base) >= maxPodNameBase {
		return regexp.QuoteMeta(base[:maxPodNameBase]) + "[a-z0-9]+"
	}
	return regexp.QuoteMeta(deployment) + "-[a-z0-9]+(-[a-z0-9]{5})?"
}
