// Package soak says in which form a test runs: short, as make test and .ci/run run all of
// them, or long, as "make soak NAME=…" runs one.
//
// It must not know any test.
package soak

import (
	"os"
	"strconv"
	"testing"
)

const (
	// longVariable names the test that runs in its long form: that of TestKills is kills.
	longVariable = "GATI_SOAK"
	// shareVariable moves the choice of cases: numbers in a row choose all in turn.
	shareVariable = "GATI_TEST_SHARE"
)

// IsLong reports whether a test runs in its long form.
func IsLong(name string) bool { return os.Getenv(longVariable) == name }

// Pick returns what a test takes in its long form, or in its short one.
func Pick[T any](name string, long, short T) T {
	if IsLong(name) {
		return long
	}
	return short
}

// Share chooses the cases of a test: in its long form all, in its short one one in n, the
// same in each run. GATI_TEST_SHARE=1 and so on choose others.
func Share(t testing.TB, name string, n int) (chosen func() bool) {
	t.Helper()
	if IsLong(name) {
		return func() bool { return true }
	}
	at, _ := strconv.Atoi(os.Getenv(shareVariable))
	t.Logf("one case in %d, with %s=%d; make soak NAME=%s takes all", n, shareVariable, at, name)
	return func() bool {
		at++
		return at%n == 0
	}
}
