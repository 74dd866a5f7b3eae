package naming

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// MaxSlug is the maximum length of a slug with its revision suffix. With a name of
// 40 characters and the prefix "handler-" it leaves a Service within its 63.
const MaxSlug = 13

var (
	notSlugPattern        = lazyregexp.New(`[^a-z0-9]+`)
	revisionSuffixPattern = lazyregexp.New(`-r[0-9]+$`)
	dottedNumberPattern   = lazyregexp.New(`^(v?[0-9]+)-([0-9]+)(?:-([0-9]+))?`)
)

// Slug returns the text for a version and the number of its revision in names and
// labels: v1.2.3 becomes v1-2-3, its second revision v1-2-3-r2. A version that
// cannot be read back from its slug gets a hash, so that two versions never share a
// slug.
func Slug(version string, revision int64) string {
	base := strings.Trim(notSlugPattern.ReplaceAllString(strings.ToLower(version), "-"), "-")
	if parseSlug(base) != version || revisionSuffixPattern.MatchString(base) {
		base = hashedSlug(base, version, 10)
	}
	if revision > 1 {
		suffix := fmt.Sprintf("-r%d", revision)
		if len(base)+len(suffix) <= MaxSlug {
			return base + suffix
		}
		return hashedSlug(base, version+suffix, MaxSlug)
	}
	if len(base) > MaxSlug {
		return hashedSlug(base, version, 10)
	}
	return base
}

// parseSlug returns the one version of a plain slug: its first hyphens between
// numbers were dots.
func parseSlug(slug string) string {
	return dottedNumberPattern.ReplaceAllStringFunc(slug, func(m string) string {
		return strings.ReplaceAll(m, "-", ".")
	})
}

// hashedSlug shortens base to at most four characters and fills up to length with
// the hash of key.
func hashedSlug(base, key string, length int) string {
	sum := sha256.Sum256([]byte(key))
	hash := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))
	keep := min(4, len(base))
	prefix := strings.Trim(base[:keep], "-")
	if prefix == "" || prefix[0] < 'a' {
		prefix = "v" + prefix[:min(3, len(prefix))]
	}
	return prefix + "-" + hash[:length-1-len(prefix)]
}

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
