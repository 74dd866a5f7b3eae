package local

import (
	"strings"
	"testing"
)

func TestPidOf(t *testing.T) {
	const table = "COMPONENT  PID   HEALTH  URL\netcd       4711  ok      http://127.0.0.1:1\ntraefik    -     it has ended  http://127.0.0.1:2\n"
	if pid, err := parsePid(table, "etcd"); pid != 4711 || err != nil {
		t.Errorf("etcd: got %d and %v, want 4711", pid, err)
	}
	for component, want := range map[string]string{"traefik": "does not run", "kwok": "no component kwok"} {
		if pid, err := parsePid(table, component); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %d and %v, want an error with %q", component, pid, err, want)
		}
	}
}
