// Package logtail quotes the end of a log in an error, where the reason why
// its process died usually is.
//
// It must not know whose log it is.
package logtail

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// lines is how much of a log an error quotes, and window how far from its end
// those are looked for.
const (
	lines  = 15
	window = 64 << 10
)

// Describe names the log and quotes its end.
func Describe(path string) string {
	tail, err := Read(path)
	switch {
	case err != nil:
		return fmt.Sprintf("its log %s cannot be read: %v", path, err)
	case tail == "":
		return fmt.Sprintf("its log %s is empty", path)
	}
	return fmt.Sprintf("the end of its log %s:\n%s", path, indentLines(tail))
}

// Read returns the last lines of a log.
func Read(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	data := make([]byte, min(size, window))
	n, err := file.ReadAt(data, size-int64(len(data)))
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	all := strings.Split(strings.TrimRight(string(data[:n]), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n"), nil
}

func indentLines(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }
