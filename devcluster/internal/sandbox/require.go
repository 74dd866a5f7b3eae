package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Need is a program that a node cannot do without.
type Need struct {
	// Paths are where it may be; a name without a slash is looked for in PATH.
	Paths []string
	// Package is its package on Debian.
	Package string
}

// CNIDirs is where network plugins are kept: by Debian, by their own release,
// by Fedora.
var CNIDirs = []string{"/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"}

// Needs lists what a node is made of that is not built here.
func Needs() []Need {
	var bridge []string
	for _, dir := range CNIDirs {
		bridge = append(bridge, filepath.Join(dir, "bridge"))
	}
	return []Need{
		{[]string{"unshare"}, "util-linux"},
		{[]string{"nsenter"}, "util-linux"},
		{[]string{"mount"}, "mount"},
		{[]string{"ip"}, "iproute2"},
		{[]string{"iptables"}, "iptables"},
		{[]string{"conntrack"}, "conntrack"},
		{[]string{"runc"}, "runc"},
		{bridge, "containernetworking-plugins"},
	}
}

func (n Need) isMet() bool {
	return slices.ContainsFunc(n.Paths, func(path string) bool {
		_, err := exec.LookPath(path)
		return err == nil
	})
}

// missingPackages returns the packages of the missing programs, each once.
func missingPackages(needs []Need) []string {
	var packages []string
	for _, need := range needs {
		if !need.isMet() && !slices.Contains(packages, need.Package) {
			packages = append(packages, need.Package)
		}
	}
	return packages
}

// Require tells why there can be no real node here, and installs what is
// missing where that is possible.
func Require(ctx context.Context, say func(format string, args ...any)) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("--nodes real runs containers, which needs Linux and root, and this is %s; use --nodes kwok:N, or a Linux machine", runtime.GOOS)
	}
	if os.Geteuid() != 0 {
		return errors.New("--nodes real runs containers, which needs root; run devcluster as root, or use --nodes kwok:N")
	}
	packages := missingPackages(Needs())
	if len(packages) == 0 {
		return nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return fmt.Errorf("--nodes real needs programs that are not here; install what Debian packages as %s", strings.Join(packages, ", "))
	}
	say("installing Debian packages, without starting a service: %s", strings.Join(packages, " "))
	if err := installPackages(ctx, apt, packages); err != nil {
		return err
	}
	if still := missingPackages(Needs()); len(still) > 0 {
		return fmt.Errorf("the packages %s are installed, and what --nodes real needs of them is still not in PATH (%s)", strings.Join(still, ", "), os.Getenv("PATH"))
	}
	return nil
}

// policy is the program that Debian runs before a package starts its service. Exit
// code 101 forbids it.
const policy = "/usr/sbin/policy-rc.d"

// installPackages installs packages and keeps their services from being started.
func installPackages(ctx context.Context, apt string, packages []string) error {
	file, err := os.OpenFile(policy, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	switch {
	case err == nil:
		defer func() { _ = os.Remove(policy) }()
		_, err = file.WriteString("#!/bin/sh\nexit 101\n")
		if err := errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("keep packages from starting services: %w", err)
		}
	case !errors.Is(err, os.ErrExist): // an existing one is the user's decision
		return fmt.Errorf("keep packages from starting services: %w", err)
	}
	// Another installation may be under way on the machine.
	args := append([]string{"install", "-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"}, packages...)
	if aptGet(ctx, apt, args) == nil {
		return nil
	}
	// The lists may be old, or there may be none yet.
	if err := aptGet(ctx, apt, []string{"update", "-q"}); err != nil {
		return err
	}
	return aptGet(ctx, apt, args)
}

func aptGet(ctx context.Context, apt string, args []string) error {
	cmd := exec.CommandContext(ctx, apt, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
	}
	return nil
}
