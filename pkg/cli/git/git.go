// Package git reads revisions with the user's own git.
//
// It must not change a repository, nor know what the files are.
package git

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Read returns what git prints in a folder. The error has what git says.
func Read(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var problems strings.Builder
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problems.String()))
	}
	return out, nil
}
