package version

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// locateLine returns the line of what a JSON pointer leads to in a document, from 1. Where a
// document has no such place, because it was read as another dialect, the line is that of the
// last part on the way that it has.
func locateLine(document []byte, pointer string) int {
	w := lineWalk{decoder: json.NewDecoder(bytes.NewReader(document)), document: document}
	w.line = 1
	if pointer != "" {
		_ = w.find(strings.Split(pointer, "/")[1:]) // a document that ends early has been refused before
	}
	return w.line
}

type lineWalk struct {
	decoder  *json.Decoder
	document []byte
	line     int
}

// find sets the line of the value that keys lead to. The decoder stands before the value that
// has the first key.
func (w *lineWalk) find(keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	open, err := w.decoder.Token()
	if err != nil {
		return err
	}
	key := strings.NewReplacer("~1", "/", "~0", "~").Replace(keys[0])
	for at := 0; w.decoder.More(); at++ {
		name := fmt.Sprint(at)
		if open == json.Delim('{') {
			token, err := w.decoder.Token()
			if err != nil {
				return err
			}
			name = fmt.Sprint(token)
		}
		if name == key {
			w.line = w.lineHere(open == json.Delim('['))
			return w.find(keys[1:])
		}
		if err := w.skip(); err != nil {
			return err
		}
	}
	return io.EOF
}

// lineHere returns the line of the token that was read last, or of the one that follows.
func (w *lineWalk) lineHere(next bool) int {
	at := int(w.decoder.InputOffset())
	for next && at < len(w.document) && bytes.IndexByte([]byte(" \t\r\n,"), w.document[at]) >= 0 {
		at++
	}
	return 1 + bytes.Count(w.document[:at], []byte("\n"))
}

func (w *lineWalk) skip() error {
	var value json.RawMessage
	return w.decoder.Decode(&value)
}
