package signals

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	// maxSelection is the length from which on a selection of pods is replaced by
	// all pods.
	maxSelection = 4096
	// maxPodNameBase is how much of a ReplicaSet's name Kubernetes keeps in a pod's
	// name, before it adds five characters.
	maxPodNameBase = 58
	// everyPod selects the pods of all handlers.
	everyPod = "handler-.+"
)

// podNamePattern returns a regular expression for the pods that a Deployment has or
// had.
func podNamePattern(deployment string) string {
	if base := deployment + "-"; len(base) >= maxPodNameBase {
		return regexp.QuoteMeta(base[:maxPodNameBase]) + "[a-z0-9]+"
	}
	return regexp.QuoteMeta(deployment) + "-[a-z0-9]+(-[a-z0-9]{5})?"
}

// podNamesPattern returns a regular expression for the pods that the workloads have
// or had.
func podNamesPattern(subjects []Subject) string {
	names := map[string]bool{}
	for _, s := range subjects {
		names[podNamePattern(s.Deployment)] = true
	}
	text := strings.Join(slices.Sorted(maps.Keys(names)), "|")
	if len(text) > maxSelection {
		return everyPod
	}
	return text
}

// podOwners finds the subject of a pod.
type podOwners struct {
	current map[string]Key
	former  map[string][]formerPods
}

type formerPods struct {
	key   Key
	names *regexp.Regexp
}

func newPodOwners(subjects []Subject) podOwners {
	out := podOwners{current: map[string]Key{}, former: map[string][]formerPods{}}
	for _, s := range subjects {
		for _, p := range s.Pods {
			out.current[s.Namespace+"/"+p.Name] = s.Key
		}
		out.former[s.Namespace] = append(out.former[s.Namespace], formerPods{s.Key, regexp.MustCompile("^(?:" + podNamePattern(s.Deployment) + ")$")})
	}
	return out
}

// find returns the subject of a pod, and whether the pod is one of its current
// ones.
func (o podOwners) find(namespace, pod string) (key Key, known, found bool) {
	if key, found = o.current[namespace+"/"+pod]; found {
		return key, true, true
	}
	for _, w := range o.former[namespace] {
		if w.names.MatchString(pod) {
			return w.key, false, true
		}
	}
	return Key{}, false, false
}
