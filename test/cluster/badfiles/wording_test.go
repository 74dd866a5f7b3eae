package badfiles

import (
	"regexp"
	"slices"
	"testing"
)

// theirs are the sentences of the API server's own, which stay as they come.
var theirs = []*regexp.Regexp{
	regexp.MustCompile(` in body (should|must) `),
	regexp.MustCompile(`^Too long: may not be more than \d+ bytes$`),
	regexp.MustCompile(`^Too many: \d+: must have at most \d+ items$`),
	regexp.MustCompile(`^Unsupported value: .*: supported values: `),
	regexp.MustCompile(`^Duplicate value: `),
	regexp.MustCompile(`^Required value$`),
	regexp.MustCompile(`^Invalid value: null: some validation rules were not checked because the object was invalid`),
	regexp.MustCompile(`: should be a non-negative integer$| accessor error: |Checked value must be of type`),
}

// theirFields are those that the API server checks in every object.
var theirFields = regexp.MustCompile(`^metadata\.(name|labels|annotations)$`)

// gateways are sentences of the Gateway API, which stands in our CRD as it is.
var gateways = regexp.MustCompile(`^Invalid value: ("[^"]*": )?(filter\.\w+ must be|backendRequest timeout cannot be|grpc must be specified)`)

var (
	fieldPath   = regexp.MustCompile(`^(spec|metadata)(\.[a-zA-Z]|$)`)
	remedyWords = regexp.MustCompile(`\b(must|such as|choose|set|use|remove|lower|raise|move|name the|give|delete|record|install|write|add)\b`)
	dump        = regexp.MustCompile(`regex used|[\^$]'|\(\[|struct|interface`)
)

// TestWordsOfOurs holds that every sentence of ours begins with the field that is
// at fault, says what to do, and is made for people.
func TestWordsOfOurs(t *testing.T) {
	ours := map[string]bool{}
	for _, f := range loadFiles(t) {
		for version, answer := range readAnswers(t, "testdata/"+f.name+".golden") {
			for _, said := range findFaults(answer) {
				if isTheirs(said) {
					continue
				}
				ours[said.text] = true
				if !fieldPath.MatchString(said.field) {
					t.Errorf("%s, %s: %q does not begin with a field", f.name, version, said.field+": "+said.text)
				}
				if !remedyWords.MatchString(said.text) {
					t.Errorf("%s, %s: no remedy in %q", f.name, version, said.text)
				}
				if dump.MatchString(said.text) {
					t.Errorf("%s, %s: not a sentence for people: %q", f.name, version, said.text)
				}
			}
		}
	}
	t.Logf("%d different sentences of ours", len(ours))
}

// TestOneFaultOnce holds that one mistake in one field is not told twice in our
// words.
func TestOneFaultOnce(t *testing.T) {
	for _, f := range loadFiles(t) {
		for version, answer := range readAnswers(t, "testdata/"+f.name+".golden") {
			times := map[string][]string{}
			for _, said := range findFaults(answer) {
				if !isTheirs(said) {
					times[said.field] = append(times[said.field], said.text)
				}
			}
			for field, texts := range times {
				if len(texts) > 1 && !slices.Contains(severalFaults, f.name) {
					t.Errorf("%s, %s: %s is told %d times: %q", f.name, version, field, len(texts), texts)
				}
			}
		}
	}
}

// severalFaults are files with more than one mistake in one field.
var severalFaults = []string{"pod-labels-bad"}

func isTheirs(f fault) bool {
	if theirFields.MatchString(f.field) && dump.MatchString(f.text) || gateways.MatchString(f.text) {
		return true
	}
	return slices.ContainsFunc(theirs, func(r *regexp.Regexp) bool { return r.MatchString(f.text) })
}
