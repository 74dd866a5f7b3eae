package naming

import (
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

var (
	versionPattern   = lazyregexp.New(`^v?(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){0,2}(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)
	timescapePattern = lazyregexp.New(`^tsv:[0-9]{10}-[a-zA-Z0-9_-]+-[0-9]+$`)
)

// FirstVersion is the version of a handler that declares none and whose image has
// no version as its tag.
const FirstVersion = "v1"

// IsVersion reports whether a text is a version: v?N(.N(.N)) with an optional
// pre-release, or a Timescape id tsv:<unix seconds>-<name>-<sequence>.
func IsVersion(s string) bool {
	return len(s) <= 128 && (versionPattern.MatchString(s) || timescapePattern.MatchString(s))
}

// VersionFromImage returns the version in an image's tag, if there is one.
func VersionFromImage(image string) (string, bool) {
	image, _, _ = strings.Cut(image, "@")
	colon := strings.LastIndexByte(image, ':')
	// A colon before the last slash belongs to the registry's port.
	if colon < 0 || strings.Contains(image[colon:], "/") {
		return "", false
	}
	tag := image[colon+1:]
	return tag, versionPattern.MatchString(tag)
}
