package expand_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/pkg/expand"
)

// forge returns the stored form of a revision after a change of its content.
func forge(t *testing.T, o client.Object, change func(*expand.Revision)) *appsv1.ControllerRevision {
	t.Helper()
	r := cut(t, o)
	cr := revisionObject(t, o, r)
	change(&r)
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	cr.Data.Raw = raw
	return cr
}

// main returns the container of a revision.
func main(r *expand.Revision) *corev1.Container { return &r.Template.Spec.Containers[0] }

func addVolume(v corev1.VolumeSource) func(*expand.Revision) {
	return func(r *expand.Revision) {
		r.Template.Spec.Volumes = append(r.Template.Spec.Volumes, corev1.Volume{Name: "more", VolumeSource: v})
	}
}

// addInit adds a sidecar, changed.
func addInit(change func(*corev1.Container)) func(*expand.Revision) {
	return func(r *expand.Revision) {
		always, c := corev1.ContainerRestartPolicyAlways, main(r).DeepCopy()
		c.Name, c.RestartPolicy = "proxy", &always
		change(c)
		r.Template.Spec.InitContainers = []corev1.Container{*c}
	}
}

// TestForgedRevisions holds that a revision whose parts contradict each other, or whose
// template is outside of the allow-list, is refused with the reason.
func TestForgedRevisions(t *testing.T) {
	h := client.Object(builders.MakeHandler("users").UID("u").Image("users:v1").Obj())
	m := client.Object(builders.MakeModule("db").UID("u").Type(v1.ModuleNode).Image("db:v1").Obj())
	for name, tc := range map[string]struct {
		owner  client.Object
		change func(*expand.Revision)
		want   string
	}{
		"the host's processes":     {h, func(r *expand.Revision) { r.Template.Spec.HostPID = true }, "template.spec.hostPID is not allowed"},
		"the host's network":       {h, func(r *expand.Revision) { r.Template.Spec.HostNetwork = true }, "template.spec.hostNetwork is not allowed"},
		"a node":                   {h, func(r *expand.Revision) { r.Template.Spec.NodeName = "n" }, "template.spec.nodeName is not allowed"},
		"a runtime class":          {h, func(r *expand.Revision) { r.Template.Spec.RuntimeClassName = ptr("x") }, "template.spec.runtimeClassName is not allowed"},
		"privileged":               {h, func(r *expand.Revision) { main(r).SecurityContext.Privileged = ptr(true) }, "template.spec.containers[0].securityContext.privileged is not allowed"},
		"an added capability":      {m, func(r *expand.Revision) { main(r).SecurityContext.Capabilities.Add = []corev1.Capability{"NET_ADMIN"} }, "securityContext.capabilities.add is not allowed"},
		"no dropped capability":    {m, func(r *expand.Revision) { main(r).SecurityContext.Capabilities.Drop = nil }, "capabilities.drop must have ALL"},
		"escalation":               {h, func(r *expand.Revision) { *main(r).SecurityContext.AllowPrivilegeEscalation = true }, "allowPrivilegeEscalation must be false"},
		"no security of container": {h, func(r *expand.Revision) { main(r).SecurityContext = nil }, "allowPrivilegeEscalation must be false"},
		"no security of pod":       {h, func(r *expand.Revision) { r.Template.Spec.SecurityContext = nil }, "runAsNonRoot must be true"},
		"root":                     {h, func(r *expand.Revision) { *r.Template.Spec.SecurityContext.RunAsUser = 0 }, "must not have a root user or group"},
		"no seccomp":               {h, func(r *expand.Revision) { r.Template.Spec.SecurityContext.SeccompProfile.Type = "Unconfined" }, "seccompProfile must be RuntimeDefault"},
		"a sysctl":                 {h, func(r *expand.Revision) { r.Template.Spec.SecurityContext.Sysctls = []corev1.Sysctl{{Name: "a"}} }, "securityContext.sysctls is not allowed"},
		"a path of the host":       {h, addVolume(corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}), "template.spec.volumes[3].hostPath is not allowed"},
		"a CSI volume":             {m, addVolume(corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{Driver: "d"}}), "csi is not allowed"},
		"an own volume of a Secret": {h, func(r *expand.Revision) {
			r.Template.Spec.Volumes[0] = corev1.Volume{Name: "gati-tmp", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "db"}}}
		}, "template.spec.volumes[0].secret is not allowed"},
		"a second container":                 {h, func(r *expand.Revision) { r.Template.Spec.Containers = append(r.Template.Spec.Containers, *main(r)) }, "containers must have one entry, not 2"},
		"no container":                       {m, func(r *expand.Revision) { r.Template.Spec.Containers = nil }, "containers must have one entry, not 0"},
		"a privileged init container":        {h, addInit(func(c *corev1.Container) { c.SecurityContext.Privileged = ptr(true) }), "template.spec.initContainers[0].securityContext.privileged is not allowed"},
		"an init container that may be root": {h, addInit(func(c *corev1.Container) { c.SecurityContext = nil }), "template.spec.initContainers[0].securityContext.allowPrivilegeEscalation must be false"},
		"a capability of a sidecar":          {m, addInit(func(c *corev1.Container) { c.SecurityContext.Capabilities.Drop = nil }), "template.spec.initContainers[0].securityContext.capabilities.drop must have ALL"},
		"a port of the host for a sidecar":   {h, addInit(func(c *corev1.Container) { c.Ports[0].HostPort = 80 }), "initContainers[0].ports[0].hostPort is not allowed"},
		"a sidecar that is never restarted":  {h, addInit(func(c *corev1.Container) { *c.RestartPolicy = corev1.ContainerRestartPolicyNever }), "initContainers[0].restartPolicy is not allowed"},
		"a command of the own probe": {h, func(r *expand.Revision) {
			main(r).LivenessProbe.ProbeHandler = corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"sh"}}}
		}, "livenessProbe.exec is not allowed"},
		"a port of the host":      {h, func(r *expand.Revision) { main(r).Ports[0].HostPort = 80 }, "ports[0].hostPort is not allowed"},
		"a probe of another host": {h, func(r *expand.Revision) { main(r).LivenessProbe.HTTPGet.Host = "169.254.169.254" }, "livenessProbe.httpGet.host is not allowed"},
		"a hook to another host": {h, func(r *expand.Revision) {
			main(r).Lifecycle.PreStop = &corev1.LifecycleHandler{HTTPGet: &corev1.HTTPGetAction{Host: "a", Port: intstr.FromInt32(1)}}
		}, "lifecycle.preStop.httpGet is not allowed"},
		"no labels":               {h, func(r *expand.Revision) { r.Template.Labels = nil }, "template.metadata.labels[app.kubernetes.io/instance]"},
		"another handler's label": {h, func(r *expand.Revision) { r.Template.Labels[v1.LabelHandler] = "victim" }, `labels[gati.dev/handler] must be "users", not "victim"`},
		"a module's label":        {h, func(r *expand.Revision) { r.Template.Labels[v1.LabelModule] = "db" }, `labels[gati.dev/module] must be "", not "db"`},
		"another version's label": {h, func(r *expand.Revision) { r.Template.Annotations[v1.AnnotationVersion] = "v9" }, "annotations[gati.dev/version]"},
		"an owner of the pods":    {m, func(r *expand.Revision) { r.Template.Finalizers = []string{"a.b/c"} }, "template.metadata must have labels and annotations alone"},
		"other inputs":            {h, func(r *expand.Revision) { r.Inputs = "0123456789abcdef" }, "its name is not that of its inputs"},
		"no inputs":               {h, func(r *expand.Revision) { r.Inputs = "" }, "its name is not that of its inputs"},
		"the label's inputs":      {h, func(r *expand.Revision) { r.Inputs += "00" }, "its label gati.dev/inputs is not the hash of its inputs"},
		"another image":           {h, func(r *expand.Revision) { main(r).Image = "evil" }, "its template runs the image evil, and it was cut for users:v1"},
		"another config":          {h, func(r *expand.Revision) { r.Config["NODE_OPTIONS"] = "--require=/x" }, "its configName"},
		"the config of another":   {h, func(r *expand.Revision) { main(r).EnvFrom[0].ConfigMapRef.Name = "other" }, "does not read the ConfigMap"},
		"no version":              {h, func(r *expand.Revision) { r.Version = "" }, "its number or version is missing"},
		"a module's version":      {m, func(r *expand.Revision) { r.Version = "v1" }, "its number or version is missing"},
		"nothing":                 {m, func(r *expand.Revision) { *r = expand.Revision{} }, "its name is not that of its inputs"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := expand.ReadRevision(forge(t, tc.owner, tc.change), tc.owner)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "delete it so that the controller writes it again") {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// allowed are the fields that a template may have, by the type that has them.
var allowed = map[reflect.Type]string{
	reflect.TypeFor[corev1.PodSpec](): "Volumes Containers InitContainers TerminationGracePeriodSeconds NodeSelector ServiceAccountName AutomountServiceAccountToken " +
		"SecurityContext ImagePullSecrets Affinity SchedulerName Tolerations PriorityClassName TopologySpreadConstraints EnableServiceLinks",
	reflect.TypeFor[corev1.Container](): "Name Image Command Args Ports EnvFrom Env Resources VolumeMounts LivenessProbe ReadinessProbe StartupProbe " +
		"Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext",
	reflect.TypeFor[corev1.PodSecurityContext](): "RunAsUser RunAsGroup RunAsNonRoot FSGroup FSGroupChangePolicy SeccompProfile",
	reflect.TypeFor[corev1.SecurityContext]():    "Capabilities ReadOnlyRootFilesystem AllowPrivilegeEscalation",
	reflect.TypeFor[corev1.VolumeSource]():       "EmptyDir Secret PersistentVolumeClaim DownwardAPI ConfigMap Projected",
}

// TestEachOtherFieldIsRefused sets every field of the types above that is not listed. A
// field that Kubernetes adds is refused until it is listed.
func TestEachOtherFieldIsRefused(t *testing.T) {
	h := builders.MakeHandler("users").UID("u").Image("users:v1").Obj()
	places := map[reflect.Type]func(*expand.Revision) any{
		reflect.TypeFor[corev1.PodSpec]():            func(r *expand.Revision) any { return &r.Template.Spec },
		reflect.TypeFor[corev1.Container]():          func(r *expand.Revision) any { return main(r) },
		reflect.TypeFor[corev1.PodSecurityContext](): func(r *expand.Revision) any { return r.Template.Spec.SecurityContext },
		reflect.TypeFor[corev1.SecurityContext]():    func(r *expand.Revision) any { return main(r).SecurityContext },
		reflect.TypeFor[corev1.VolumeSource]():       func(r *expand.Revision) any { return &r.Template.Spec.Volumes[0].VolumeSource },
	}
	tried := 0
	for typ, place := range places {
		for i := range typ.NumField() {
			if slices.Contains(strings.Fields(allowed[typ]), typ.Field(i).Name) {
				continue
			}
			tried++
			cr := forge(t, h, func(r *expand.Revision) {
				r.Template.Spec.Volumes[0].Name = "own"
				fill(reflect.ValueOf(place(r)).Elem().Field(i))
			})
			if _, err := expand.ReadRevision(cr, h); err == nil || !strings.Contains(err.Error(), "is not allowed") {
				t.Errorf("%s.%s: error %v", typ, typ.Field(i).Name, err)
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d fields tried; that proves nothing", tried)
	}
}

// fill sets a value to something that JSON shows.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.SetString("cpu")
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(7)
	}
}

// TestTemplateWithoutLabels holds that a plan of any revision panics never: others may
// have stored it.
func TestTemplateWithoutLabels(t *testing.T) {
	h := builders.MakeHandler("users").UID("u").Image("users:v1").Obj()
	r := cut(t, h)
	r.Template.Labels = nil
	d := find[*appsv1.Deployment](t, planOf(t, h, r))
	if got := d.Spec.Template.Labels[v1.LabelWorkload]; got != v1.WorkloadMain {
		t.Errorf("label %q", got)
	}
	if expand.CheckInputs(expand.Revision{}, r, h) == nil {
		t.Error("a revision without a container has the template of the spec")
	}
}

// TestCheckInputs holds which templates are not those of a spec, and that values which a
// release derives are not compared.
func TestCheckInputs(t *testing.T) {
	h := builders.MakeHandler("users").UID("u").Image("users:v1").Pod(v1.PodSettings{ServiceAccountName: "users", Command: []string{"node"}}).Env("A", "1").Obj()
	for name, tc := range map[string]struct {
		change func(*expand.Revision)
		want   string
	}{
		"as it was cut": {func(*expand.Revision) {}, ""},
		"as another release derives it": {func(r *expand.Revision) {
			main(r).Env = append(main(r).Env, corev1.EnvVar{Name: "EARLIER", Value: "1"})
			*r.Template.Spec.TerminationGracePeriodSeconds, *r.Template.Spec.SecurityContext.RunAsUser = 17, 1002
		}, ""},
		"another image":   {func(r *expand.Revision) { main(r).Image = "evil" }, "it runs the image evil, and the spec has users:v1"},
		"another command": {func(r *expand.Revision) { main(r).Command = []string{"sh"} }, "the spec has another command"},
		"more arguments":  {func(r *expand.Revision) { main(r).Args = []string{"-c"} }, "the spec has another command"},
		"another account": {func(r *expand.Revision) { r.Template.Spec.ServiceAccountName = "deployer" }, "the spec does not have spec.pod.serviceAccountName: ServiceAccount deployer"},
		"no account":      {func(r *expand.Revision) { r.Template.Spec.ServiceAccountName = "" }, "the spec has another serviceAccountName"},
		"a token":         {func(r *expand.Revision) { *r.Template.Spec.AutomountServiceAccountToken = true }, "the spec does not have spec.pod.automountServiceAccountToken: the token of ServiceAccount users"},
		"a Secret": {func(r *expand.Revision) {
			main(r).EnvFrom = append(main(r).EnvFrom, corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "db"}}})
		}, "the spec does not have spec.envFrom: Secret db"},
		"other inputs": {func(r *expand.Revision) { r.Inputs = "0123456789abcdef" }, "it was cut for other inputs"},
	} {
		t.Run(name, func(t *testing.T) {
			kept := cut(t, h)
			kept.Template = *kept.Template.DeepCopy()
			tc.change(&kept)
			err := expand.CheckInputs(kept, cut(t, h), h)
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// An image that the namespace names is derived, and may be derived otherwise later.
func TestCheckInputsOfADerivedImage(t *testing.T) {
	h := builders.MakeHandler("users").UID("u").Obj()
	kept := cut(t, h)
	kept.Template.Spec.Containers[0].Image = "mirror.example.com/shop:v7"
	if err := expand.CheckInputs(kept, cut(t, h), h); err != nil {
		t.Error(err)
	}
}
