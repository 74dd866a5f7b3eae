package adopt

import (
	"errors"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// shortestGrace is the least that spec.pod.terminationGracePeriodSeconds accepts.
const shortestGrace = 10

// translateTemplate takes over a pod template.
func (t *translation) translateTemplate(template tree) error {
	meta, spec := template.enter("metadata"), template.enter("spec")
	t.labels = peek[map[string]string](meta, "labels")
	main, ports, err := t.chooseMain(spec)
	if err != nil {
		return err
	}
	t.translateMeta(meta)
	t.translateScheduling(spec)
	t.translateVolumes(spec, main)
	t.translateAccount(spec)
	t.translateSecurity(spec.enter("securityContext"), main.enter("securityContext"))
	t.translateMain(main, ports)
	if peek[*bool](spec, "enableServiceLinks") == nil || spec.dropEqual("enableServiceLinks", true) {
		t.addItem(spec, "enableServiceLinks", "false", "variables of other Services are not set", "use the names of Services")
	}
	spec.dropEqual("restartPolicy", "Always")
	spec.dropEqual("dnsPolicy", "ClusterFirst")
	return nil
}

// translateMeta takes over the labels and annotations that a handler's pods may have.
func (t *translation) translateMeta(meta tree) {
	meta.dropAll("creationTimestamp")
	t.selectors = append(t.selectors, t.serviceSelectors()...)
	isSelecting := func(name string) bool {
		return slices.ContainsFunc(t.selectors, func(s map[string]string) bool { _, found := s[name]; return found })
	}
	kept := maps.Clone(t.labels)
	maps.DeleteFunc(kept, func(name, _ string) bool {
		return isReserved(name, "app.kubernetes.io/", "gati.dev/") || isSelecting(name)
	})
	annotations := peek[map[string]string](meta, "annotations")
	maps.DeleteFunc(annotations, func(name, _ string) bool { return isReserved(name, "gati.dev/") })
	t.pod.Labels, t.pod.Annotations = orNil(kept), orNil(annotations)
	meta.drop("labels", kept)
	meta.drop("annotations", annotations)
	t.addItem(meta, "", "labels and annotations under gati.dev and app.kubernetes.io", "the controller finds its pods by them", "nothing")
}

func isReserved(name string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

func orNil(labels map[string]string) map[string]string {
	if len(labels) == 0 {
		return nil
	}
	return labels
}

// translateScheduling takes over where the pods run, and how long they may take to stop.
func (t *translation) translateScheduling(spec tree) {
	t.pod.NodeSelector = take[map[string]string](spec, "nodeSelector")
	t.pod.Tolerations = take[[]corev1.Toleration](spec, "tolerations")
	t.pod.Affinity = take[*corev1.Affinity](spec, "affinity")
	t.pod.TopologySpreadConstraints = take[[]corev1.TopologySpreadConstraint](spec, "topologySpreadConstraints")
	t.pod.PriorityClassName = take[string](spec, "priorityClassName")
	spec.dropEqual("schedulerName", corev1.DefaultSchedulerName)
	t.pod.SchedulerName = take[string](spec, "schedulerName")
	t.selectOwnPods(spec)
	if len(t.pod.TopologySpreadConstraints) == 0 {
		t.addItem(spec, "topologySpreadConstraints", "over zones and nodes, where possible", "pods of a handler are spread", "set spec.pod.topologySpreadConstraints to others")
	}
	if seconds := peek[*int64](spec, "terminationGracePeriodSeconds"); seconds != nil {
		grace := max(*seconds, shortestGrace)
		t.pod.TerminationGracePeriodSeconds = &grace
		spec.dropEqual("terminationGracePeriodSeconds", grace)
	}
}

// selectOwnPods lets terms that are about the workload's own pods be about the handler's: the
// labels by which the workload selects are not carried over.
func (t *translation) selectOwnPods(spec tree) {
	own := func(field string, s *metav1.LabelSelector) {
		if s == nil || len(s.MatchLabels) == 0 || len(s.MatchExpressions) > 0 {
			return
		}
		isOwn := isSubset(s.MatchLabels, t.labels)
		if isOwn && !isSubset(s.MatchLabels, t.pod.Labels) {
			ours := map[string]string{v1.LabelHandler: t.handler.Name}
			t.added = append(t.added, Item{spec.object.title, joinPath(spec.path, field), showValue(s.MatchLabels), showValue(ours), "the labels by which it selects the pods are not carried over", "nothing"})
			s.MatchLabels = ours
		}
	}
	for i := range t.pod.TopologySpreadConstraints {
		own("topologySpreadConstraints", t.pod.TopologySpreadConstraints[i].LabelSelector)
	}
	if t.pod.Affinity == nil {
		return
	}
	for _, terms := range [][]corev1.PodAffinityTerm{affinityTerms(t.pod.Affinity.PodAffinity), antiAffinityTerms(t.pod.Affinity.PodAntiAffinity)} {
		for _, term := range terms {
			own("affinity", term.LabelSelector)
		}
	}
}

func affinityTerms(a *corev1.PodAffinity) (terms []corev1.PodAffinityTerm) {
	if a == nil {
		return nil
	}
	return allTerms(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
}

func antiAffinityTerms(a *corev1.PodAntiAffinity) (terms []corev1.PodAffinityTerm) {
	if a == nil {
		return nil
	}
	return allTerms(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
}

// allTerms returns the terms, whose selectors are shared with those that are given.
func allTerms(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) []corev1.PodAffinityTerm {
	terms := slices.Clone(required)
	for _, p := range preferred {
		terms = append(terms, p.PodAffinityTerm)
	}
	return terms
}

func isSubset(some, of map[string]string) bool {
	for name, value := range some {
		if of[name] != value {
			return false
		}
	}
	return true
}

// translateVolumes takes over the volumes of the kinds that a handler may have, and where the
// main container mounts them.
func (t *translation) translateVolumes(spec, main tree) {
	var names []string
	for _, item := range spec.list("volumes") {
		name := peek[string](item, "name")
		var v v1.Volume
		if !isReserved(name, "gati-") && hasSource(item) {
			v = takeItem[v1.Volume](item)
			t.pod.Volumes = append(t.pod.Volumes, v)
			names = append(names, v.Name)
		}
	}
	for _, item := range main.list("volumeMounts") {
		item.dropEqual("recursiveReadOnly", "Disabled")
		item.dropEqual("mountPropagation", "None")
		if slices.Contains(names, peek[string](item, "name")) && !item.has("subPathExpr") {
			t.pod.VolumeMounts = append(t.pod.VolumeMounts, takeItem[v1.VolumeMount](item))
		}
	}
	t.addItem(main, "volumeMounts", "/tmp and /app/.gati as empty directories, and /etc/gati/transformers", "Gati's runtime writes to them, under a root that may be read-only", "mount a volume there if the image has files in them")
}

// hasSource reports whether a volume is of a kind that a handler may have.
func hasSource(volume tree) bool {
	for _, kind := range []string{"configMap", "secret", "emptyDir", "persistentVolumeClaim", "projected", "downwardAPI"} {
		if _, found := volume.content[kind]; found {
			return true
		}
	}
	return false
}

// translateAccount takes over the ServiceAccount and the Secrets to pull with.
func (t *translation) translateAccount(spec tree) {
	t.pod.ServiceAccountName = take[string](spec, "serviceAccountName")
	spec.dropEqual("serviceAccount", t.pod.ServiceAccountName)
	if t.pod.ServiceAccountName == "" {
		t.pod.ServiceAccountName = take[string](spec, "serviceAccount")
	}
	t.pod.ImagePullSecrets = take[[]corev1.LocalObjectReference](spec, "imagePullSecrets")
	mounts := true // Kubernetes' own default
	if set := take[*bool](spec, "automountServiceAccountToken"); set != nil {
		mounts = *set
	}
	delete(spec.content, "automountServiceAccountToken")
	t.pod.AutomountServiceAccountToken = &mounts
}

// errNoPort is the error of pods that name no port.
var errNoPort = errors.New("no container names a port; name the one that it listens on with --port")

// chooseMain returns the container that serves, and the numbers of its ports by their names.
func (t *translation) chooseMain(spec tree) (tree, map[string]int32, error) {
	all := spec.list("containers")
	if len(all) == 0 {
		return tree{}, nil, errors.New("spec.template.spec.containers is empty")
	}
	if err := t.chooseService(); err != nil {
		return tree{}, nil, err
	}
	t.setPort(all)
	if t.handler.Spec.Port == nil {
		return tree{}, nil, errNoPort
	}
	main := all[0]
	for _, c := range all {
		if slices.ContainsFunc(portsOf(c), func(p corev1.ContainerPort) bool { return p.ContainerPort == *t.handler.Spec.Port }) {
			main = c
			break
		}
	}
	named := map[string]int32{}
	for _, p := range portsOf(main) {
		named[p.Name] = p.ContainerPort
	}
	return main.claim(), named, nil
}

func portsOf(c tree) []corev1.ContainerPort { return peek[[]corev1.ContainerPort](c, "ports") }

// setPort finds the port: the one that is asked for, that of the Service, one named http, or
// the first.
func (t *translation) setPort(containers []tree) {
	var all []corev1.ContainerPort
	for _, c := range containers {
		all = append(all, portsOf(c)...)
	}
	set := func(n int32) { t.handler.Spec.Port = &n }
	target := t.service.targetPort()
	byName := func(name string) bool {
		at := slices.IndexFunc(all, func(p corev1.ContainerPort) bool { return p.Name == name })
		if at >= 0 {
			set(all[at].ContainerPort)
		}
		return at >= 0
	}
	switch {
	case t.options.Port != 0:
		set(t.options.Port)
	case target.IntVal != 0:
		set(target.IntVal)
	case target.StrVal != "" && byName(target.StrVal), byName("http"):
	case len(all) > 0:
		set(all[0].ContainerPort)
	}
}
