package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestStep(t *testing.T) {
	var out bytes.Buffer
	r := New(&out)
	r.interval = 5 * time.Millisecond
	done := r.Step("building it")
	time.Sleep(60 * time.Millisecond)
	done()
	done() // A second call is harmless.
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if lines[0] != "devcluster: building it" {
		t.Errorf("it begins with %q", lines[0])
	}
	if len(lines) < 2 || lines[1] != "devcluster: building it: 0s so far" {
		t.Errorf("it goes on with %q", lines[1:])
	}
}

func TestQuickStepSaysNothing(t *testing.T) {
	var out bytes.Buffer
	New(&out).Quiet("waiting")()
	if out.Len() > 0 {
		t.Errorf("it says %q", out.String())
	}
}
