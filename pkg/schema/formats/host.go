package formats

import (
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

var hostLabel = lazyregexp.New(`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)

const (
	maxHost     = 253
	maxLabel    = 63
	asciiPrefix = "xn--" // of a label that is Punycode
)

// isHostname is RFC 1123's, whose labels that begin with xn-- are RFC 5891's.
func isHostname(s string) bool { return len(s) <= maxHost && areLabels(strings.Split(s, "."), false) }

// isInternationalHostname is RFC 5890's. Other full stops separate labels, too.
func isInternationalHostname(s string) bool {
	labels := strings.FieldsFunc(s, isFullStop)
	if strings.IndexFunc(s, isFullStop) >= 0 && len(labels) != 1+countFullStops(s) {
		return false // an empty label
	}
	return len(labels) > 0 && areLabels(labels, true)
}

func isFullStop(r rune) bool { return strings.ContainsRune(".\u3002\uff0e\uff61", r) }

func countFullStops(s string) int {
	found := 0
	for _, r := range s {
		if isFullStop(r) {
			found++
		}
	}
	return found
}

// areLabels reports whether all labels are valid, and none breaks the rule of domains
// with letters that are written from right to left.
func areLabels(labels []string, wide bool) bool {
	var read [][]rune
	length, fromRight := -1, false
	for _, label := range labels {
		text, ascii, ok := readLabel(label, wide)
		if !ok {
			return false
		}
		read = append(read, text)
		length += 1 + ascii
		fromRight = fromRight || isFromRight(text)
	}
	for _, text := range read {
		if fromRight && !followsBidiRule(text) {
			return false
		}
	}
	return length <= maxHost
}

// readLabel returns the characters of a label and its length in ASCII.
func readLabel(label string, wide bool) (text []rune, ascii int, ok bool) {
	if hostLabel.MatchString(label) {
		if len(label) < len(asciiPrefix) || !strings.EqualFold(label[:len(asciiPrefix)], asciiPrefix) {
			return []rune(label), len(label), true
		}
		code := label[len(asciiPrefix):]
		text, ok = decodePunycode(code)
		again, _ := encodePunycode(text)
		return text, len(label), ok && strings.EqualFold(again, code) && isUnicodeLabel(text)
	}
	if !wide || len(label) > 4*maxLabel {
		return nil, 0, false
	}
	text = []rune(label)
	code, ok := encodePunycode(text)
	ascii = len(asciiPrefix) + len(code)
	return text, ascii, ok && ascii <= maxLabel && isUnicodeLabel(text)
}
