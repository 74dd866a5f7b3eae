package schema

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// sampleTexts returns some strings that a pattern matches; each varies the branches
// and repetitions taken.
func sampleTexts(text string) []string {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil
	}
	var out []string
	for way := range 12 {
		var b strings.Builder
		if sampleText(&b, tree, way) {
			out = append(out, b.String())
		}
	}
	return out
}

func sampleText(b *strings.Builder, re *syntax.Regexp, way int) bool {
	if b.Len() > maxWitnessLength {
		return false
	}
	switch re.Op {
	case syntax.OpNoMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return re.Op != syntax.OpNoMatch
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pickRune(re.Rune, way))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune([]rune("a0Z-")[way%4])
	case syntax.OpAlternate:
		return sampleText(b, re.Sub[way%len(re.Sub)], way/len(re.Sub)+way)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			if !sampleText(b, sub, way) {
				return false
			}
		}
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return sampleRepeat(b, re, way)
	}
	return true
}

func sampleRepeat(b *strings.Builder, re *syntax.Regexp, way int) bool {
	least, most := re.Min, re.Max
	switch re.Op {
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpQuest:
		least, most = 0, 1
	}
	times := least + way%3
	if most >= 0 {
		times = min(times, most)
	}
	for range times {
		if !sampleText(b, re.Sub[0], way) {
			return false
		}
	}
	return true
}

// pickRune returns a character of a class, a letter or digit if it has any.
func pickRune(ranges []rune, way int) rune {
	var plain []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1] && len(plain) < 64 && r < 0x250; r++ {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				plain = append(plain, r)
			}
		}
	}
	if len(plain) > 0 {
		return plain[way*7%len(plain)]
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[way*2%len(ranges)&^1]
}

// maxLanguage is the most strings of a pattern that are enumerated.
const maxLanguage = 64

// enumerateTexts returns all strings that an anchored pattern matches, if they are
// few.
func enumerateTexts(text string) ([]string, bool) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, false
	}
	tree = tree.Simplify()
	if tree.Op != syntax.OpConcat || len(tree.Sub) < 2 || tree.Sub[0].Op != syntax.OpBeginText || !isEndOfText(tree.Sub[len(tree.Sub)-1]) {
		return nil, false
	}
	return expandPattern(&syntax.Regexp{Op: syntax.OpConcat, Sub: tree.Sub[1 : len(tree.Sub)-1]})
}

func isEndOfText(re *syntax.Regexp) bool { return re.Op == syntax.OpEndText }

func expandPattern(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil, false
		}
		return []string{string(re.Rune)}, true
	case syntax.OpCharClass:
		return expandClass(re.Rune)
	case syntax.OpCapture:
		return expandPattern(re.Sub[0])
	case syntax.OpQuest:
		all, finite := expandPattern(re.Sub[0])
		return append([]string{""}, all...), finite
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			all, finite := expandPattern(sub)
			if out = append(out, all...); !finite || len(out) > maxLanguage {
				return nil, false
			}
		}
		return out, true
	case syntax.OpConcat:
		return expandAll(re.Sub)
	}
	return nil, false
}

func expandClass(ranges []rune) ([]string, bool) {
	var out []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if out = append(out, string(r)); len(out) > maxLanguage {
				return nil, false
			}
		}
	}
	return out, true
}

func expandAll(parts []*syntax.Regexp) ([]string, bool) {
	out := []string{""}
	for _, part := range parts {
		all, finite := expandPattern(part)
		if !finite || len(out)*len(all) > maxLanguage {
			return nil, false
		}
		var longer []string
		for _, head := range out {
			for _, tail := range all {
				longer = append(longer, head+tail)
			}
		}
		out = longer
	}
	return out, true
}
