package adopt

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// translateMain takes over the container that serves.
func (t *translation) translateMain(c tree, named map[string]int32) {
	spec := &t.handler.Spec
	c.dropEqual("name", "handler")
	spec.Image = take[string](c, "image")
	t.pod.ImagePullPolicy = take[corev1.PullPolicy](c, "imagePullPolicy")
	t.pod.Command, t.pod.Args = take[[]string](c, "command"), take[[]string](c, "args")
	c.dropEqual("terminationMessagePath", corev1.TerminationMessagePathDefault)
	c.dropEqual("terminationMessagePolicy", "File")
	t.translatePorts(c)
	t.translateEnv(c)
	spec.EnvFrom = take[[]corev1.EnvFromSource](c, "envFrom")
	spec.Resources = take[*v1.Resources](c, "resources")
	if spec.Resources != nil && len(spec.Resources.Requests)+len(spec.Resources.Limits) == 0 {
		spec.Resources = nil
	}
	if spec.Resources == nil {
		t.addItem(c, "resources", "100m and 128Mi requested, 500m and 512Mi at most", "a handler without resources has these", "set spec.resources")
	}
	t.translateProbes(c, named)
	if !c.has("lifecycle") {
		t.addItem(c, "lifecycle", `{"preStop":{"sleep":{"seconds":5}}}`, "a pod serves for 5 seconds while gateways remove it", "nothing")
	}
}

// translatePorts takes out the handler's port. Others are left.
func (t *translation) translatePorts(c tree) {
	for _, p := range c.list("ports") {
		if peek[int32](p, "containerPort") != *t.handler.Spec.Port {
			continue
		}
		if !p.has("name") {
			t.addItem(p, "name", `"http"`, "the port of a handler has this name", "nothing")
		}
		p.claim().dropAll("containerPort")
		p.dropEqual("protocol", "TCP")
		p.dropEqual("name", "http")
	}
}

// translateEnv takes over the variables. PORT is the handler's own, and of two values for a
// name the last one counts.
func (t *translation) translateEnv(c tree) {
	all := c.list("env")
	for i, item := range all {
		name := peek[string](item, "name")
		isRepeated := slices.ContainsFunc(all[i+1:], func(other tree) bool { return peek[string](other, "name") == name })
		switch {
		case name == "PORT" && peek[string](item, "value") == strconv.Itoa(int(*t.handler.Spec.Port)):
			item.claim().dropAll("name", "value")
		case name != "PORT" && !isRepeated:
			t.handler.Spec.Env = append(t.handler.Spec.Env, takeItem[corev1.EnvVar](item))
		}
	}
	t.addItem(c, "env", "HOST, PORT, INSTANCE_ID, NODE_ENV, HANDLER_ID and HANDLER_VERSION", "Gati's runtime reads them", "set spec.env to another value where the program reads one of them")
}

// translateSecurity takes over the user of the main container. A setting of the container
// counts before that of the pod.
func (t *translation) translateSecurity(pod, container tree) {
	for _, name := range []string{"runAsUser", "runAsGroup", "runAsNonRoot", "seccompProfile"} {
		if container.has(name) || container.content[name] != nil {
			delete(pod.content, name)
		}
	}
	t.pod.RunAsUser = t.takeID(pod, container, "runAsUser")
	t.pod.RunAsGroup = t.takeID(pod, container, "runAsGroup")
	t.pod.FSGroup = t.takeID(pod, pod, "fsGroup")
	isReadOnly := take[bool](container, "readOnlyRootFilesystem")
	delete(container.content, "readOnlyRootFilesystem")
	t.pod.ReadOnlyRootFilesystem = &isReadOnly

	user := map[string]any{}
	if t.pod.RunAsUser == nil && !has(pod, "runAsUser") && !has(container, "runAsUser") {
		user["runAsUser"] = 1001
	}
	if t.pod.FSGroup == nil && !has(pod, "fsGroup") {
		user["fsGroup"] = "as runAsUser"
	}
	t.settle(pod, container, user, map[string]any{
		"runAsNonRoot": true, "seccompProfile": map[string]any{"type": "RuntimeDefault"}, "fsGroupChangePolicy": "OnRootMismatch",
	})
	t.settle(container, pod, map[string]any{}, map[string]any{
		"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}},
	})
	container.dropEqual("runAsNonRoot", true)
	container.dropEqual("seccompProfile", map[string]any{"type": "RuntimeDefault"})
}

// settle takes out settings that are the handler's already, and reports those that are set
// neither here nor beside, together with others that are missing.
func (t *translation) settle(at, beside tree, missing, ours map[string]any) {
	for name, value := range ours {
		if !at.has(name) && !beside.has(name) {
			missing[name] = value
		}
		at.dropEqual(name, value)
	}
	if len(missing) > 0 {
		t.addItem(at, "", showValue(missing), "pods of a handler keep the restricted Pod Security Standard, and run as user 1001 unless another is named",
			"set spec.pod.runAsUser to the user of the image")
	}
}

func has(at tree, name string) bool { return at.content[name] != nil }

// takeID takes the number of a user or group that is not root's.
func (t *translation) takeID(pod, container tree, name string) *int64 {
	for _, at := range []tree{container, pod} {
		if id := peek[*int64](at, name); id != nil && *id > 0 {
			delete(at.content, name)
			return id
		}
	}
	return nil
}
