package random

import (
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"
)

// Moments is a source for tests that do something at a time or in an order that
// differs with each run: its seed is that of the environment, else the clock's.
func Moments(t testing.TB) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseInt(os.Getenv(SeedVariable), 10, 64)
	if err != nil {
		seed = time.Now().UnixNano()
	}
	t.Logf("%s=%d repeats this run", SeedVariable, seed)
	return rand.New(rand.NewSource(seed))
}

// Share is for tests that work on one case in n: it returns true for every n-th
// call. The seed of the environment says where to begin, so n seeds are all cases.
func Share(t testing.TB, n int) func() bool {
	t.Helper()
	at, _ := strconv.Atoi(os.Getenv(SeedVariable))
	t.Logf("one case in %d; another %s takes others", n, SeedVariable)
	return func() bool {
		at++
		return at%n == 0
	}
}
