package policy

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// wish is an object that a user tries to get more by than they may have.
type wish struct {
	name string
	kind string // GatiHandler when empty
	in   string // the namespace; that of the team when empty
	// version is that of the API; v1 when empty.
	version     string
	spec        string
	annotations map[string]string
	// over and patch change the handler that is there instead of making one.
	over  types.PatchType
	patch string
}

func (w wish) makeObject() *unstructured.Unstructured {
	kind, in, version := w.kind, w.in, w.version
	if kind == "" {
		kind = "GatiHandler"
	}
	if in == "" {
		in = team
	}
	if version == "" {
		version = "v1"
	}
	if w.over != "" {
		return makeObject(version, kind, in, "there", "{}")
	}
	o := makeObject(version, kind, in, "wish", w.spec)
	o.SetAnnotations(w.annotations)
	return o
}

// specWithPod is a handler with settings of its pods.
func specWithPod(settings string) string {
	return "{path: /a, image: 'app:v1', pod: {" + settings + "}}"
}

// specWith is a handler with more fields.
func specWith(fields string) string { return "{path: /a, image: 'app:v1', " + fields + "}" }

// moduleSpecWith is one with more fields.
func moduleSpecWith(fields string) string { return "{type: oci, image: 'app:v1', " + fields + "}" }

func listWishes() []wish {
	all := append(onTheNode(), inTheNamespace()...)
	return append(all, listWishesElsewhere()...)
}

// onTheNode are ways out of the container.
func onTheNode() []wish {
	return []wish{
		{name: "the host's network", spec: specWithPod("hostNetwork: true")},
		{name: "the host's processes", spec: specWithPod("hostPID: true")},
		{name: "the host's IPC", spec: specWithPod("hostIPC: true")},
		{name: "the host's user namespace", spec: specWithPod("hostUsers: true")},
		{name: "a path of the host", spec: specWithPod("volumes: [{name: v, hostPath: {path: /}}]")},
		{name: "a path of the host, beside a safe source", spec: specWithPod("volumes: [{name: v, emptyDir: {}, hostPath: {path: /}}]")},
		{name: "a device", spec: specWithPod("volumeDevices: [{name: v, devicePath: /dev/sda}]")},
		{name: "an NFS volume", spec: specWithPod("volumes: [{name: v, nfs: {server: s, path: /}}]")},
		{name: "a CSI volume", spec: specWithPod("volumes: [{name: v, csi: {driver: secrets-store.csi.k8s.io}}]")},
		{name: "an ephemeral claim", spec: specWithPod("volumes: [{name: v, ephemeral: {volumeClaimTemplate: {}}}]")},
		{name: "a privileged container", spec: specWithPod("securityContext: {privileged: true}")},
		{name: "privilege escalation", spec: specWithPod("allowPrivilegeEscalation: true")},
		{name: "a Linux capability of a handler", spec: specWithPod("capabilities: {add: [SYS_ADMIN]}")},
		{name: "a Linux capability of a module", kind: "GatiModule", spec: moduleSpecWith("capabilities: [NET_ADMIN]")},
		{name: "root as the user", spec: specWithPod("runAsUser: 0")},
		{name: "root as the group", spec: specWithPod("runAsGroup: 0")},
		{name: "root as the group of the volumes", spec: specWithPod("fsGroup: 0")},
		{name: "no seccomp", spec: specWithPod("seccompProfile: {type: Unconfined}")},
		{name: "an unmasked /proc", spec: specWithPod("procMount: Unmasked")},
		{name: "a sysctl", spec: specWithPod("sysctls: [{name: kernel.msgmax, value: '1'}]")},
		{name: "a port of the host", spec: specWithPod("hostPort: 80")},
		{name: "a second container", spec: specWithPod("containers: [{name: x, image: x, securityContext: {privileged: true}}]")},
		{name: "an init container", spec: specWithPod("initContainers: [{name: x, image: x, securityContext: {privileged: true}}]")},
		{name: "a node by name", spec: specWithPod("nodeName: control-plane")},
		{name: "another runtime class", spec: specWithPod("runtimeClassName: none")},
		{name: "a whole pod template", spec: specWith("template: {spec: {hostNetwork: true}}")},
	}
}

// inTheNamespace are things of the namespace that only pods reach.
func inTheNamespace() []wish {
	env := "env: [{name: P, valueFrom: {secretKeyRef: {name: db, key: password}}}]"
	return []wish{
		{name: "a key of a Secret", spec: specWith(env)},
		{name: "a key of a Secret, optionally", spec: specWith("env: [{name: P, valueFrom: {secretKeyRef: {name: db, key: password, optional: true}}}]")},
		{name: "a whole Secret", spec: specWith("envFrom: [{secretRef: {name: db}}]")},
		{name: "a Secret as a volume", spec: specWithPod("volumes: [{name: v, secret: {secretName: db}}]")},
		{name: "a key of a Secret as a volume", spec: specWithPod("volumes: [{name: v, secret: {secretName: db, items: [{key: a, path: a}, {key: b, path: b}]}}]")},
		{name: "a Secret within a projected volume", spec: specWithPod("volumes: [{name: v, projected: {sources: [{configMap: {name: c}}, {secret: {name: db}}, {secret: {name: tls, items: [{key: k, path: k}]}}]}}]")},
		{name: "a Secret to pull with", spec: specWithPod("imagePullSecrets: [{name: registry}]")},
		{name: "a ServiceAccount", spec: specWithPod("serviceAccountName: deployer")},
		{name: "the token of a ServiceAccount", spec: specWithPod("serviceAccountName: deployer, automountServiceAccountToken: true")},
		{name: "the token of the default ServiceAccount", spec: specWithPod("automountServiceAccountToken: true")},
		{name: "a token within a projected volume", spec: specWithPod("volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}]}}]")},
		{name: "a certificate within a projected volume", spec: specWithPod("volumes: [{name: v, projected: {sources: [{podCertificate: {signerName: a.b/c, keyType: ED25519, credentialBundlePath: c}}]}}]")},
		{name: "a key of a ConfigMap", spec: specWith("env: [{name: P, valueFrom: {configMapKeyRef: {name: c, key: k}}}]")},
		{name: "a whole ConfigMap", spec: specWith("envFrom: [{configMapRef: {name: c}}]")},
		{name: "a ConfigMap as a volume", spec: specWithPod("volumes: [{name: v, configMap: {name: c}}]")},
		{name: "a ConfigMap within a projected volume", spec: specWithPod("volumes: [{name: v, projected: {sources: [{configMap: {name: c, items: [{key: k, path: k}]}}]}}]")},
		{name: "a ConfigMap as a module's volume", kind: "GatiModule", spec: moduleSpecWith("pod: {volumes: [{name: v, configMap: {name: c}}]}")},
		{name: "a claim", spec: specWithPod("volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]")},
		{name: "a key of a Secret for a module", kind: "GatiModule", spec: moduleSpecWith(env + ", capabilities: ['secrets:read']")},
		{name: "a Secret as a module's volume", kind: "GatiModule", spec: moduleSpecWith("capabilities: ['secrets:read'], pod: {volumes: [{name: v, secret: {secretName: db}}]}")},
		{name: "a ServiceAccount's token for a module", kind: "GatiModule", spec: moduleSpecWith("capabilities: ['secrets:read'], pod: {serviceAccountName: deployer}")},
		{name: "a key of a Secret, by merge patch", over: types.MergePatchType, patch: `{"spec":{` + `"env":[{"name":"P","valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}]}}`},
		{name: "a ServiceAccount, by JSON patch", over: types.JSONPatchType, patch: `[{"op":"add","path":"/spec/pod","value":{"serviceAccountName":"deployer"}}]`},
		{name: "a Secret, through the annotation of v1alpha1", version: "v1alpha1", spec: "{handlerPath: /a, image: 'app:v1'}", annotations: map[string]string{
			"gati.dev/v1-fields": `{"envFrom":[{"secretRef":{"name":"db"}}]}`,
		}},
	}
}

// listWishesElsewhere returns things beyond the namespace, and routes.
func listWishesElsewhere() []wish {
	return []wish{
		{name: "another namespace's Secret in env", spec: specWith("env: [{name: P, valueFrom: {secretKeyRef: {name: db, namespace: b, key: password}}}]")},
		{name: "another namespace's Secret in envFrom", spec: specWith("envFrom: [{secretRef: {name: db, namespace: b}}]")},
		{name: "another namespace's Secret as a volume", spec: specWithPod("volumes: [{name: v, secret: {secretName: db, namespace: b}}]")},
		{name: "another namespace's Secret to pull with", spec: specWithPod("imagePullSecrets: [{name: registry, namespace: b}]")},
		{name: "another namespace's Secret by a path", spec: specWith("envFrom: [{secretRef: {name: b/db}}]")},
		{name: "another namespace's ServiceAccount", spec: specWithPod("serviceAccountName: 'system:serviceaccount:b:deployer'")},
		{name: "a handler in another namespace", in: "b", spec: plainSpec("v1")},
		{name: "a module in gati-webhook's namespace", kind: "GatiModule", in: "gati-system", spec: moduleSpecWith("replicas: 1")},
		{name: "a route", spec: specWith("route: {parentRefs: [{name: public}]}")},
		{name: "a route on another namespace's Gateway", spec: specWith("route: {parentRefs: [{name: public, namespace: b}]}")},
		{name: "a route with another team's host name", spec: specWith("route: {parentRefs: [{name: public}], hostnames: [bank.example.com]}")},
		{name: "a route that mirrors to another namespace", spec: specWith("route: {parentRefs: [{name: public}], filters: [{type: RequestMirror, requestMirror: {backendRef: {name: spy, namespace: b, port: 80}}}]}")},
		{name: "a route, by merge patch", over: types.MergePatchType, patch: `{"spec":{"route":{"parentRefs":[{"name":"public"}]}}}`},
		{name: "a route, through the annotation of v1alpha1", version: "v1alpha1", spec: "{handlerPath: /a, image: 'app:v1'}", annotations: map[string]string{
			"gati.dev/v1-fields": `{"route":{"parentRefs":[{"name":"public"}]}}`,
		}},
		{name: "the host's network, through the annotation of v1alpha1", version: "v1alpha1", spec: "{handlerPath: /a, image: 'app:v1'}", annotations: map[string]string{
			"gati.dev/v1-fields": `{"pod":{"hostNetwork":true}}`,
		}},
		{name: "another handler's pods, by their labels", spec: specWithPod("labels: {gati.dev/handler: there}")},
		{name: "a module's egress, by its name", kind: "GatiModule", spec: moduleSpecWith("capabilities: ['network:host']")},
	}
}
