package security

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/screen"
)

// clipboard sets the clipboard of whoever looks at it on a terminal, by characters of C0
// and of C1.
const clipboard = "\x1b]52;c;QUFB\a\u009d52;c;QUFB\u009c\x7f"

// TestEscapesReachNoTerminal: a tenant writes a sequence that sets the clipboard of
// whoever looks at the handler.
func TestEscapesReachNoTerminal(t *testing.T) {
	const ns = "escapes"
	c := makeTenant(t, ns)
	declareSchema(t, c, ns, "users", `{"type":"object","additionalProperties":false}`)

	logAttempt(t, "as a tenant, an escape sequence in %s", v1.AnnotationRequestReason)
	var h v1.GatiHandler
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "users"}, &h); err != nil {
		t.Fatal(err)
	}
	before := h.DeepCopy()
	metav1.SetMetaDataAnnotation(&h.ObjectMeta, v1.AnnotationRequestReason, "looks fine"+clipboard)
	err := c.Patch(t.Context(), &h, client.MergeFrom(before))
	if err == nil || !strings.Contains(err.Error(), "without control and format characters") {
		t.Fatalf("%v, want that control characters are refused", err)
	}
	logDefence(t, "%v", err)

	logAttempt(t, "as a tenant, an escape sequence in the name of a property, which version diff prints")
	name, err := json.Marshal("x" + clipboard)
	if err != nil {
		t.Fatal(err)
	}
	more := `{"type":"object","additionalProperties":false,"properties":{` + string(name) + `:{"type":"string"}}}`
	if err := patchHandler(t.Context(), c, ns, "users", schemaPatch("v2", more)); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{
		"":                          `x^[]52;c;QUFB\x07\x9d52;c;QUFB\x9c\x7f`,
		"jsonpath={.notes[0].path}": `x^[]52;c;QUFB\x07\x9d52;c;QUFB\x9c\x7f`,
		"json":                      `"path": "/x\u001b]52;c;QUFB\u0007\u009d52;c;QUFB\u009c\u007f"`,
		"yaml":                      `path: "/x\e]52;c;QUFB\a\x9D52;c;QUFB\x9C\x7F"`,
	} {
		cmd := exec.Command(filepath.Join(repository.Bin(), "kubectl-gati"), "version", "diff", "users", "v1", "v2", "-n", ns, "-o", format)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig)
		screen.Start(t, 200, 100, cmd).Shows(want)
		logDefence(t, "-o %q shows %s on a terminal", format, want)
	}
}
