package policy

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/request"
)

// TestTheGrammarIsThatOfParse asks the API server and package request about the
// same texts: well-formed ones, ones that are nearly so, and their ruins. "make soak
// NAME=theGrammarIsThatOfParse" asks about more of them.
func TestTheGrammarIsThatOfParse(t *testing.T) {
	most := soak.Pick("theGrammarIsThatOfParse", 5000, 250)
	good := 0
	texts := makeCorpus(most)
	for _, text := range texts {
		_, err := request.Parse(text)
		went := describeOutcome(annotateRaw(t, text))
		if want := err == nil; want != (went == "admitted") {
			t.Errorf("%q: Parse says %v, the policy %s", text, err, went)
		}
		if err == nil {
			good++
		} else if !strings.Contains(went, "ValidatingAdmissionPolicy 'gati-requests'") || strings.Contains(went, "failed expression") {
			t.Errorf("%q: refused otherwise than in the policy's words: %s", text, went)
		}
	}
	if good < most/10 || good > most*9/10 {
		t.Errorf("%d of %d texts are requests: too few of one kind to tell", good, len(texts))
	}
}

// annotateRaw makes a request on dry run as one who may make any.
func annotateRaw(t *testing.T, text string) error {
	t.Helper()
	annotations := map[string]any{"gati.dev/request": text, "gati.dev/requested-by": rootName}
	return mergeMeta(t.Context(), rootClient(), "v1", "default", "probe", annotations, dryRun)
}

// makeCorpus returns different texts, the same ones in every run.
func makeCorpus(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	verbs := []string{"promote", "pause", "resume", "abort", "retry", "rollback", "restart", "decommission", "contract", "override", "Promote", "promotes", "", "stop"}
	long := strings.Repeat("a", 125)
	args := []string{
		"", "", ":", ":full", ":allow-breaking", ":v1", ":1.2.3", ":v1.2.3-rc.1", ":v01", ":v1.2.3.4", ":v1-", ":v1-a..b",
		":tsv:1732186200-users-001", ":tsv:173218620-users-001", ":tsv:1732186200-users", ":v1-" + long, ":v1-" + long + "b", ":V1", ":stable", ":v1:v1", ":v1234567890",
	}
	ids := []string{nthUUID(1), nthUUID(1), nthUUID(1), strings.ToUpper(nthUUID(1)), "", "1", nthUUID(1) + "0", "{" + nthUUID(1) + "}", strings.ReplaceAll(nthUUID(1), "-", ""), nthUUID(1) + "/" + nthUUID(2), nthUUID(1) + "\n", "\n" + nthUUID(1), "g" + nthUUID(1)[1:]}
	slashes := []string{"/", "/", "/", "/", "", "//", ":", "\\"}
	seen := map[string]bool{}
	var out []string
	for len(out) < n {
		text := pick(verbs) + pick(args) + pick(slashes) + pick(ids)
		if r.IntN(3) > 0 {
			text = pick(asks) + "/" + nthUUID(r.IntN(1000))
		}
		if r.IntN(4) == 0 {
			text = changeCharacter(r, text)
		}
		if !seen[text] && utf8.ValidString(text) {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

// changeCharacter changes one character.
func changeCharacter(r *rand.Rand, text string) string {
	at := r.IntN(len(text) + 1)
	odd := []string{"", " ", "/", ":", "-", ".", "A", "f", "0", "\n", "\t", "\x00", "é", "￿", "'", "\""}
	return text[:at] + odd[r.IntN(len(odd))] + text[min(at+1, len(text)):]
}
