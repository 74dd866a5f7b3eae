package badfiles

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// fault is one thing that kubectl has printed as wrong.
type fault struct {
	// field is as printed; schema is the field without indices and keys, which is
	// where the CRD has it.
	field, schema string
	// text is all that stands behind the field.
	text string
}

var (
	prompt   = regexp.MustCompile(`(?m)^\$ kubectl apply -f \S+\.(v1|v1alpha1)\.yaml\n`)
	invalid  = regexp.MustCompile(`^The \S+ "[^"]*" is invalid: `)
	brackets = regexp.MustCompile(`\[[^\]]*\]`)
)

// readAnswers reads a golden: what kubectl printed for each version. A golden that is
// not there has none.
func readAnswers(t testing.TB, path string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out, text := map[string]string{}, string(raw)
	at := prompt.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		out[text[m[2]:m[3]]] = text[m[1]:end]
	}
	return out
}

// findFaults finds the faults in an answer. What the API server cannot even decode
// has none.
func findFaults(answer string) []fault {
	var out []fault
	for line := range strings.Lines(strings.TrimSpace(answer)) {
		line = strings.TrimSuffix(line, "\n")
		switch found := invalid.FindString(line); {
		case found != "":
			line = line[len(found):]
		case strings.HasPrefix(line, "* "):
			line = line[2:]
		default:
			continue
		}
		if name, text, ok := strings.Cut(line, ": "); ok {
			out = append(out, fault{field: name, schema: brackets.ReplaceAllString(name, ""), text: text})
		}
	}
	return out
}

// isUnheard reports whether the CRDs found nothing, and gati-webhook did not answer.
func isUnheard(answer string) bool { return strings.Contains(answer, "failed calling webhook") }
