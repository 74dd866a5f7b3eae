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
