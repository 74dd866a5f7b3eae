package builders

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// templateHash is the hash that the pods of tests have of their template.
const templateHash = "5d8c7bb5f4"

// MakePodOf makes a pod one that a Deployment has made, by its chain of owners.
func MakePodOf(deployment string, p *corev1.Pod) *corev1.Pod {
	metav1.SetMetaDataLabel(&p.ObjectMeta, appsv1.DefaultDeploymentUniqueLabelKey, templateHash)
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: deployment + "-" + templateHash, UID: "replicaset", Controller: new(true)}}
	return p
}
