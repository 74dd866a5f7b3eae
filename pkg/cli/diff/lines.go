package diff

import (
	"fmt"
	"strings"
)

// around is how many equal lines are shown beside different ones, as diff -u does.
const around = 3

// line is one line of a comparison: its mark is a space, - or +.
type line struct {
	mark byte
	text string
}

// compared returns the lines of two texts with what is to be done to make the one
// the other: the fewest deletions and insertions there are.
func compared(before, after string) []line {
	a, b := split(before), split(after)
	// longest[i][j] is how many lines a[i:] and b[j:] have in common, in order.
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var out []line
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, line{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			out = append(out, line{'-', a[i]})
			i++
		default:
			out = append(out, line{'+', b[j]})
			j++
		}
	}
	return out
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// hunk is a part of a comparison with what is different in it.
type hunk struct {
	head  string
	lines []line
}

// hunks cuts a comparison into parts that have something different.
func hunks(all []line) []hunk {
	var out []hunk
	from, to := 1, 1 // the numbers of the line at hand before and after
	for i := 0; i < len(all); {
		if all[i].mark == ' ' {
			i, from, to = i+1, from+1, to+1
			continue
		}
		begin, end := max(0, i-around), last(all, i)
		lead := i - begin
		h := hunk{lines: all[begin:end]}
		removed, added := count(h.lines)
		h.head = fmt.Sprintf("@@ -%s +%s @@", span(from-lead, removed), span(to-lead, added))
		out = append(out, h)
		from, to, i = from-lead+removed, to-lead+added, end
	}
	return out
}

// last is where a hunk ends that begins to differ at a line: after so many equal
// lines that those around the next difference would not meet them.
func last(all []line, from int) int {
	end, equal := from, 0
	for i := from; i < len(all) && equal <= 2*around; i++ {
		if all[i].mark == ' ' {
			equal++
			continue
		}
		end, equal = i+1, 0
	}
	return min(len(all), end+around)
}

// count is how many lines a part has before and after.
func count(lines []line) (before, after int) {
	for _, l := range lines {
		if l.mark != '+' {
			before++
		}
		if l.mark != '-' {
			after++
		}
	}
	return before, after
}

// span is a range of lines as diff -u writes it.
func span(first, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first-1)
	case 1:
		return fmt.Sprint(first)
	default:
		return fmt.Sprintf("%d,%d", first, n)
	}
}
