package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A process that begins another program is the same process, and while the kernel
// replaces its memory its environment reads as empty.
func TestFindDuringExec(t *testing.T) {
	script := filepath.Join(t.TempDir(), "again")
	if err := os.WriteFile(script, []byte("exec /bin/sh "+script), 0o600); err != nil {
		t.Fatal(err)
	}
	marker := fmt.Sprintf("exec-%d", os.Getpid())
	process, _ := startShell(t, marker, "exec /bin/sh "+script)
	for range 300 {
		ids, err := Find(marker, nil)
		if err != nil || len(ids) != 1 || ids[0] != process.ID {
			t.Fatalf("found %v, %v; want only %v", ids, err, process.ID)
		}
	}
}

func TestParseStat(t *testing.T) {
	rest := strings.Repeat("0 ", 18)
	tests := []struct {
		stat, state, start string
		ok                 bool
	}{
		{"7 (etcd) S " + rest + "4711 0", "S", "4711", true},
		{"7 (a ) b (c) Z " + rest + "12 0", "Z", "12", true},
		{"7 (etcd) S 1 2", "", "", false},
		{"", "", "", false},
	}
	for _, test := range tests {
		state, start, ok := parseStat(test.stat)
		if state != test.state || start != test.start || ok != test.ok {
			t.Errorf("%q: %q, %q, %v", test.stat, state, start, ok)
		}
	}
}
