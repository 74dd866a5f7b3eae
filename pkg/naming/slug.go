package naming

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"gati.dev/gati/internal/lazyregexp"
)

// MaxSlug is the longest a slug gets, its revision suffix included. Together
// with a name of 40 characters and the prefix "handler-" it leaves a Service
// within its 63.
const MaxSlug = 13

var (
	notSlug        = lazyregexp.New(`[^a-z0-9]+`)
	revisionSuffix = lazyregexp.New(`-r[0-9]+$`)
	numberAfterDot = lazyregexp.New(`^(v?[0-9]+)-([0-9]+)(?:-([0-9]+))?`)
)

// Slug returns the text that stands for a version, and the number of its
// revision, in names and labels: v1.2.3 becomes v1-2-3, its second revision
// v1-2-3-r2. A version that could not be read back from its slug gets a hash,
// so that two versions never share one.
func Slug(version string, revision int64) string {
	base := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(version), "-"), "-")
	if unslug(base) != version || revisionSuffix.MatchString(base) {
		base = hashed(base, version, 10)
	}
	if revision > 1 {
		suffix := fmt.Sprintf("-r%d", revision)
		if len(base)+len(suffix) <= MaxSlug {
			return base + suffix
		}
		return hashed(base, version+suffix, MaxSlug)
	}
	if len(base) > MaxSlug {
		return hashed(base, version, 10)
	}
	return base
}

// unslug reads back the one version that a plain slug stands for: its first
// hyphens between numbers were dots.
func unslug(slug string) string {
	return numberAfterDot.ReplaceAllStringFunc(slug, func(m string) string {
		return strings.ReplaceAll(m, "-", ".")
	})
}

// hashed shortens base to four characters at most and fills up to length with
// the hash of key.
func hashed(base, key string, length int) string {
	sum := sha256.Sum256([]byte(key))
	hash := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))
	keep := min(4, len(base))
	prefix := strings.Trim(base[:keep], "-")
	if prefix == "" || prefix[0] < 'a' {
		prefix = "v" + prefix[:min(3, len(prefix))]
	}
	return prefix + "-" + hash[:length-1-len(prefix)]
}
