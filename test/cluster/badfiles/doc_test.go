// Package badfiles applies bad files as a person would and holds what they are
// told, word by word.
//
// Each testdata/<case>.yaml begins with one line that says what is wrong. It is a
// text/template, so that long things stay short, and holds one document for each
// version of the API that can say it. Each is applied by itself, and
// testdata/<case>.golden is what kubectl prints. <case>.setup.yaml, where there is
// one, is stored first, with the status that it has. The v1 half is applied once more
// with gati-webhook stopped (testdata/down), and all of it with the webhook configurations
// removed, where what gets stored must say the same as a condition and have no child.
//
// testdata/coverage.md is the table of it, and a test fails when a check of
// pkg/validation, a rule of the CRDs or a bound of a field of ours has no file.
//
// A version that breaks its callers is at fault only beside the version that serves. Such
// versions are in breaking_*_test.go: the table of pkg/compat through kubectl apply, what
// kubectl prints, and what becomes of them.
//
//	go test ./test/cluster/badfiles
//	go test ./test/cluster/badfiles -update    writes the goldens and the table
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty.
package badfiles
