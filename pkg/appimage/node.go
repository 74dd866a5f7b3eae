package appimage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// nodeRemedy is for a machine without Node.js.
const nodeRemedy = "install Node.js 18.18 or later with npm; on Debian: apt-get install --no-install-recommends nodejs npm"

// FindNode returns the path of the machine's Node.js.
func FindNode() (string, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("%w; %s", err, nodeRemedy)
	}
	return filepath.EvalSymlinks(path)
}

// runtimeFiles returns the files that Node.js needs besides itself, by the paths at
// which it looks for them.
func runtimeFiles(ctx context.Context, node string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "ldd", node).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("ldd %s, an image of this machine's Node.js is built on Linux only; name one of a registry with --base: %w\n%s", node, err, out)
	}
	files, err := parseLibraries(string(out))
	if err != nil {
		return nil, err
	}
	for _, binary := range append([]string{node}, files...) {
		scripts, err := findScripts(binary)
		if err != nil {
			return nil, err
		}
		files = append(files, scripts...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// parseLibraries parses the output of ldd. A line without a file is a library of
// the kernel.
func parseLibraries(ldd string) ([]string, error) {
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

// scriptPattern matches the paths of scripts of Debian's Node.js.
var scriptPattern = lazyregexp.New(`/usr/share/nodejs/[A-Za-z0-9@/._-]+\.js\x00`)

// findScripts returns the scripts that a binary reads when it starts. Debian builds
// Node.js without the parts that it packages elsewhere and compiles in their paths;
// without them Node.js does not start.
func findScripts(binary string) ([]string, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var found []string
	text := string(content)
	for _, at := range scriptPattern.FindAllStringSubmatchIndex(text) {
		path := strings.TrimSuffix(text[at[0]:at[1]], "\x00")
		if _, err := os.Stat(path); err == nil {
			found = append(found, path)
		}
	}
	return found, nil
}
