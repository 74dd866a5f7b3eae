package walls

import (
	"os/exec"
	"strings"
	"testing"
)

// gati-webhook links no package of templates: whoever calls a method by a name that is known
// only at run time makes the linker keep every exported method of every type, and the pages of
// the program are memory of each replica. The tag is the Makefile's.
func TestTheWebhookLinksNoTemplates(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "list", "-deps", "-tags", "grpcnotrace", "-f", `{{range .Imports}}{{$.ImportPath}} imports {{.}}{{"\n"}}{{end}}`, "./cmd/gati-webhook")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 1000 {
		t.Fatalf("gati-webhook has %d imports: go list was not understood", len(lines))
	}
	for _, line := range lines {
		if strings.HasSuffix(line, " imports text/template") || strings.HasSuffix(line, " imports html/template") {
			t.Errorf("%s: take a library without it, or do its work in another program", line)
		}
	}
}
