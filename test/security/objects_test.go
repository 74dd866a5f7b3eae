package security

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/internal/testing/builders"
)

// attempt is one object that a user tries to get more by than they may have.
type attempt struct {
	name string
	// object is a manifest; with a patch it names what is patched.
	object string
	patch  string
	kind   types.PatchType
	// status is true where the patch is of the status.
	status bool
	// want is a part of the refusal.
	want string
}

// TestFortyObjects tries forty objects on a server-side dry run. Each is refused: nothing is
// read or run in another namespace, nothing is privileged, no account is used that the user
// may not use.
func TestFortyObjects(t *testing.T) {
	const ns, elsewhere = "objects", "objects-of-others"
	attacker := makeTenant(t, ns)
	env.Namespace(t, elsewhere)
	thief := makeDeployer(t, ns)
	mustCreate(t, attacker, builders.MakeHandler("there").Namespace(ns).Image("app:v1.0.0").Obj())
	uid := string(readHandler(t, ns, "there").UID)
	awaitTemplate(t, ns, "there", "app:v1.0.0")
	ours := revisionOf(t, ns, "there").Name

	tries := 0
	for who, c := range map[string]client.Client{"tenant": attacker, "deployer": thief} {
		list := ofTenant()
		if who == "deployer" {
			list = ofDeployer(uid, ours)
		}
		for _, a := range list {
			tries++
			t.Run(a.name, func(t *testing.T) {
				logAttempt(t, "as a %s: %s", who, a.name)
				err := a.tryWrite(t, c, ns)
				if err == nil || !strings.Contains(err.Error(), a.want) {
					t.Fatalf("it was not refused with %q: %v", a.want, err)
				}
				logDefence(t, "%.160s", strings.ReplaceAll(err.Error(), "\n", " "))
			})
		}
	}
	if tries != 40 {
		t.Errorf("%d objects", tries)
	}
}

// tryWrite writes the object, in the namespace unless it names another.
func (a attempt) tryWrite(t *testing.T, c client.Client, ns string) error {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(a.object), &o.Object); err != nil {
		t.Fatalf("%v in\n%s", err, a.object)
	}
	if o.GetNamespace() == "" {
		o.SetNamespace(ns)
	}
	switch {
	case a.status:
		return c.Status().Patch(t.Context(), o, client.RawPatch(a.kind, []byte(a.patch)), client.DryRunAll)
	case a.patch == "":
		return c.Create(t.Context(), o, client.DryRunAll, client.FieldValidation("Strict"))
	case a.kind == types.ApplyPatchType:
		return c.Patch(t.Context(), o, client.RawPatch(a.kind, []byte(a.patch)), client.DryRunAll, client.FieldOwner("thief"), client.ForceOwnership)
	default:
		return c.Patch(t.Context(), o, client.RawPatch(a.kind, []byte(a.patch)), client.DryRunAll)
	}
}

// handlerWith returns a handler with more fields of its spec.
func handlerWith(spec string) string {
	return "{apiVersion: gati.dev/v1, kind: GatiHandler, metadata: {name: wish}, spec: {path: /wish, image: 'app:v1', " + spec + "}}"
}

func moduleWith(spec string) string {
	return "{apiVersion: gati.dev/v1, kind: GatiModule, metadata: {name: wish}, spec: {type: oci, image: 'app:v1', " + spec + "}}"
}

func recordWith(spec string) string {
	return "{apiVersion: gati.dev/v1, kind: GatiVersion, metadata: {name: wish-v9}, spec: {" + spec + "}}"
}

// annotatedHandler is a handler of an API with annotations.
func annotatedHandler(version, path, annotations string) string {
	return "{apiVersion: gati.dev/" + version + ", kind: GatiHandler, metadata: {name: wish, annotations: {" + annotations + "}}, spec: {" + path + ": /wish, image: 'app:v1'}}"
}

const thereIs = "{apiVersion: gati.dev/v1, kind: GatiHandler, metadata: {name: there}}"

// ofTenant are tries of a user with gati-edit, and without the right to create pods.
func ofTenant() []attempt {
	const pods, mount, reserved = "can be reached by whoever may create pods", "belongs to the controller", "belong to the controller"
	return []attempt{
		{name: "a handler in kube-system", object: "{apiVersion: gati.dev/v1, kind: GatiHandler, metadata: {name: wish, namespace: kube-system}, spec: {path: /wish, image: 'app:v1'}}", want: "cannot create resource"},
		{name: "a module beside gati-webhook", object: "{apiVersion: gati.dev/v1, kind: GatiModule, metadata: {name: wish, namespace: gati-system}, spec: {type: oci, image: 'app:v1'}}", want: "cannot create resource"},
		{name: "a handler whose children have the names of another's version", object: "{apiVersion: gati.dev/v1, kind: GatiHandler, metadata: {name: there--main}, spec: {path: /wish, image: 'app:v1'}}", want: "metadata.name"},
		{name: "a mount over the transformers", object: handlerWith("pod: {volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: v, mountPath: /etc/gati/transformers}]}"), want: mount},
		{name: "a mount over the transformers by another path", object: handlerWith("pod: {volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: v, mountPath: /usr/../etc/gati/transformers}]}"), want: mount},
		{name: "a mount of the root", object: handlerWith("pod: {volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: v, mountPath: /.}]}"), want: "must not be the root directory"},
		{name: "a path out of its volume", object: handlerWith("pod: {volumes: [{name: v, emptyDir: {}}], volumeMounts: [{name: v, mountPath: /v, subPath: a/../../..}]}"), want: "must be a relative path without .."},
		{name: "a volume with the name of ours", object: handlerWith("pod: {volumes: [{name: gati-transformers, emptyDir: {}}]}"), want: reserved},
		{name: "pods with a module's label", object: handlerWith("pod: {labels: {gati.dev/module: db}}"), want: reserved},
		{name: "pods that Services of Gati select", object: handlerWith("pod: {labels: {app.kubernetes.io/managed-by: gati}}"), want: reserved},
		{name: "pods with the annotation of another version", object: handlerWith("pod: {annotations: {gati.dev/version: v9}}"), want: reserved},
		{name: "a token for another audience", object: handlerWith("pod: {volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t, audience: vault}}]}}]}"), want: pods},
		{name: "a certificate of the pod", object: handlerWith("pod: {volumes: [{name: v, projected: {sources: [{podCertificate: {signerName: a.b/c, keyType: ED25519, credentialBundlePath: c}}]}}]}"), want: pods},
		{name: "a certificate behind a bundle of trust", object: handlerWith("pod: {volumes: [{name: v, projected: {sources: [{clusterTrustBundle: {signerName: a.b/c, path: ca}}, {podCertificate: {signerName: a.b/c, keyType: ED25519, credentialBundlePath: c}}]}}]}"), want: pods},
		{name: "a ConfigMap by envFrom", object: handlerWith("envFrom: [{configMapRef: {name: kube-root-ca.crt}}]"), want: pods},
		{name: "the ConfigMap of another handler", object: handlerWith("pod: {volumes: [{name: v, configMap: {name: handler-there-transformers}}]}"), want: pods},
		{name: "an optional Secret", object: handlerWith("envFrom: [{secretRef: {name: db, optional: true}}]"), want: pods},
		{name: "a Secret to pull a module's image with", object: moduleWith("pod: {imagePullSecrets: [{name: registry}]}"), want: pods},
		{name: "an account by v1alpha1's annotation", object: annotatedHandler("v1alpha1", "handlerPath", `gati.dev/v1-fields: '{"pod":{"serviceAccountName":"admin"}}'`), want: pods},
		{name: "a file that another container writes", object: handlerWith("env: [{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: a, key: k}}}]"), want: "not every Kubernetes that Gati runs on has it"},
		{name: "another user's request", object: thereIs, kind: types.MergePatchType, patch: `{"metadata":{"annotations":{"gati.dev/request":"restart/3f8e2a52-5b0c-4f57-9d0e-6f4b8f1f7c11","gati.dev/requested-by":"admin"}}}`, want: "must be your own name"},
		{name: "a request with a new handler", object: annotatedHandler("v1", "path", "gati.dev/request: restart/3f8e2a52-5b0c-4f57-9d0e-6f4b8f1f7c11, gati.dev/requested-by: tenant-of-objects"), want: "cannot come with a new handler"},
		{name: "an override without the verb", object: annotatedHandler("v1", "path", "gati.dev/allow-breaking: v1/tenant-of-objects"), want: "needs the verb override"},
		{name: "a record of a handler elsewhere", object: recordWith("handler: objects-of-others/there, version: v9"), want: "spec.handler"},
		{name: "the status of a handler", object: thereIs, status: true, kind: types.MergePatchType, patch: `{"status":{"serving":"v9"}}`, want: "cannot patch resource"},
		{name: "a workload of the handler's name", object: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: handler-there}, spec: {}}", want: "cannot create resource"},
		{name: "a query of another namespace's metrics", object: handlerWith("rollout: {strategy: Canary, analysis: {metrics: [{query: {name: q, promQL: 'sum(up{namespace=\"objects-of-others\"})', max: '1'}}]}}"), want: "spec.rollout.analysis"},
		{name: "an unknown capability of a module", object: moduleWith("capabilities: ['secrets:*']"), want: "must be one of"},
	}
}

// ofDeployer are tries of a user who may write apps/*.
func ofDeployer(uid, ours string) []attempt {
	const only, cannot = "is written by Gati alone", "cannot create resource"
	frozen := func(meta, owner string) string {
		return "{apiVersion: apps/v1, kind: ControllerRevision, metadata: {" + meta + ", labels: {gati.dev/handler: there, app.kubernetes.io/managed-by: gati}, ownerReferences: [" + owner + "]}, revision: 1, data: {template: {spec: {hostPID: true}}}}"
	}
	owner := func(api, kind string) string {
		return "{apiVersion: " + api + ", kind: " + kind + ", name: there, uid: " + uid + ", controller: true}"
	}
	stored := "{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: " + ours + "}}"
	return []attempt{
		{name: "a revision of a handler", object: frozen("name: wish", owner("gati.dev/v1", "GatiHandler")), want: only},
		{name: "a revision of a handler of v1alpha1", object: frozen("name: wish", owner("gati.dev/v1alpha1", "GatiHandler")), want: only},
		{name: "a revision of a module", object: frozen("name: wish", owner("gati.dev/v1", "GatiModule")), want: only},
		{name: "a revision with a name of the API server's choice", object: frozen("generateName: handler-there-", owner("gati.dev/v1", "GatiHandler")), want: only},
		{name: "a revision with two owners, ours not in control", object: frozen("name: wish", "{apiVersion: v1, kind: ConfigMap, name: c, uid: c, controller: true}, {apiVersion: gati.dev/v1, kind: GatiHandler, name: there, uid: "+uid+"}"), want: only},
		{name: "a revision elsewhere", object: frozen("name: wish, namespace: objects-of-others", owner("gati.dev/v1", "GatiHandler")), want: cannot},
		{name: "a revision by server-side apply", object: "{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: wish}}", kind: types.ApplyPatchType, patch: frozen("name: wish", owner("gati.dev/v1", "GatiHandler")), want: only},
		{name: "the labels of ours", object: stored, kind: types.MergePatchType, patch: `{"metadata":{"labels":{"gati.dev/inputs":"0"}}}`, want: only},
		{name: "the schema of ours", object: stored, kind: types.JSONPatchType, patch: `[{"op":"add","path":"/metadata/annotations","value":{"gati.dev/schema":"{}"}}]`, want: only},
		{name: "the owner of ours", object: stored, kind: types.JSONPatchType, patch: `[{"op":"replace","path":"/metadata/ownerReferences/0/name","value":"other"}]`, want: only},
		{name: "the order of ours", object: stored, kind: types.MergePatchType, patch: `{"revision":9000}`, want: only},
		{name: "a handler", object: handlerWith("replicas: 1"), want: cannot},
	}
}
