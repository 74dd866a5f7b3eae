// Package devcluster gives images to a cluster of the program devcluster, whose nodes pull
// none.
//
// It must not know what the images are.
package devcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gati.dev/gati/pkg/cli/env"
)

const program = "devcluster"

// Dir returns the folder of the cluster that the kubeconfig is of, empty where it is none of
// devcluster's: these keep their state beside their kubeconfig.
func Dir(e *env.Env) string {
	for _, path := range e.Config.ToRawKubeConfigLoader().ConfigAccess().GetLoadingPrecedence() {
		dir := filepath.Dir(path)
		if info, err := os.Stat(filepath.Join(dir, "state.json")); err == nil && info.Mode().IsRegular() {
			return dir
		}
	}
	return ""
}

// Load loads the images of an archive into the nodes of a cluster.
func Load(ctx context.Context, dir, archive string) error {
	path, err := find()
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, path, "image", "load", archive, "--dir", dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("load the image into the devcluster of %s: %w: %s", dir, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// find returns the path of devcluster: beside this program, or where a shell finds it.
func find() (string, error) {
	own, err := os.Executable()
	if err == nil {
		beside := filepath.Join(filepath.Dir(own), program)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(program)
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%w; build it with make build, and put it beside kubectl-gati or on the PATH", err)
	}
	return path, err
}
