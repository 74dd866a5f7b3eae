package appimage

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAnEntryIsMadeOnce(t *testing.T) {
	t.Setenv("GATI_CACHE", t.TempDir())
	made := 0
	for range 2 {
		path, err := ensureCached("entry", func(path string) error {
			made++
			return os.WriteFile(path, []byte("whole"), 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != "whole" {
			t.Errorf("got %q and error %v", content, err)
		}
	}
	if made != 1 {
		t.Errorf("made %d times, want once", made)
	}
}

// TestAFailureLeavesNothing holds that half an entry is never taken for one.
func TestAFailureLeavesNothing(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GATI_CACHE", cache)
	problem := errors.New("no registry")
	_, err := ensureCached("entry", func(path string) error {
		return errors.Join(problem, os.WriteFile(path, []byte("half"), 0o600))
	})
	if !errors.Is(err, problem) {
		t.Errorf("got %v", err)
	}
	left, err := os.ReadDir(filepath.Join(cache, "applications"))
	if err != nil || len(left) != 0 {
		t.Errorf("left %v, error %v", left, err)
	}
}

func TestTheKeyIsThatOfTheContent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	keys := map[string]bool{}
	for _, content := range []string{"a", "b"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, texts := range [][]string{{"x"}, {"y"}, {"x", "y"}, {"xy"}} {
			key, err := cacheKey(texts, []string{file})
			if err != nil {
				t.Fatal(err)
			}
			keys[key] = true
		}
	}
	if len(keys) != 8 {
		t.Errorf("got %d keys, want 8", len(keys))
	}
	if _, err := cacheKey(nil, []string{file + "-missing"}); err == nil {
		t.Error("a missing file has a key")
	}
}
