package signals

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// What a pod answers is its author's: only a line of it is in memory at a time, and only
// samples that are asked for are parsed. (expfmt keeps the whole text as objects, and
// compares each label with all others.)
const (
	// maxLine bounds a line in bytes, and maxSamples the samples that are read.
	maxLine    = 16 << 10
	maxSamples = 20_000
	// maxLabel bounds the value of a label that is kept.
	maxLabel = 128
)

// sample is one value of a family.
type sample struct {
	family string
	// kind is counter, gauge, histogram or whatever the text says; empty if nothing.
	kind   string
	labels []label
	value  float64
}

type label struct{ name, value []byte }

// labelValue returns the value of a label, empty where there is none.
func (s *sample) labelValue(name string) string {
	for _, l := range s.labels {
		if string(l.name) == name {
			return string(l.value[:min(len(l.value), maxLabel)])
		}
	}
	return ""
}

// countValue returns the value of a sample of a kind if it can be a count.
func (s *sample) countValue(kind string) (float64, error) {
	if s.kind != kind || math.IsNaN(s.value) || math.IsInf(s.value, 0) || s.value < 0 {
		return 0, fmt.Errorf("%s is %v", s.family, s.value)
	}
	return s.value, nil
}

// readSamples calls visit with each sample of the families in a text of Prometheus' format,
// and passes over all others. The sample is valid within the call.
func readSamples(from io.Reader, families map[string]bool, visit func(*sample) error) error {
	reader, kinds, samples, s := bufio.NewReaderSize(from, maxLine), map[string]string{}, 0, &sample{}
	for {
		line, err := reader.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return errors.New("the last line is cut off")
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("a line has more than %d bytes", maxLine)
		case err != nil:
			return err
		}
		if line = bytes.TrimLeft(line, " \t"); line[0] == '#' {
			if f := bytes.Fields(line); len(f) == 4 && string(f[1]) == "TYPE" && families[string(f[2])] {
				kinds[string(f[2])] = string(f[3])
			}
			continue
		}
		name, rest := cutName(line)
		if name = familyOf(name, kinds); !families[string(name)] {
			continue
		}
		s.family = string(name)
		if samples++; samples > maxSamples {
			return fmt.Errorf("more than %d samples", maxSamples)
		}
		s.kind = kinds[s.family]
		if err := s.parseSample(rest); err != nil {
			return fmt.Errorf("a sample of %s: %w", s.family, err)
		}
		if err := visit(s); err != nil {
			return err
		}
	}
}

// cutName returns the name that a line begins with, and what follows.
func cutName(line []byte) (name, rest []byte) {
	end := max(bytes.IndexAny(line, "{ \t\n"), 0)
	return line[:end], line[end:]
}

// familyOf returns the family of a sample: of a bucket that of its histogram.
func familyOf(name []byte, kinds map[string]string) []byte {
	if histogram, ok := bytes.CutSuffix(name, []byte("_bucket")); ok && kinds[string(histogram)] == "histogram" {
		return histogram
	}
	return name
}

// parseSample reads the labels and the value of a sample.
func (s *sample) parseSample(rest []byte) (err error) {
	s.labels = s.labels[:0]
	if rest = bytes.TrimSpace(rest); bytes.HasPrefix(rest, []byte("{")) {
		if rest, err = s.parseLabels(rest[1:]); err != nil {
			return err
		}
	}
	f := bytes.Fields(rest)
	if len(f) != 1 && len(f) != 2 { // The second is a time.
		return errors.New("has no value")
	}
	s.value, err = strconv.ParseFloat(string(f[0]), 64)
	return err
}

var errLabels = errors.New("its labels cannot be read")

// parseLabels reads labels up to their closing brace, and returns what follows.
func (s *sample) parseLabels(rest []byte) ([]byte, error) {
	for {
		rest = bytes.TrimLeft(rest, " \t,")
		if after, closed := bytes.CutPrefix(rest, []byte("}")); closed {
			return after, nil
		}
		name, after, ok := bytes.Cut(rest, []byte("="))
		after = bytes.TrimLeft(after, " \t")
		end := closingQuote(after)
		if !ok || end < 0 {
			return nil, errLabels
		}
		s.labels = append(s.labels, label{bytes.TrimSpace(name), unescapeLabel(after[1:end])})
		rest = after[end+1:]
	}
}

// closingQuote returns where a quoted text ends, -1 where it does not or there is none.
func closingQuote(text []byte) int {
	if len(text) == 0 || text[0] != '"' {
		return -1
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// unescapeLabel returns the value of a label, which writes \\, \" and a line feed with a backslash.
func unescapeLabel(text []byte) []byte {
	if !bytes.ContainsRune(text, '\\') {
		return text
	}
	return []byte(strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(string(text)))
}
