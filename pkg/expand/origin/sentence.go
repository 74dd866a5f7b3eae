package origin

import (
	"regexp"
	"strings"
)

// OfSentence is Of for a refusal that names no field, as those of quotas, of Pod
// Security and of policies are. It goes by how the API server words them, and by
// a field that the sentence speaks of.
func OfSentence(parent, kind, sentence string) string {
	switch {
	case strings.Contains(sentence, "violates PodSecurity"):
		return "spec.pod"
	case strings.Contains(sentence, "exceeded quota:"), strings.Contains(sentence, "failed quota:"):
		return ofQuota(kind, sentence)
	case limitRange.MatchString(sentence):
		return "spec.resources"
	}
	if path := fieldIn.FindString(sentence); path != "" {
		return Of(parent, kind, path)
	}
	return Of(parent, kind, "")
}

var (
	// limitRange: "maximum cpu usage per Container is 100m, but limit is 500m".
	limitRange = regexp.MustCompile(`(minimum|maximum|limit to request ratio) .*per (Container|Pod)|limit to request ratio per (Container|Pod)`)
	// fieldIn finds the field of a child in a sentence.
	fieldIn = regexp.MustCompile(`\b(spec|metadata)(\.[A-Za-z][A-Za-z0-9]*(\[[^\]\s]*\])?)+`)
	// asked is what a quota was asked for: "requested: pods=1, used: …" or "must
	// specify limits.cpu".
	asked = regexp.MustCompile(`(requested: |must specify )(.*?)(, used: |$)`)
)

// ofQuota tells a quota of pods' resources from one that counts objects.
func ofQuota(kind, sentence string) string {
	requested := sentence
	if match := asked.FindStringSubmatch(sentence); match != nil {
		requested = match[2]
	}
	switch {
	case kind != "Pod":
		return "spec" // The quota counts objects: the handler as a whole is one too many.
	case strings.Contains(requested, "cpu"), strings.Contains(requested, "memory"), strings.Contains(requested, "storage"):
		return "spec.resources"
	default:
		return "spec.replicas"
	}
}
