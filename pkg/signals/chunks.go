package signals

import "slices"

const (
	// maxSelection is how many characters the names of a query's subjects have.
	maxSelection = 4096
	// maxSelected is how many pods a query selects, unless one workload has more: an
	// answer has dozens of rows of some 200 bytes for each.
	maxSelected = 250
	// maxQueries is how many queries are asked at once.
	maxQueries = 4
)

// chunks divides subjects into groups of which each is asked for in one query.
func (s selection) chunks(subjects []Subject) [][]Subject {
	var out [][]Subject
	first, length, pods := 0, 0, 0
	for i, subject := range subjects {
		size := len(s.subjectMatcher(subjects[i : i+1]))
		if i > first && (length+size > maxSelection || pods+len(subject.Pods) > maxSelected) {
			out = append(out, subjects[first:i])
			first, length, pods = i, 0, 0
		}
		length, pods = length+size, pods+len(subject.Pods)
	}
	if first < len(subjects) {
		out = append(out, subjects[first:])
	}
	return slices.Clip(out)
}
