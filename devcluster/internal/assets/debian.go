package assets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// prometheusEntry is the program out of Debian's package, which is not
// installed: that would bring a service and a user.
func prometheusEntry() entry {
	return entry{
		name:  "prometheus",
		key:   key("debian", "prometheus", debianRelease()),
		names: map[string]string{"prometheus": "prometheus"},
		what:  "Prometheus, out of Debian's package",
		note:  "20 seconds to download",
		build: func(ctx context.Context, work work) error {
			if path, err := exec.LookPath("prometheus"); err == nil {
				return copyFile(path, work.out("prometheus"))
			}
			if err := unpack(ctx, work, "prometheus"); err != nil {
				return err
			}
			return copyFile(filepath.Join(work.dir("src"), "usr/bin/prometheus"), work.out("prometheus"))
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

// unpack downloads a package and unpacks it into the work directory.
func unpack(ctx context.Context, work work, name string) error {
	dir := work.dir("src")
	if err := command(ctx, dir, "apt-get", "download", name); err != nil {
		// The lists may be old, or there may be none yet.
		if err := command(ctx, dir, "apt-get", "update", "-q"); err != nil {
			return err
		}
		if err := command(ctx, dir, "apt-get", "download", name); err != nil {
			return err
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, name+"_*.deb"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("apt-get download %s left %d packages, want 1", name, len(found))
	}
	return command(ctx, dir, "dpkg-deb", "--extract", found[0], dir)
}

func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("there is no %s here; put prometheus in PATH instead: %w", name, err)
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
