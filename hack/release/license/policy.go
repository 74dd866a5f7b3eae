// Package license finds the licences of the modules that a program links, and refuses
// those that forbid its distribution.
package license

import (
	"fmt"
	"slices"
	"strings"
)

// allowed are the licences that ask for no more than their text and notices beside a
// binary, as SPDX names them. The release has both. MPL-2.0 asks besides where the source
// of its own files is: the SPDX documents name each module and version, unchanged.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0"}

// checkLicense refuses a module without a licence, and one with a licence that is not allowed.
func checkLicense(m Module) error {
	if len(m.Licenses) == 0 {
		return fmt.Errorf("%s %s has no licence in %s; without one it may not be distributed: remove the module", m.Path, m.Version, fileNames(m))
	}
	for _, id := range m.Licenses {
		if !slices.Contains(allowed, id) {
			return fmt.Errorf("%s %s has the licence %s; remove the module, or, if a review finds %s compatible with MIT, add it to allowed in hack/release/license/policy.go",
				m.Path, m.Version, id, id)
		}
	}
	return nil
}

func fileNames(m Module) string {
	if len(m.Files) == 0 {
		return "any file named LICENSE or COPYING"
	}
	var names []string
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}
