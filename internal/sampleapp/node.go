package sampleapp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Node returns the machine's Node.js.
func Node() (string, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return "", errors.Join(err, errNoNode)
	}
	return filepath.EvalSymlinks(path)
}

// runtimeFiles are the files of this machine that its Node.js needs besides
// itself, by the paths at which it looks for them.
func runtimeFiles(ctx context.Context, node string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "ldd", node).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("ldd %s, the image is built on Linux only: %w\n%s", node, err, out)
	}
	files, err := libraries(string(out))
	if err != nil {
		return nil, err
	}
	for _, binary := range append([]string{node}, files...) {
		scripts, err := ownScripts(binary)
		if err != nil {
			return nil, err
		}
		files = append(files, scripts...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// libraries reads the output of ldd. A line that names no file is one of the
// kernel's.
func libraries(ldd string) ([]string, error) {
	var found []string
	for line := range strings.Lines(ldd) {
		if strings.Contains(line, "not found") {
			return nil, fmt.Errorf("ldd: %s", strings.TrimSpace(line))
		}
		if _, after, ok := strings.Cut(line, "=>"); ok {
			line = after
		}
		path, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if filepath.IsAbs(path) {
			found = append(found, path)
		}
	}
	return found, nil
}

// script is how the path of a script of Debian's Node.js looks.
var script = regexp.MustCompile(`/usr/share/nodejs/[A-Za-z0-9@/._-]+\.js\x00`)

// ownScripts finds the scripts that a binary reads when it starts. Debian builds
// Node.js without the parts that it packages elsewhere, and compiles in where
// they lie; without them Node.js does not start.
func ownScripts(binary string) ([]string, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, match := range script.FindAll(content, -1) {
		path := string(bytes.TrimSuffix(match, []byte{0}))
		if _, err := os.Stat(path); err == nil {
			found = append(found, path)
		}
	}
	return found, nil
}
