package appimage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	gatikubernetes "gati.dev/gati/runtime"
)

// manager installs the dependencies that a lock file lists.
type manager struct {
	name, lockFile string
	// lock brings the lock file up to what package.json says, which is written anew.
	// install installs what it lists; production leaves out what development needs.
	lock, install, production, development []string
}

// managers are those whose lock files are read. The first is that of folders without one.
// Scripts of packages are not run: they would make each build another.
var managers = []manager{
	{
		name: "npm", lockFile: "package-lock.json",
		lock:       []string{"install", "--package-lock-only", "--ignore-scripts", "--prefer-offline", "--install-links", "--no-audit", "--no-fund"},
		install:    []string{"ci", "--ignore-scripts", "--prefer-offline", "--install-links", "--no-audit", "--no-fund"},
		production: []string{"--omit=dev"}, development: []string{"--include=dev"},
	},
	{
		name: "pnpm", lockFile: "pnpm-lock.yaml",
		lock:       []string{"install", "--lockfile-only", "--ignore-scripts", "--prefer-offline", "--config.node-linker=hoisted", "--ignore-workspace"},
		install:    []string{"install", "--frozen-lockfile", "--ignore-scripts", "--prefer-offline", "--config.node-linker=hoisted", "--config.package-import-method=copy", "--ignore-workspace"},
		production: []string{"--prod"}, development: []string{"--prod=false"},
	},
	{
		name: "yarn", lockFile: "yarn.lock",
		lock:       []string{"install", "--ignore-scripts", "--non-interactive", "--prefer-offline"},
		install:    []string{"install", "--frozen-lockfile", "--ignore-scripts", "--non-interactive", "--prefer-offline"},
		production: []string{"--production=true"}, development: []string{"--production=false"},
	},
}

// settings are the files by which npm, pnpm and yarn learn of registries.
var settings = []string{".npmrc", ".yarnrc"}

func findManager(dir string) manager {
	for _, m := range managers {
		if _, err := os.Stat(filepath.Join(dir, m.lockFile)); err == nil {
			return m
		}
	}
	return managers[0]
}

// manifests are the files by which the dependencies of an application are installed, in a
// folder of the cache.
type manifests struct {
	manager manager
	dir     string
}

// lockDependencies decides the version of each dependency: as the lock file of the
// application says, where it has one. Without one it is decided once for the cache.
func lockDependencies(ctx context.Context, s Source) (manifests, error) {
	work, err := os.MkdirTemp("", "gati-build-")
	if err != nil {
		return manifests{}, err
	}
	defer os.RemoveAll(work)
	m, err := layOutManifests(s, work)
	if err != nil {
		return m, err
	}
	files, err := listFiles(work)
	if err != nil {
		return m, err
	}
	key, err := cacheKey(append([]string{"lock 1", m.manager.name}, m.manager.lock...), files)
	if err != nil {
		return m, err
	}
	m.dir, err = ensureCached("lock-"+key, func(path string) error {
		if err := os.CopyFS(path, os.DirFS(work)); err != nil {
			return err
		}
		if err := m.manager.run(ctx, path, m.manager.lock); err != nil {
			return err
		}
		return os.RemoveAll(filepath.Join(path, "node_modules")) // Yarn installs what it locks.
	})
	return m, err
}

// layOutManifests copies the manifests of an application into a folder.
func layOutManifests(s Source, to string) (manifests, error) {
	from := s.Dir
	m := manifests{findManager(from), to}
	text, err := installable(s.Manifest)
	if err != nil {
		return m, err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(to, "package.json"), text, 0o644),
		os.CopyFS(filepath.Join(to, runnerDir), gatikubernetes.Files),
	)
	for _, name := range append([]string{m.manager.lockFile}, settings...) {
		if copied := copyFile(filepath.Join(from, name), filepath.Join(to, name)); !errors.Is(copied, fs.ErrNotExist) {
			err = errors.Join(err, copied)
		}
	}
	if err != nil {
		return m, err
	}
	return m, dropPaths(filepath.Join(to, "package-lock.json"))
}

// dropPaths removes from a lock file of npm what it has from paths of the author's machine.
func dropPaths(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var lock struct {
		Version  int                        `json:"lockfileVersion"`
		Packages map[string]json.RawMessage `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("package-lock.json: %w", err)
	}
	if lock.Packages == nil {
		return nil // A lock file of npm 6 or earlier.
	}
	for name, one := range lock.Packages {
		var p struct {
			Resolved string
			Link     bool
		}
		if err := json.Unmarshal(one, &p); err != nil {
			return fmt.Errorf("package-lock.json: %s: %w", name, err)
		}
		if p.Link || strings.HasPrefix(p.Resolved, "file:") || !strings.HasPrefix(name, "node_modules/") {
			delete(lock.Packages, name)
		}
	}
	if text, err = json.Marshal(lock); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// install returns a folder node_modules with the dependencies, for production or for
// development too. It belongs to the cache and must not be written to.
func (m manifests) install(ctx context.Context, wanted []string) (string, error) {
	files, err := listFiles(m.dir)
	if err != nil {
		return "", err
	}
	key, err := cacheKey(append([]string{"dependencies 3", m.manager.name}, wanted...), files)
	if err != nil {
		return "", err
	}
	entry, err := ensureCached("dependencies-"+key, func(path string) error {
		if err := os.CopyFS(path, os.DirFS(m.dir)); err != nil {
			return err
		}
		if err := m.manager.run(ctx, path, append(m.manager.install[:len(m.manager.install):len(m.manager.install)], wanted...)); err != nil {
			return err
		}
		return m.manager.buildNative(ctx, path)
	})
	return filepath.Join(entry, "node_modules"), err
}

// run runs the manager in a folder.
func (m manager) run(ctx context.Context, dir string, args []string) error {
	program, err := exec.LookPath(m.name)
	if err != nil {
		return fmt.Errorf("the application has %s, and there is no %s on this machine: %w; %s", m.lockFile, m.name, err, remedyFor(m.name))
	}
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", m.name, args[0], err, summarize(string(out)))
	}
	return nil
}

func remedyFor(manager string) string {
	if manager == "npm" {
		return nodeRemedy
	}
	return "install it with npm install --global " + manager
}

// summarize returns what an install says of its failure, without the paths of its log.
func summarize(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "npm error"), "npm ERR!"))
		if line != "" && !strings.HasPrefix(line, "npm warn") && !strings.Contains(line, "complete log") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-maxLines):], "\n")
}

// maxLines is how much of a failure is shown.
const maxLines = 12

// buildNative compiles the packages that are made of C++. Optional ones are removed: they
// take minutes, and what needs them runs without.
func (m manager) buildNative(ctx context.Context, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // Only npm writes it.
	}
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]struct{ Optional bool }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return err
	}
	var needed []string
	for path, p := range lock.Packages {
		if _, err := os.Stat(filepath.Join(dir, path, "binding.gyp")); err != nil {
			continue
		}
		if !p.Optional {
			needed = append(needed, path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):])
		} else if err := os.RemoveAll(filepath.Join(dir, path)); err != nil {
			return err
		}
	}
	if len(needed) == 0 {
		return nil
	}
	return m.run(ctx, dir, append([]string{"rebuild", "--ignore-scripts=false"}, needed...))
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

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
