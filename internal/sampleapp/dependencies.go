package sampleapp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Dir is the application's folder below the root of the repository.
const Dir = "samples/app"

// packageDir returns the folder of the package for an application in dir.
func packageDir(dir string) string { return filepath.Join(dir, "..", "..", "runtime") }

// manifests are the files that list the dependencies.
var manifests = []string{"package.json", "package-lock.json", ".npmrc"}

// Dependencies returns a directory node_modules with the production dependencies of
// the application in dir. It belongs to the cache and must not be written to.
func Dependencies(ctx context.Context, dir string) (string, error) {
	files, err := packageFiles(dir)
	if err != nil {
		return "", err
	}
	key, err := cacheKey([]string{"dependencies 2"}, append(joinAll(dir, manifests), files...))
	if err != nil {
		return "", err
	}
	entry, err := ensureCached("dependencies-"+key, func(path string) error { return installDependencies(ctx, path, dir) })
	if err != nil {
		return "", err
	}
	return filepath.Join(entry, Dir, "node_modules"), nil
}

// packageFiles lists the files of the package that an application imports.
func packageFiles(dir string) ([]string, error) {
	root := packageDir(dir)
	files, err := listFiles(filepath.Join(root, "src"))
	return append(files, filepath.Join(root, "package.json")), err
}

// sourceFiles lists what an application's programs are made of: its own files and
// those of the package.
func sourceFiles(dir string) ([]string, error) {
	own, err := listFiles(filepath.Join(dir, "src"))
	if err != nil {
		return nil, err
	}
	imported, err := packageFiles(dir)
	return append(own, imported...), err
}

func listFiles(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// installDependencies lays out manifests and package as in the repository, and installs the
// dependencies there.
func installDependencies(ctx context.Context, at, dir string) error {
	files, err := packageFiles(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		name, err := filepath.Rel(packageDir(dir), file)
		if err != nil {
			return err
		}
		to := filepath.Join(packageDir(filepath.Join(at, Dir)), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), copyFile(file, to)); err != nil {
			return err
		}
	}
	return runNPM(ctx, filepath.Join(at, Dir), joinAll(dir, manifests))
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
