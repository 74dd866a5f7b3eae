package assets

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"gati.dev/gati/devcluster/internal/progress"
)

func TestKey(t *testing.T) {
	base := digestParts("go1", "flags", "source")
	tests := map[string][]string{
		"another Go version":   {"go2", "flags", "source"},
		"other flags":          {"go1", "flag", "source"},
		"other source":         {"go1", "flags", "source2"},
		"a part more":          {"go1", "flags", "source", ""},
		"the same bytes moved": {"go1f", "lags", "source"},
	}
	for name, parts := range tests {
		if digestParts(parts...) == base {
			t.Errorf("%s: the key does not change", name)
		}
	}
	if digestParts("go1", "flags", "source") != base || len(base) != 16 {
		t.Errorf("the key %q is not stable or not 16 digits long", base)
	}
}

func TestKeysHoldTheirInputs(t *testing.T) {
	one, two := goTool{fingerprint: "go1.26.0"}, goTool{fingerprint: "go1.26.1"}
	if kubeboxEntry(one).key == kubeboxEntry(two).key || kwokEntry(one).key == kwokEntry(two).key {
		t.Error("the Go version is not part of the key")
	}
	for _, command := range []string{"kubebox", "kubectl", "kubenode", "pause", "podtargets"} {
		files, content := moduleSource(command)
		for _, path := range []string{"go.mod", "go.sum", "cmd/" + command + "/main.go"} {
			if len(files[path]) == 0 {
				t.Errorf("%s is not embedded", path)
			}
		}
		if len(content) != 2*len(files) {
			t.Errorf("%s: %d of %d files are digested", command, len(content)/2, len(files))
		}
	}
}

func TestOwnFlags(t *testing.T) {
	tests := map[string]string{
		"":                             "-trimpath",
		"\n":                           "-trimpath",
		"-buildvcs=false":              "-trimpath",
		"-mod=vendor -tags=a,b -p=1":   "-trimpath -p=1",
		"--modfile=x -trimpath=false ": "-trimpath",
	}
	for goflags, want := range tests {
		if got := ownFlags(goflags); got != want {
			t.Errorf("%q: got %q, want %q", goflags, got, want)
		}
	}
}

func testBuilder(t *testing.T) Builder {
	return Builder{Cache: t.TempDir(), Progress: progress.New(io.Discard)}
}

func TestEnsureBuildsOnce(t *testing.T) {
	b := testBuilder(t)
	var builds atomic.Int32
	e := entry{name: "thing", key: digestParts("1"), build: func(_ context.Context, w work) error {
		builds.Add(1)
		return os.WriteFile(w.resultPath("thing"), nil, 0o755)
	}}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			dir, err := b.ensureEntry(context.Background(), e)
			if err != nil || !pathExists(filepath.Join(dir, "thing")) {
				t.Errorf("ensure: %v in %s", err, dir)
			}
		})
	}
	group.Wait()
	if n := builds.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
	if left, _ := os.ReadDir(filepath.Join(b.Cache, "tmp")); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
}

func TestFailedBuildLeavesNoEntry(t *testing.T) {
	b := testBuilder(t)
	fail := true
	e := entry{name: "thing", key: digestParts("1"), build: func(_ context.Context, w work) error {
		if pathExists(w.resultPath("half")) {
			t.Error("the work of an earlier build is still there")
		}
		if err := os.WriteFile(w.resultPath("half"), nil, 0o755); err != nil {
			return err
		}
		if fail {
			return errors.New("no")
		}
		return nil
	}}
	if _, err := b.ensureEntry(context.Background(), e); err == nil {
		t.Fatal("no error")
	}
	// A builder that was killed does not even clear its work directory.
	killed := filepath.Join(b.Cache, "tmp", e.id(), "out")
	if err := errors.Join(os.MkdirAll(killed, 0o755), os.WriteFile(filepath.Join(killed, "half"), nil, 0o755)); err != nil {
		t.Fatal(err)
	}
	fail = false
	if _, err := b.ensureEntry(context.Background(), e); err != nil {
		t.Fatal(err)
	}
}
