package sampleapp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Dir is the application's folder below the root of the repository.
const Dir = "samples/app"

// manifests are the files that list the dependencies.
var manifests = []string{"package.json", "package-lock.json", ".npmrc"}

// Dependencies returns a directory node_modules with the production dependencies of
// the application in dir. It belongs to the cache and must not be written to.
func Dependencies(ctx context.Context, dir string) (string, error) {
	files := joinAll(dir, manifests)
	key, err := cacheKey([]string{"dependencies 1"}, files)
	if err != nil {
		return "", err
	}
	entry, err := ensureCached("dependencies-"+key, func(path string) error { return runNPM(ctx, path, files) })
	if err != nil {
		return "", err
	}
	return filepath.Join(entry, "node_modules"), nil
}

// runNPM installs the dependencies in a directory that holds the manifests alone.
func runNPM(ctx context.Context, dir string, files []string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.Join(err, errNoNode)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if err := copyFile(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			return err
		}
	}
	command := exec.CommandContext(ctx, npm, "ci", "--no-audit", "--no-fund")
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci, the registry may be out of reach: %w\n%s", err, out)
	}
	return nil
}

// errNoNode has the remedy for a machine without Node.js.
var errNoNode = errors.New("the sample application needs Node.js 18.18 or later and npm; on Debian: apt-get install --no-install-recommends nodejs npm")

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}

func joinAll(dir string, names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, filepath.Join(dir, name))
	}
	return out
}
