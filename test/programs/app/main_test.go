package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gati.dev/gati/internal/sampleapp"
	"gati.dev/gati/test/support/watchdog"
)

// repository is the root of the repository, from here.
const repository = "../../.."

// user is the one that handler pods run as.
const user = 1001

// installed is the application with its dependencies, in a directory in which
// only .gati can be written.
var installed string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	return watchdog.Run("", func(folder string) int {
		installed = filepath.Join(folder, "app")
		// Programs that run as another user have to reach it.
		err := errors.Join(os.Chmod(folder, 0o755), os.Mkdir(installed, 0o755))
		if err == nil {
			err = layOut(installed)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "FAIL:", err)
			return 1
		}
		return m.Run()
	})
}

func layOut(dir string) error {
	source := filepath.Join(repository, sampleapp.Dir)
	dependencies, err := sampleapp.Dependencies(context.Background(), source)
	if err != nil {
		return err
	}
	for to, from := range map[string]string{"src": filepath.Join(source, "src"), "node_modules": dependencies} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			return err
		}
	}
	manifest, err := os.ReadFile(filepath.Join(source, "package.json"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), manifest, 0o644); err != nil {
		return err
	}
	return restrictWrites(dir)
}

// restrictWrites leaves .gati alone to be written. Root may write everywhere, so as
// root the programs run as the user of the pods.
func restrictWrites(dir string) error {
	state := filepath.Join(dir, ".gati")
	if err := os.Mkdir(state, 0o755); err != nil {
		return err
	}
	if os.Getuid() == 0 {
		if err := os.Chown(state, user, user); err != nil {
			return err
		}
	}
	return errors.Join(os.Chmod(filepath.Join(dir, "src"), 0o555), os.Chmod(dir, 0o555))
}
