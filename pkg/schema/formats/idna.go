package formats

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// isUnicodeLabel reports whether a label's characters follow RFC 5892. Whether they are
// in normal form is not checked: the standard library has no tables for it.
func isUnicodeLabel(text []rune) bool {
	if len(text) == 0 || text[0] == '-' || text[len(text)-1] == '-' || unicode.Is(unicode.M, text[0]) {
		return false
	}
	if len(text) > 3 && text[2] == '-' && text[3] == '-' {
		return false
	}
	for i, r := range text {
		if !isValidRune(r) && !isValidInContext(text, i) {
			return false
		}
	}
	return true
}

// The exceptions of RFC 5892, section 2.6, and the letters of Hangul that are parts.
const (
	validExceptions   = "\u00df\u03c2\u06fd\u06fe\u0f0b\u3007"
	invalidExceptions = "\u0640\u07fa\u302e\u302f\u3031\u3032\u3033\u3034\u3035\u303b"
	arabicDigits      = "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669"
	extendedDigits    = "\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9"
	contextual        = "\u00b7\u0375\u05f3\u05f4\u30fb\u200c\u200d" + arabicDigits + extendedDigits
)

// isValidRune reports whether a character is valid in every context.
func isValidRune(r rune) bool {
	switch {
	case r < 0x80:
		return r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z'
	case strings.ContainsRune(validExceptions, r):
		return true
	case strings.ContainsRune(invalidExceptions+contextual, r):
		return false
	}
	return unicode.In(r, unicode.Ll, unicode.Lo, unicode.Lm, unicode.Mn, unicode.Mc, unicode.Nd) && !unicode.In(r, unstable(), unicode.Variation_Selector)
}

// isValidInContext applies the rules of RFC 5892, appendix A.
func isValidInContext(text []rune, i int) bool {
	before, after := rune(0), rune(0)
	if i > 0 {
		before = text[i-1]
	}
	if i+1 < len(text) {
		after = text[i+1]
	}
	switch r := text[i]; {
	case r == '\u00b7':
		return before == 'l' && after == 'l'
	case r == '\u0375':
		return unicode.Is(unicode.Greek, after)
	case r == '\u05f3' || r == '\u05f4':
		return unicode.Is(unicode.Hebrew, before)
	case r == '\u30fb':
		return slices.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) })
	case r == '\u200d':
		return unicode.Is(virama(), before)
	case r == '\u200c':
		return unicode.Is(virama(), before) || joins(text[:i], text[i+1:])
	case strings.ContainsRune(arabicDigits, r):
		return !containsAny(text, extendedDigits)
	case strings.ContainsRune(extendedDigits, r):
		return !containsAny(text, arabicDigits)
	}
	return false
}

func containsAny(text []rune, set string) bool {
	return slices.ContainsFunc(text, func(r rune) bool { return strings.ContainsRune(set, r) })
}

// joins reports whether the letters on both sides of a place are joined in writing.
func joins(before, after []rune) bool {
	isMark := func(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me) }
	left, right := rune(0), rune(0)
	for _, r := range slices.Backward(before) {
		if !isMark(r) {
			left = r
			break
		}
	}
	if i := slices.IndexFunc(after, func(r rune) bool { return !isMark(r) }); i >= 0 {
		right = after[i]
	}
	return isCursive(left) && !unicode.Is(lastJoined(), left) && isCursive(right)
}

func isCursive(r rune) bool {
	return unicode.IsLetter(r) && unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Mandaic, unicode.Phags_Pa, unicode.Manichaean, unicode.Psalter_Pahlavi, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Sogdian)
}

// Characters that the standard library has no tables for, as hexadecimal ranges.
var (
	// unstable change when they are normalized or their case is folded, or are parts of
	// Hangul syllables.
	unstable = tableOf(`aa-df 133 140 149 17f 1c6-1cc 1f3 2b0-2b8 2e0-2e4 340-341 343-345 34f 374 37a 3d0-3d6 3f0-3f2 3f5 587 675-678 958-95f 9dc-9df a33 a36 a59-a5b a5e b5c-b5d e33 eb3 edc-edd f43 f4d f52 f57 f5c f69 f73 f75-f79 f81 f93 f9d fa2 fa7 fac fb9 10fc 1100-11ff 13f8-13fd 17b4-17b5 1c80-1c88 1d2c-1d2e 1d30-1d3a 1d3c-1d4d 1d4f-1d6a 1d78 1d9b-1dbf 1e9a-1e9b 1f71 1f73 1f75 1f77 1f79 1f7b 1f7d-1fa7 1fb2-1fb4 1fb7-1fc4 1fc7 1fd3 1fe3 1ff2-1ff4 1ff7-209c 210a-2149 2c7c-2c7d 2d6f 309f 30ff 3131-318e a69c-a69d a770 a7f2-a7f4 a7f8-a7f9 a960-a97c ab5c-ab5f ab69-abbf d7b0-d7fb f900-fa0d fa10 fa12 fa15-fa1e fa20 fa22 fa25-fa26 fa2a-fb1d fb1f-fdfb fe70-fe72 fe74-ffdc 10781-107ba 1d41a-1d7ff 1ee00-1fbf9 2f800-2fa1d`)
	// virama suppress a vowel: characters with the combining class 9.
	virama = tableOf(`94d 9cd a4d acd b4d bcd c4d ccd d3b-d3c d4d dca e3a eba f84 1039-103a 1714-1715 1734 17d2 1a60 1b44 1baa-1bab 1bf2-1bf3 2d7f a806 a82c a8c4 a953 a9c0 aaf6 abed 10a3f 11046 11070 1107f 110b9 11133-11134 111c0 11235 112ea 1134d 11442 114c2 115bf 1163f 116b6 1172b 11839 1193d-1193e 119e0 11a34 11a47 11a99 11c3f 11d44-11d45 11d97`)
	// lastJoined are letters of cursive scripts that join no letter behind them.
	lastJoined = tableOf(`621-625 627 629 62f-632 648 671-677 688-699 6c0 6c3-6cb 6cd 6cf 6d2-6d5 6ee-6ef 710 715-719 71e 728 72a 72c 72f 74d 759-75b 76b-76c 771 773-774 778-779 8aa-8ac 8ae 8b1-8b2 8b9`)
)

// tableOf returns a table of hexadecimal ranges, made when it is first used.
func tableOf(ranges string) func() *unicode.RangeTable {
	return sync.OnceValue(func() *unicode.RangeTable {
		table := &unicode.RangeTable{}
		for _, text := range strings.Fields(ranges) {
			low, high, ranged := strings.Cut(text, "-")
			if !ranged {
				high = low
			}
			from, _ := strconv.ParseUint(low, 16, 32)
			to, _ := strconv.ParseUint(high, 16, 32)
			table.R32 = append(table.R32, unicode.Range32{Lo: uint32(from), Hi: uint32(to), Stride: 1})
		}
		return table
	})
}
