package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// TestReasons holds which reasons are admitted on handlers and records, in both
// versions of the API: one line of bounded length, without control and format characters.
func TestReasons(t *testing.T) {
	const ns, refused = "reasons", "must be one line without control and format characters"
	makeNamespace(t, ns)
	if err := admin.Create(t.Context(), makeHandler("v1", ns, "users", plainSpec("v1"))); err != nil {
		t.Fatal(err)
	}
	if err := admin.Create(t.Context(), makeObject("v1", "GatiVersion", ns, "users-v1", "{handler: users, version: v1}")); err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct{ what, reason, want string }{
		{"a sentence", "errors in checkout, see #12", "admitted"},
		{"other scripts", "fehlgeschlagen: größer 日本 \u00a0 🙂", "admitted"},
		{"at the bound", strings.Repeat("é", 200), "admitted"},
		{"beyond the bound", strings.Repeat("é", 201), "has 201 characters; shorten it to at most 200"},
		{"a clipboard", "x\x1b]52;c;QUFB\a", refused},
		{"a line break", "x\ny", refused},
		{"a tab", "x\ty", refused},
		{"NUL", "x\x00", refused},
		{"the last of C0", "x\x1f", refused},
		{"DEL", "x\x7f", refused},
		{"the first of C1", "x\u0080", refused},
		{"CSI of C1", "x\u009b2J", refused},
		{"the last of C1", "x\u009f", refused},
		{"text turned around", "x\u202etxt.exe", refused},
		{"an isolate", "x\u2066y", refused},
		{"an invisible character", "x\u200by", refused},
		{"a byte order mark", "x\ufeff", refused},
		{"a line separator", "x\u2028y", refused},
		{"a tag beyond the first plane", "x\U000e0061", refused},
	} {
		for kind, name := range map[string]string{"GatiHandler": "users", "GatiVersion": "users-v1"} {
			for _, version := range []string{"v1", "v1alpha1"} {
				o := makeObject(version, kind, ns, name, "{}")
				patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1.AnnotationRequestReason: try.reason}}})
				if err != nil {
					t.Fatal(err)
				}
				got := describeOutcome(rootClient().Patch(t.Context(), o, client.RawPatch(types.MergePatchType, patch), client.DryRunAll))
				if !strings.Contains(got, try.want) {
					t.Errorf("%s %s, %s: %s; want %q", version, kind, try.what, got, try.want)
				}
			}
		}
	}
	h := makeHandler("v1", ns, "copied", "path: /copied\nimage: app:v1")
	h.SetAnnotations(map[string]string{v1.AnnotationRequestReason: "a\x1b"})
	if got := describeOutcome(rootClient().Create(t.Context(), h)); !strings.Contains(got, refused) {
		t.Errorf("created with it: %s", got)
	}
}
