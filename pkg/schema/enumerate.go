package schema

import (
	"regexp/syntax"
)

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
