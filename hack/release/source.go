package main

import (
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// source is the commit that a release is made from.
type source struct {
	commit string
	time   time.Time
}

// readSource returns the commit of a checkout, and an error if files differ from it: the
// provenance would name a commit that does not give these bytes.
func readSource(root string) (source, error) {
	changed, err := runGit(root, "status", "--porcelain")
	if err != nil {
		return source{}, err
	}
	if changed != "" {
		return source{}, fmt.Errorf("the checkout differs from its commit; commit or remove these first:\n%s", changed)
	}
	commit, err := runGit(root, "rev-parse", "HEAD")
	if err != nil {
		return source{}, err
	}
	text, err := runGit(root, "log", "-1", "--format=%cI")
	if err != nil {
		return source{}, err
	}
	at, err := time.Parse(time.RFC3339, text)
	return source{commit, at}, err
}

func runGit(root string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
