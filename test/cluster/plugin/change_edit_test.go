package plugin

import (
	"fmt"
	"os"
	"path/filepath"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"sigs.k8s.io/yaml"
)

// editVariable makes this program an editor: it holds the merge patch that stands
// for what a user types.
const editVariable = "GATI_TEST_EDIT"

// runEdit is the user who was given a file by kubectl edit.
func (c *cell) runEdit(s step) {
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		c.t.Fatal(err)
	}
	editor := []string{"KUBE_EDITOR=" + self, editVariable + `={"spec":` + s.patch.inVersion(c.version) + `}`}
	args := []string{"-n", c.namespace, "edit", c.resourceName(), c.name}
	if out, ok := env.KubectlWith(c.t.Context(), "", editor, args...); !ok {
		c.t.Fatalf("kubectl edit of %s:\n%s", s.name, out)
	}
}

// editFile changes the file as the patch says, and is the whole of the process.
func editFile(path, patch string) int {
	text, err := os.ReadFile(path)
	if err == nil {
		text, err = yaml.YAMLToJSON(text)
	}
	if err == nil {
		text, err = jsonpatch.MergePatch(text, []byte(patch))
	}
	if err == nil {
		text, err = yaml.JSONToYAML(text)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
