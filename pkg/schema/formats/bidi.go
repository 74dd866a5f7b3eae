package formats

import (
	"slices"
	"strings"
	"unicode"
)

// direction is the class of a character in the bidirectional algorithm, as far as labels
// of host names tell them apart.
type direction uint8

const (
	leftToRight direction = iota
	rightToLeft
	arabicNumber
	europeanNumber
	mark
	neutral
)

var rightToLeftScripts = []*unicode.RangeTable{unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Phoenician, unicode.Imperial_Aramaic, unicode.Old_South_Arabian, unicode.Avestan, unicode.Mende_Kikakui}

func directionOf(r rune) direction {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return mark
	case strings.ContainsRune(arabicDigits, r):
		return arabicNumber
	case r >= '0' && r <= '9' || strings.ContainsRune(extendedDigits, r):
		return europeanNumber
	case unicode.In(r, rightToLeftScripts...):
		return rightToLeft
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mc, r):
		return leftToRight
	}
	return neutral
}

// isFromRight reports whether a label makes its name a bidirectional one.
func isFromRight(text []rune) bool {
	return slices.ContainsFunc(text, func(r rune) bool {
		d := directionOf(r)
		return d == rightToLeft || d == arabicNumber
	})
}

// followsBidiRule applies RFC 5893, section 2, to one label.
func followsBidiRule(text []rune) bool {
	has := map[direction]bool{}
	last := neutral
	for _, r := range text {
		d := directionOf(r)
		if has[d] = true; d != mark {
			last = d
		}
	}
	if directionOf(text[0]) == rightToLeft {
		return !has[leftToRight] && last != neutral && (!has[europeanNumber] || !has[arabicNumber])
	}
	return directionOf(text[0]) == leftToRight && !has[rightToLeft] && !has[arabicNumber] && (last == leftToRight || last == europeanNumber)
}
