package signals

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"gati.dev/gati/pkg/naming"
)

// podNamesPattern returns a regular expression for the pods that the workloads have
// or had.
func podNamesPattern(subjects []Subject) string {
	names := map[string]bool{}
	for _, s := range subjects {
		names[naming.PodPattern(s.Deployment)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), "|")
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
		out.former[s.Namespace] = append(out.former[s.Namespace], formerPods{s.Key, regexp.MustCompile("^(?:" + naming.PodPattern(s.Deployment) + ")$")})
	}
	return out
}

// findSubject returns the subject of a pod, and whether the pod is one of its current
// ones.
func (o podOwners) findSubject(namespace, pod string) (key Key, known, found bool) {
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
