package app

import (
	"fmt"
	"strconv"

	"gati.dev/gati/pkg/lazyregexp"
)

var semver = lazyregexp.New(`^(v?)(\d+)\.(\d+)\.(\d+)$`)

// NextVersion returns the version to take after a change: the next major one if it breaks
// callers, the next minor one if it changes schemas. Empty where the last one has another form.
func NextVersion(last string, breaking, changed bool) string {
	match := semver.FindStringSubmatch(last)
	if match == nil {
		return ""
	}
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(match[2+i])
		if err != nil {
			return ""
		}
		numbers[i] = n
	}
	major, minor, patch := numbers[0], numbers[1], numbers[2]
	switch {
	case breaking:
		return fmt.Sprintf("%s%d.0.0", match[1], major+1)
	case changed:
		return fmt.Sprintf("%s%d.%d.0", match[1], major, minor+1)
	default:
		return fmt.Sprintf("%s%d.%d.%d", match[1], major, minor, patch+1)
	}
}
