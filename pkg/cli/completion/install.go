package completion

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	program = "kubectl-gati"
	// name is the program that kubectl looks for; main knows it.
	name = "kubectl_complete-gati"
)

// wrapper stands for the link on Windows, where making links is a privilege.
const wrapper = "@\"%~dp0kubectl-gati.exe\" __complete %*\r\n"

// addLink adds the program that kubectl asks, and returns the message about it.
func addLink(dir, goos string) (string, error) {
	if goos == "windows" {
		path := filepath.Join(dir, name+".cmd")
		if err := os.WriteFile(path, []byte(wrapper), 0o755); err != nil {
			return "", fmt.Errorf("write %s: %w", path, err)
		}
		return fmt.Sprintf("%s created; kubectl now completes kubectl gati", path), nil
	}
	return createLink(filepath.Join(dir, name))
}

// createLink makes the link, or finds it made. What else has the name is left alone.
func createLink(path string) (string, error) {
	err := os.Symlink(program, path)
	if err == nil {
		return fmt.Sprintf("%s -> %s created; kubectl now completes kubectl gati", path, program), nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("create the link: %w; use --dir to name another folder on the PATH with %s", err, program)
	}
	if target, err := os.Readlink(path); err == nil && target == program {
		return path + " already exists", nil
	}
	return "", fmt.Errorf("%s exists and is not a link to %s; remove it and try again", path, program)
}

// removeLink removes what install has added.
func removeLink(dir, goos string) (string, error) {
	path := filepath.Join(dir, name)
	if goos == "windows" {
		path += ".cmd"
	} else if target, err := os.Readlink(path); err == nil && target != program {
		return "", fmt.Errorf("%s links to %s; nothing removed", path, target)
	}
	switch err := os.Remove(path); {
	case errors.Is(err, fs.ErrNotExist):
		return path + " does not exist", nil
	case err != nil:
		return "", fmt.Errorf("remove the link: %w", err)
	default:
		return path + " removed", nil
	}
}
