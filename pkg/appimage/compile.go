package appimage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// compileConfig is the name of the compiler's settings, which extend the folder's own.
const compileConfig = "tsconfig.gati-kubernetes.json"

// compile compiles the code of an application into dist of a folder.
func compile(ctx context.Context, s Source, to, dependencies string) error {
	files, err := layOutCode(s.Dir, to)
	if err != nil {
		return err
	}
	err = errors.Join(
		os.Symlink(dependencies, filepath.Join(to, "node_modules")),
		os.WriteFile(filepath.Join(to, compileConfig), s.Config, 0o644),
	)
	if err != nil {
		return err
	}
	if err := runCompiler(ctx, to); err != nil {
		return err
	}
	return copyBeside(to, files)
}

// readByCode are the files of the folder itself that code imports, such as gati.config.ts.
var readByCode = lazyregexp.New(`\.([cm]?[jt]sx?|json)$`)

// layOutCode copies the input of the compiler, and returns the paths of the files in src.
func layOutCode(from, to string) ([]string, error) {
	if err := os.CopyFS(filepath.Join(to, "src"), os.DirFS(filepath.Join(from, "src"))); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && readByCode.MatchString(name) {
			if err := copyFile(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
				return nil, err
			}
		}
	}
	return listFiles(filepath.Join(to, "src"))
}

func runCompiler(ctx context.Context, dir string) error {
	node, err := FindNode()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, node, "node_modules/typescript/bin/tsc", "--project", compileConfig, "--pretty", "false")
	command.Dir = dir
	out, err := command.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return CompileError{findErrors(string(out))}
	}
	return nil
}

// CompileError has the errors of the compiler, each with its place.
type CompileError struct{ Errors []string }

func (e CompileError) Error() string {
	return fmt.Sprintf("the code does not compile:\n%s", strings.Join(e.Errors, "\n"))
}

var errorPattern = lazyregexp.New(`^(.+)\((\d+),(\d+)\): error (TS\d+): (.*)$`)

// findErrors returns the errors of the compiler as file:line:column, and whatever else it
// says as it is.
func findErrors(out string) (found []string) {
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if m := errorPattern.FindStringSubmatch(line); m != nil {
			line = fmt.Sprintf("%s:%s:%s: %s (%s)", m[1], m[2], m[3], m[5], m[4])
		}
		found = append(found, line)
	}
	return found
}

// compiled are the files that the compiler writes others for.
var compiled = lazyregexp.New(`\.[cm]?tsx?$`)

// copyBeside copies the files of src that the compiler leaves where they are, such as JSON
// and templates, to where it has put the code.
func copyBeside(dir string, files []string) error {
	place := filepath.Join(dir, "dist")
	if _, err := os.Stat(filepath.Join(place, "src")); err == nil { // Code outside of src is compiled too.
		place = filepath.Join(place, "src")
	}
	for _, from := range files {
		name, err := filepath.Rel(filepath.Join(dir, "src"), from)
		if err != nil {
			return err
		}
		to := filepath.Join(place, name)
		if _, err := os.Stat(to); compiled.MatchString(name) || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), copyFile(from, to)); err != nil {
			return err
		}
	}
	return nil
}
