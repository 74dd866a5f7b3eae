package gittest_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"

	"gati.dev/gati/internal/testing/gittest"
)

// TestCheckLinearDuringPushes checks a repository while another writer pushes to it, as
// controllers do that run on while a test looks.
func TestCheckLinearDuringPushes(t *testing.T) {
	bare := gittest.NewBare(t)
	bare.Seed("main", "first", map[string]string{"a": "first"})
	pushed := make(chan error, 1)
	folder := t.TempDir()
	go func() { pushed <- pushes(folder, bare.Path, 25) }()
	for {
		bare.CheckLinear("main")
		select {
		case err := <-pushed:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
}

// pushes clones a repository and pushes commits to it one by one.
func pushes(folder, path string, count int) error {
	clone := exec.Command("git", "clone", "--quiet", path, folder)
	if out, err := clone.CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %w: %s", err, out)
	}
	for i := range count {
		commit := exec.Command("git", "-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.com",
			"commit", "--quiet", "--allow-empty", "-m", fmt.Sprint(i))
		push := exec.Command("git", "-C", folder, "push", "--quiet", "origin", "main")
		for _, cmd := range []*exec.Cmd{commit, push} {
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w: %s", cmd, err, stderr.String())
			}
		}
	}
	return nil
}
