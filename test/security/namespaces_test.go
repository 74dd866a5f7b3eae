package security

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/builders"
)

// No object of Gati is taken in a namespace of Kubernetes itself, whoever creates it.
func TestNoHandlerInNamespacesOfKubernetes(t *testing.T) {
	const ns = "kube-system"
	for kind, object := range map[string]client.Object{
		"handler": builders.MakeHandler("a").Namespace(ns).Image("a:v1").Obj(),
		"module":  builders.MakeModule("a").Namespace(ns).ModuleName("a").Runtime("node:20").Image("a:v1").Obj(),
		"version": builders.MakeVersion("a").Namespace(ns).Handler("a").Version("v1").Obj(),
	} {
		logAttempt(t, "a %s in kube-system, as an administrator", kind)
		err := admin.Create(t.Context(), object)
		if err == nil || !strings.Contains(err.Error(), "metadata.namespace: kube-system is a namespace of Kubernetes itself") {
			t.Errorf("got %v, want a refusal that names the namespace", err)
			continue
		}
		logDefence(t, "%v", err)
	}
}
