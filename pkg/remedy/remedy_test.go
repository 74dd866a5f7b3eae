package remedy_test

import (
	"testing"

	"gati.dev/gati/pkg/remedy"
)

// TestFind holds that each remedy is found in a sentence as it was filled in, and that a text
// that adds to it is not run.
func TestFind(t *testing.T) {
	for _, r := range remedy.All() {
		command := r.For("a-1", "b.example.com", "c", "4")
		if got := remedy.Find("It is stopped; see this: "+command+".", r); got != command {
			t.Errorf("found %q in the sentence of %q", got, command)
		}
	}
	for _, text := range []string{
		"kubectl -n shop scale deployment handler-a --as=admin --replicas=1",
		"kubectl -n shop scale deployment --all --replicas=1",
		"kubectl -n NAMESPACE scale deployment NAME --replicas=1",
	} {
		if got := remedy.Find(text, remedy.ScaleUp); got != "" {
			t.Errorf("found %q in %q", got, text)
		}
	}
}
