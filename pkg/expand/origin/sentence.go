package origin

import (
	"regexp"
	"strings"
)

// ForMessage returns the parent's field for an error without a field, such as those
// of quotas, Pod Security and policies. It uses the wording of the API server, and
// a field mentioned in the message.
func ForMessage(parent, kind, sentence string) string {
	switch {
	case strings.Contains(sentence, "violates PodSecurity"):
		return "spec.pod"
	case strings.Contains(sentence, "exceeded quota:"), strings.Contains(sentence, "failed quota:"):
		return forQuota(kind, sentence)
	case limitRangePattern.MatchString(sentence):
		return "spec.resources"
	}
	if path := fieldPattern.FindString(sentence); path != "" {
		return ForField(parent, kind, path)
	}
	return ForField(parent, kind, "")
}

var (
	// limitRangePattern: "maximum cpu usage per Container is 100m, but limit is 500m".
	limitRangePattern = regexp.MustCompile(`(minimum|maximum|limit to request ratio) .*per (Container|Pod)|limit to request ratio per (Container|Pod)`)
	// fieldPattern matches the field of a child.
	fieldPattern = regexp.MustCompile(`\b(spec|metadata)(\.[A-Za-z][A-Za-z0-9]*(\[[^\]\s]*\])?)+`)
	// requestedPattern matches "requested: pods=1, used: …" and "must specify limits.cpu".
	requestedPattern = regexp.MustCompile(`(requested: |must specify )(.*?)(, used: |$)`)
)

// forQuota distinguishes a quota of pods' resources from one that counts objects.
func forQuota(kind, sentence string) string {
	requested := sentence
	if match := requestedPattern.FindStringSubmatch(sentence); match != nil {
		requested = match[2]
	}
	switch {
	case kind != "Pod":
		return "spec" // the quota counts objects
	case strings.Contains(requested, "cpu"), strings.Contains(requested, "memory"), strings.Contains(requested, "storage"):
		return "spec.resources"
	default:
		return "spec.replicas"
	}
}
