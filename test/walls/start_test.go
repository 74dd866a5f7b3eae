package walls

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxStarted is the number of bytes that our packages may allocate before main runs.
// Every command and every completion waits for them, so tables and patterns of one
// command are made on first use.
const maxStarted = 64 << 10

var initialised = regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes,`)

// checkStart counts the allocations of our initialisers, which the runtime prints.
func checkStart(t *testing.T, binary string) {
	help := exec.Command(binary, "--help")
	help.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	help.Stderr = &trace
	if err := help.Run(); err != nil {
		t.Fatalf("%v\n%s", err, trace.String())
	}
	ours, all := 0, 0
	for _, m := range initialised.FindAllStringSubmatch(trace.String(), -1) {
		bytes, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		all += bytes
		if strings.HasPrefix(m[1], "gati.dev/gati/") {
			ours += bytes
		}
	}
	t.Logf("before main %d bytes are allocated, %d of them by us", all, ours)
	if ours > maxStarted || all == 0 {
		t.Errorf("our packages allocate %d bytes before main, of %d; at most %d", ours, all, maxStarted)
	}
}
