package status

import (
	"cmp"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// sourceTitles are the sources for sentences.
var sourceTitles = map[string]string{
	"pods": "pod metrics", "prometheus": "Prometheus", v1.TrafficSourceNone: "nothing (pods without metrics)",
}

// Measured returns what measures the traffic of the handler's versions, newest first, in one
// line; empty where nothing is known.
func (h *Handler) Measured() string {
	type group struct {
		source   string
		versions []string
	}
	var groups []group
	for i := range h.Versions {
		v := &h.Versions[i]
		source := v.TrafficSource
		if source == "" && v.Evidence != nil {
			source = v.Evidence.Source // The status of an older release.
		}
		if source == "" {
			continue
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.source == source })
		if at < 0 {
			at, groups = len(groups), append(groups, group{source: source})
		}
		groups[at].versions = append(groups[at].versions, (&v1.UnitRef{Version: v.Version, RevisionNumber: v.RevisionNumber}).Title())
	}
	var out []string
	for _, g := range groups {
		out = append(out, strings.Join(g.versions, ", ")+" by "+describeSource(g.source))
	}
	return strings.Join(out, "; ")
}

func describeSource(source string) string {
	var names []string
	for _, name := range strings.Split(source, "+") {
		names = append(names, cmp.Or(sourceTitles[name], name))
	}
	return strings.Join(names, " and ")
}
