package signals

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	// longestSelection is how long a selection may be before everything is asked for.
	longestSelection = 4096
	// longestBase is how much of a ReplicaSet's name Kubernetes keeps in that of a
	// pod, before it adds five characters.
	longestBase = 58
	// everyPod selects the pods of all handlers.
	everyPod = "handler-.+"
)

// namesOf is a regular expression for the pods that a Deployment has or had.
func namesOf(deployment string) string {
	if base := deployment + "-"; len(base) >= longestBase {
		return regexp.QuoteMeta(base[:longestBase]) + "[a-z0-9]+"
	}
	return regexp.QuoteMeta(deployment) + "-[a-z0-9]+(-[a-z0-9]{5})?"
}

// podsOf is a regular expression for the pods that the workloads have or had.
func podsOf(subjects []Subject) string {
	names := map[string]bool{}
	for _, s := range subjects {
		names[namesOf(s.Deployment)] = true
	}
	text := strings.Join(slices.Sorted(maps.Keys(names)), "|")
	if len(text) > longestSelection {
		return everyPod
	}
	return text
}

// owners tell to which subject a pod belongs.
type owners struct {
	known map[string]Key
	gone  map[string][]owner
}

type owner struct {
	key   Key
	names *regexp.Regexp
}

func ownersOf(subjects []Subject) owners {
	out := owners{known: map[string]Key{}, gone: map[string][]owner{}}
	for _, s := range subjects {
		for _, p := range s.Pods {
			out.known[s.Namespace+"/"+p.Name] = s.Key
		}
		out.gone[s.Namespace] = append(out.gone[s.Namespace], owner{s.Key, regexp.MustCompile("^(?:" + namesOf(s.Deployment) + ")$")})
	}
	return out
}

// of returns the subject of a pod, and whether the pod is one of those it has now.
func (o owners) of(namespace, pod string) (key Key, known, found bool) {
	if key, found = o.known[namespace+"/"+pod]; found {
		return key, true, true
	}
	for _, w := range o.gone[namespace] {
		if w.names.MatchString(pod) {
			return w.key, false, true
		}
	}
	return Key{}, false, false
}
