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

func (w wish) object() *unstructured.Unstructured {
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
		return object(version, kind, in, "there", "{}")
	}
	o := object(version, kind, in, "wish", w.spec)
	o.SetAnnotations(w.annotations)
	return o
}

// pod is a handler with settings of its pods.
func pod(settings string) string { return "{path: /a, image: 'app:v1', pod: {" + settings + "}}" }

// with is a handler with more fields.
func with(fields string) string { return "{path: /a, image: 'app:v1', " + fields + "}" }

// module is one with more fields.
func module(fields string) string { return "{type: oci, image: 'app:v1', " + fields + "}" }

func wishes() []wish {
	all := append(onTheNode(), inTheNamespace()...)
	return append(all, elsewhere()...)
}

// onTheNode are ways out of the container.
func onTheNode() []wish {
	return []wish{
		{name: "the host's network", spec: pod("hostNetwork: true")},
		{name: "the host's processes", spec: pod("hostPID: true")},
		{name: "the host's IPC", spec: pod("hostIPC: true")},
		{name: "the host's user namespace", spec: pod("hostUsers: true")},
		{name: "a path of the host", spec: pod("volumes: [{name: v, hostPath: {path: /}}]")},
		{name: "a path of the host, beside a safe source", spec: pod("volumes: [{name: v, emptyDir: {}, hostPath: {path: /}}]")},
		{name: "a device", spec: pod("volumeDevices: [{name: v, devicePath: /dev/sda}]")},
		{name: "an NFS volume", spec: pod("volumes: [{name: v, nfs: {server: s, path: /}}]")},
		{name: "a CSI volume", spec: pod("volumes: [{name: v, csi: {driver: secrets-store.csi.k8s.io}}]")},
		{name: "an ephemeral claim", spec: pod("volumes: [{name: v, ephemeral: {volumeClaimTemplate: {}}}]")},
		{name: "a privileged container", spec: pod("securityContext: {privileged: true}")},
		{name: "privilege escalation", spec: pod("allowPrivilegeEscalation: true")},
		{name: "a Linux capability of a handler", spec: pod("capabilities: {add: [SYS_ADMIN]}")},
		{name: "a Linux capability of a module", kind: "GatiModule", spec: module("capabilities: [NET_ADMIN]")},
		{name: "root as the user", spec: pod("runAsUser: 0")},
		{name: "root as the group", spec: pod("runAsGroup: 0")},
		{name: "root as the group of the volumes", spec: pod("fsGroup: 0")},
		{name: "no seccomp", spec: pod("seccompProfile: {type: Unconfined}")},
		{name: "an unmasked /proc", spec: pod("procMount: Unmasked")},
		{name: "a sysctl", spec: pod("sysctls: [{name: kernel.msgmax, value: '1'}]")},
		{name: "a port of the host", spec: pod("hostPort: 80")},
		{name: "a second container", spec: pod("containers: [{name: x, image: x, securityContext: {privileged: true}}]")},
		{name: "an init container", spec: pod("initContainers: [{name: x, image: x, securityContext: {privileged: true}}]")},
		{name: "a node by name", spec: pod("nodeName: control-plane")},
		{name: "another runtime class", spec: pod("runtimeClassName: none")},
		{name: "a whole pod template", spec: with("template: {spec: {hostNetwork: true}}")},
	}
}

// inTheNamespace are things of the namespace that only pods reach.
func inTheNamespace() []wish {
	env := "env: [{name: P, valueFrom: {secretKeyRef: {name: db, key: password}}}]"
	return []wish{
		{name: "a key of a Secret", spec: with(env)},
		{name: "a key of a Secret, optionally", spec: with("env: [{name: P, valueFrom: {secretKeyRef: {name: db, key: password, optional: true}}}]")},
		{name: "a whole Secret", spec: with("envFrom: [{secretRef: {name: db}}]")},
		{name: "a Secret as a volume", spec: pod("volumes: [{name: v, secret: {secretName: db}}]")},
		{name: "a key of a Secret as a volume", spec: pod("volumes: [{name: v, secret: {secretName: db, items: [{key: a, path: a}, {key: b, path: b}]}}]")},
		{name: "a Secret within a projected volume", spec: pod("volumes: [{name: v, projected: {sources: [{configMap: {name: c}}, {secret: {name: db}}, {secret: {name: tls, items: [{key: k, path: k}]}}]}}]")},
		{name: "a Secret to pull with", spec: pod("imagePullSecrets: [{name: registry}]")},
		{name: "a ServiceAccount", spec: pod("serviceAccountName: deployer")},
		{name: "the token of a ServiceAccount", spec: pod("serviceAccountName: deployer, automountServiceAccountToken: true")},
		{name: "the token of the default ServiceAccount", spec: pod("automountServiceAccountToken: true")},
		{name: "a token within a projected volume", spec: pod("volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}]}}]")},
		{name: "a certificate within a projected volume", spec: pod("volumes: [{name: v, projected: {sources: [{podCertificate: {signerName: a.b/c, keyType: ED25519, credentialBundlePath: c}}]}}]")},
		{name: "a key of a ConfigMap", spec: with("env: [{name: P, valueFrom: {configMapKeyRef: {name: c, key: k}}}]")},
		{name: "a whole ConfigMap", spec: with("envFrom: [{configMapRef: {name: c}}]")},
		{name: "a ConfigMap as a volume", spec: pod("volumes: [{name: v, configMap: {name: c}}]")},
		{name: "a ConfigMap within a projected volume", spec: pod("volumes: [{name: v, projected: {sources: [{configMap: {name: c, items: [{key: k, path: k}]}}]}}]")},
		{name: "a ConfigMap as a module's volume", kind: "GatiModule", spec: module("pod: {volumes: [{name: v, configMap: {name: c}}]}")},
		{name: "a claim", spec: pod("volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]")},
		{name: "a key of a Secret for a module", kind: "GatiModule", spec: module(env + ", capabilities: ['secrets:read']")},
		{name: "a Secret as a module's volume", kind: "GatiModule", spec: module("capabilities: ['secrets:read'], pod: {volumes: [{name: v, secret: {secretName: db}}]}")},
		{name: "a ServiceAccount's token for a module", kind: "GatiModule", spec: module("capabilities: ['secrets:read'], pod: {serviceAccountName: deployer}")},
		{name: "a key of a Secret, by merge patch", over: types.MergePatchType, patch: `{"spec":{` + `"env":[{"name":"P","valueFrom":{"secretKeyRef":{"name":"db","key":"password"}}}]}}`},
		{name: "a ServiceAccount, by JSON patch", over: types.JSONPatchType, patch: `[{"op":"add","path":"/spec/pod","value":{"serviceAccountName":"deployer"}}]`},
		{name: "a Secret, through the annotation of v1alpha1", version: "v1alpha1", spec: "{handlerPath: /a, image: 'app:v1'}", annotations: map[string]string{
			"gati.dev/v1-fields": `{"envFrom":[{"secretRef":{"name":"db"}}]}`,
		}},
	}
}

// elsewhere are things beyond the namespace, and routes.
func elsewhere() []wish {
	return []wish{
		{name: "another namespace's Secret in env", spec: with("env: [{name: P, valueFrom: {secretKeyRef: {name: db, namespace: b, key: password}}}]")},
		{name: "another namespace's Secret in envFrom", spec: with("envFrom: [{secretRef: {name: db, namespace: b}}]")},
		{name: "another namespace's Secret as a volume", spec: pod("volumes: [{name: v, secret: {secretName: db, namespace: b}}]")},
		{name: "another namespace's Secret to pull with", spec: pod("imagePullSecrets: [{name: registry, namespace: b}]")},
		{name: "another namespace's Secret by a path", spec: with("envFrom: [{secretRef: {name: b/db}}]")},
		{name: "another namespace's ServiceAccount", spec: pod("serviceAccountName: 'system:serviceaccount:b:deployer'")},
		{name: "a handler in another namespace", in: "b", spec: plain("v1")},
		{name: "a module in gati-webhook's namespace", kind: "GatiModule", in: "gati-system", spec: module("replicas: 1")},
		{name: "a route", spec: with("route: {parentRefs: [{name: public}]}")},
		{name: "a route on another namespace's Gateway", spec: with("route: {parentRefs: [{name: public, namespace: b}]}")},
		{name: "a route with another team's host name", spec: with("route: {parentRefs: [{name: public}], hostnames: [bank.example.com]}")},
		{name: "a route that mirrors to another namespace", spec: with("route: {parentRefs: [{name: public}], filters: [{type: RequestMirror, requestMirror: {backendRef: {name: spy, namespace: b, port: 80}}}]}")},
		{name: "a route, by merge patch", over: types.MergePatchType, patch: `{"spec":{"route":{"parentRefs":[{"name":"public"}]}}}`},
		{name: "a route, through the annotation of v1alpha1", version: "v1alpha1", spec: "{handlerPath: /a, image: 'app:v1'}", annotations: map[string]string{
			"gati.dev/v1-fields": `{"route":{"parentRefs":[{"name":"public"}]}}`,
		}},
		{name: "the host's network, through the annotation of v1alpha1", version: "v1alpha1", spec: "{handlerPath: /a, image: 'app:v1'}", annotations: map[string]string{
			"gati.dev/v1-fields": `{"pod":{"hostNetwork":true}}`,
		}},
		{name: "another handler's pods, by their labels", spec: pod("labels: {gati.dev/handler: there}")},
		{name: "a module's egress, by its name", kind: "GatiModule", spec: module("capabilities: ['network:host']")},
	}
}
