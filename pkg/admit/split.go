package admit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// part is one document of a stream, and its first line.
type part struct {
	text []byte
	line int
}

// split splits a stream of YAML documents like kubectl. It omits documents of comments
// and white space.
func split(r io.Reader) ([]part, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var out []part
	current, number := part{line: 1}, 0
	flush := func() {
		if !isBlank(current.text) {
			out = append(out, current)
		}
		current = part{line: number + 1}
	}
	for line := range bytes.Lines(text) {
		number++
		rest, isSeparator := bytes.CutPrefix(line, []byte("---"))
		if !isSeparator {
			current.text = append(current.text, line...)
			continue
		}
		if behind := strings.TrimSpace(string(rest)); behind != "" && behind[0] != '#' {
			flush()
			return out, fmt.Errorf("line %d: only a comment may stand behind ---, not %q", number, behind)
		}
		flush()
	}
	flush()
	return out, nil
}

// isBlank reports whether a document contains only comments and white space.
func isBlank(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// errNoObject is the error of a document that is no Kubernetes object.
var errNoObject = errors.New("has no apiVersion or no kind, so it is no Kubernetes object")
