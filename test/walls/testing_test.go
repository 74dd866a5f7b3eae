package walls

import "testing"

// testOnly holds models, builders and fake servers. Other packages of tests may use
// them, and nothing else may.
const testOnly = "internal/testing"

// TestInternalTestingIsImportedByTestsOnly lists imports of code that is not a test:
// "go list" leaves out the imports of _test.go files.
func TestInternalTestingIsImportedByTestsOnly(t *testing.T) {
	for path, p := range packages(t) {
		if within(path, testOnly) || within(path, "test") {
			continue
		}
		for _, imported := range p.Imports {
			if target, isOurs := ours(imported); isOurs && within(target, testOnly) {
				t.Errorf("%s imports %s, which only tests may use", path, target)
			}
		}
	}
}
