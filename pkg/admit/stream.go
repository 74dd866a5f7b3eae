package admit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	textunicode "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const (
	// guessed is how much of a stream kubectl looks at to tell JSON from YAML.
	guessed = 4096
	// shortest is how much has to follow for it to go on as YAML.
	shortest = 4
)

// part is one document of a stream: its source, its place and its JSON.
type part struct {
	text []byte
	line int
	json []byte
	err  error
}

// stream takes a stream of JSON or YAML documents apart as kubectl does: JSON objects follow
// each other, a stream whose second object is none may go on as YAML, and documents of YAML
// are separated by lines that begin with ---. The order of bytes at the beginning of a file
// of UTF-16 is honoured.
//
// It exists beside k8s.io/apimachinery's YAMLOrJSONDecoder because that one tells no lines.
// FuzzStream holds that both read the same.
type stream struct {
	text  []byte
	parts []part
}

// readStream returns the documents of a stream without empty ones. After an error, no
// further document can be found.
func readStream(r io.Reader) ([]part, error) {
	text, err := io.ReadAll(transform.NewReader(r, textunicode.BOMOverride(textunicode.UTF8.NewDecoder())))
	if err != nil {
		return nil, err
	}
	s := stream{text: text}
	if !utilyaml.IsJSONBuffer(text[:min(len(text), guessed)]) {
		return s.parts, s.readYAML(0, nil)
	}
	offset, err := s.readJSON()
	if err == nil {
		return s.parts, nil
	}
	// With no more than one object it may be YAML whose first document looks like JSON.
	if begin, isMore := s.skipSpace(offset); isMore && len(s.parts) <= 1 {
		err = s.readYAML(begin, err)
	}
	return s.parts, err
}

// readJSON reads objects until the end, or until one is none. It returns where that is.
func (s *stream) readJSON() (offset int, err error) {
	for d := json.NewDecoder(bytes.NewReader(s.text)); ; {
		var object json.RawMessage
		switch err := d.Decode(&object); {
		case errors.Is(err, io.EOF):
			return offset, nil
		case err != nil:
			return offset, s.errorAt(offsetOf(err, offset), err)
		}
		end := int(d.InputOffset())
		s.add(part{text: s.text[offset:end], line: s.lineAt(end - len(object)), json: object})
		offset = end
	}
}

// readYAML reads documents of YAML from an offset on. instead is the error of a stream that
// began as JSON: as in kubectl, a fault is then reported as one of JSON.
func (s *stream) readYAML(offset int, instead error) error {
	rest := bytes.NewReader(s.text[offset:])
	buffered := bufio.NewReader(rest)
	documents := utilyaml.NewYAMLReader(buffered)
	for {
		start := len(s.text) - rest.Len() - buffered.Buffered()
		document, err := documents.Read()
		end := len(s.text) - rest.Len() - buffered.Buffered()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.errorAt(end-1, err)
		}
		p := s.trimDocument(start, end)
		if p.json, p.err = yaml.YAMLToJSON(document); p.err != nil && instead != nil {
			return instead
		}
		if p.err != nil {
			p.err = p.toldAsOfFile()
		}
		s.add(p)
	}
}

// offsetOf returns where the text is no JSON, or the offset behind the last object.
func offsetOf(err error, behind int) int {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return int(syntax.Offset) - 1
	}
	return behind
}

// add adds a document, unless it is empty.
func (s *stream) add(p part) {
	if p.err != nil || len(p.json) > 0 && !bytes.Equal(p.json, []byte("null")) {
		s.parts = append(s.parts, p)
	}
}

// skipSpace returns where YAML begins behind an object of JSON, which is behind the white
// space up to the end of its line, and reports whether there is any.
func (s *stream) skipSpace(offset int) (begin int, isMore bool) {
	for len(s.text)-offset >= shortest {
		r, size := utf8.DecodeRune(s.text[offset:])
		switch {
		case r == utf8.RuneError:
			return offset, false
		case !unicode.IsSpace(r):
			return offset, true
		case r == '\n':
			return offset + size, true
		}
		offset += size
	}
	return offset, false
}

// trimDocument returns the document between two offsets without the separators around it.
func (s *stream) trimDocument(start, end int) part {
	text := s.text[start:end]
	for bytes.HasPrefix(text, []byte("---")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	from := end - len(text)
	if i := bytes.LastIndexByte(bytes.TrimRight(text, "\n"), '\n'); i >= 0 && bytes.HasPrefix(text[i+1:], []byte("---")) {
		text = text[:i+1]
	}
	return part{text: text, line: s.lineAt(from)}
}

// toldAsOfFile returns the error of a document with the line of the file: read behind as many
// empty lines as stand before it.
func (p *part) toldAsOfFile() error {
	padded := append(bytes.Repeat([]byte("\n"), p.line-1), p.text...)
	if _, err := yaml.YAMLToJSON(padded); err != nil {
		return err
	}
	return p.err
}

// lineAt returns the line of an offset.
func (s *stream) lineAt(offset int) int { return 1 + bytes.Count(s.text[:offset], []byte("\n")) }

// errorAt returns an error of the stream with its line.
func (s *stream) errorAt(offset int, err error) error {
	return fmt.Errorf("line %d: %w", s.lineAt(min(max(offset, 0), len(s.text))), err)
}
