package random

import (
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"
)

// Moments returns a source for tests whose times or order differ with each run. Its
// seed is that of the environment, else the clock's.
func Moments(t testing.TB) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseInt(os.Getenv(SeedVariable), 10, 64)
	if err != nil {
		seed = time.Now().UnixNano()
	}
	t.Logf("%s=%d repeats this run", SeedVariable, seed)
	return rand.New(rand.NewSource(seed))
}

// Share returns a function that returns true for every n-th call, for tests that
// run one case in n. The seed of the environment sets the first, so n seeds cover
// all cases.
func Share(t testing.TB, n int) func() bool {
	t.Helper()
	at, _ := strconv.Atoi(os.Getenv(SeedVariable))
	t.Logf("one case in %d; another %s takes others", n, SeedVariable)
	return func() bool {
		at++
		return at%n == 0
	}
}
