package assets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// prometheusEntry has the programs out of Debian's package, which is not
// installed: that would bring a service and a user.
func prometheusEntry() entry {
	programs := []string{"prometheus", "promtool"}
	return entry{
		name:  "prometheus",
		key:   digestParts(append([]string{"debian", debianRelease()}, programs...)...),
		names: map[string]string{"prometheus": "prometheus", "promtool": "promtool"},
		what:  "Prometheus and promtool, out of Debian's package",
		note:  "20 seconds to download",
		build: func(ctx context.Context, work work) error {
			found := map[string]string{}
			for _, name := range programs {
				if path, err := exec.LookPath(name); err == nil {
					found[name] = path
				}
			}
			if len(found) < len(programs) {
				if err := unpackPackage(ctx, work, "prometheus"); err != nil {
					return err
				}
				for _, name := range programs {
					found[name] = filepath.Join(work.dir("src"), "usr/bin", name)
				}
			}
			for _, name := range programs {
				if err := copyFile(found[name], work.resultPath(name)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// debianRelease is the release that packages are built for.
func debianRelease() string {
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return ""
	}
	return string(release)
}

// unpackPackage downloads a package and unpacks it into the work directory.
func unpackPackage(ctx context.Context, work work, name string) error {
	dir := work.dir("src")
	if err := runCommand(ctx, dir, "apt-get", "download", name); err != nil {
		// The lists may be old, or there may be none yet.
		if err := runCommand(ctx, dir, "apt-get", "update", "-q"); err != nil {
			return err
		}
		if err := runCommand(ctx, dir, "apt-get", "download", name); err != nil {
			return err
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, name+"_*.deb"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("apt-get download %s left %d packages, want 1", name, len(found))
	}
	return runCommand(ctx, dir, "dpkg-deb", "--extract", found[0], dir)
}

func runCommand(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("there is no %s here; put prometheus and promtool in PATH instead: %w", name, err)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, args[0], err, out)
	}
	return nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	if err := os.WriteFile(to, content, 0o755); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}
