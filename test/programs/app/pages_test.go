package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/app"
	"gati.dev/gati/pkg/appimage"
	"gati.dev/gati/pkg/facts"
)

// TestTheReadmeOfThePackage runs the commands and programs of runtime/README.md.
func TestTheReadmeOfThePackage(t *testing.T) {
	blocks := blocksOf(t, "runtime/README.md")
	dir := newFolder(t)
	t.Run("install", func(t *testing.T) { installPackage(t, blocks["sh"][0]) })
	for _, program := range blocks["js"] {
		writeNamed(t, dir, program)
	}
	directory := startProgram(t, module)
	p := launchIn(t, dir, "main.js", "GATI_MODULE_DIRECTORY="+directory.addr)
	if a := p.mustGet("/users/2", 200); !strings.Contains(a.body, "Grace") {
		t.Errorf("got %s", a.body)
	}
	p.sendSignal(syscall.SIGTERM)
	if code := p.awaitEnd(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	if a := launchIn(t, dir, "attached.js").mustGet("/hello/you", 200); a.body != `{"hello":"you"}` {
		t.Errorf("got %s", a.body)
	}
	t.Run("folder", func(t *testing.T) {
		folder := newFolder(t)
		writeNamed(t, folder, "// src/handlers/users/[id].js\nexport const userHandler = (req, res) => res.json({ id: req.params.id });")
		if a := launchIn(t, folder, programOf(t, blocks["sh"][1])).mustGet("/users/7", 200); a.body != `{"id":"7"}` {
			t.Errorf("got %s", a.body)
		}
	})
	if len(blocks["sh"]) != 2 || len(blocks["js"]) != 2 {
		t.Errorf("the page has %d commands and %d programs, and this test runs 2 and 2", len(blocks["sh"]), len(blocks["js"]))
	}
}

// programOf returns the file that npx runs for a command of the package.
func programOf(t *testing.T, command string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "runtime/package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Bin map[string]string `json:"bin"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	file := manifest.Bin[strings.TrimPrefix(strings.TrimSpace(command), "npx ")]
	if file == "" {
		t.Fatalf("the package has no program for %q", command)
	}
	return "node_modules/gati-kubernetes/" + file
}

// TestInitReadsTheRoutesThatAreServed holds that the routes which kubectl gati init writes
// handlers for are those that the program of the package serves.
func TestInitReadsTheRoutesThatAreServed(t *testing.T) {
	dir := newFolder(t)
	for name, text := range map[string]string{
		"hello.js":          "export const METHOD = 'GET';\nexport const ROUTE = '/hello';\nexport const helloHandler = () => {};",
		"index.js":          "export default function () {}",
		"users/[id].js":     "export const ROUTE = '/:id';\nexport const getUserHandler = () => {};",
		"users/index.js":    "export const METHOD = 'post';\nexport const createUserHandler = () => {};",
		"users/both.js":     "export const METHOD = ['GET', 'PUT'];\nexport async function bothHandler() {}",
		"orders/[a]/[b].js": "export default () => {};",
		"orders/list.js":    "export const ROUTE = `/`;\nexport const Handler = () => {};",
		"shared.js":         "// what the exports have in common\nexport const limit = 3;",
		"old.cjs":           "exports.METHOD = 'DELETE';\nexports.oldHandler = () => {};",
	} {
		writeNamed(t, dir, "// src/handlers/"+name+"\n"+text)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "shop", "type": "module", "dependencies": {"@gati-framework/runtime": "*", "gati-kubernetes": "*"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	p := launchIn(t, dir, programOf(t, "npx gati-kubernetes"))
	p.mustGet("/health", 200)
	p.sendSignal(syscall.SIGTERM)
	p.awaitEnd()
	served := regexp.MustCompile(`(?m)^([A-Z]+ \S+) is src/`).FindAllStringSubmatch(p.log.String(), -1)
	var want []string
	for _, line := range served {
		want = append(want, line[1])
	}
	a, err := app.Read(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range a.Routes {
		got = append(got, r.Method+" "+r.Path)
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 9 || !slices.Equal(got, want) {
		t.Errorf("init reads\n%s\nand the program serves\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// installPackage runs a command of the page in an empty folder, with the packed
// package in the place of the one in the registry.
func installPackage(t *testing.T, command string) {
	packed, folder := t.TempDir(), t.TempDir()
	runProgram(t, repository, "npm", "pack", "./runtime", "--pack-destination", packed, "--silent")
	files, err := filepath.Glob(filepath.Join(packed, "*.tgz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	runProgram(t, folder, "sh", "-c", strings.ReplaceAll(command, " gati-kubernetes", " "+files[0]))
	runProgram(t, folder, "node", "--input-type=module", "--eval", "import { serve, attach } from 'gati-kubernetes'; if (!serve || !attach) process.exit(1);")
}

// TestThePageOfTransformers runs the functions of docs/transformers.md in the version
// that has them, with the pairs of its file, and asks as the page does.
func TestThePageOfTransformers(t *testing.T) {
	blocks := blocksOf(t, "docs/transformers.md")
	checkRecord(t, blocks["yaml"][0])
	dir := newFolder(t)
	writeNamed(t, dir, blocks["js"][0])
	pairs := filepath.Join(dir, "pairs.json")
	program := `// main.js
import { serve } from 'gati-kubernetes';
await serve((app) => {
  app.get('/users/:id', (req, res) => res.json({ id: req.params.id, givenName: 'Ada', familyName: 'Lovelace' }));
  app.post('/users', (req, res) => res.status(201).json(req.body));
}, { lameDuck: 0 });
`
	writeNamed(t, dir, program)
	if err := os.WriteFile(pairs, []byte(blocks["json"][0]), 0o644); err != nil {
		t.Fatal(err)
	}
	p := launchIn(t, dir, "main.js", "HANDLER_VERSION=v2.0.0", "GATI_PAIRS_FILE="+pairs)
	old, current := `{"id":"1","name":"Ada Lovelace"}`, `{"id":"1","givenName":"Ada","familyName":"Lovelace"}`
	for version, want := range map[string]string{"": old, "v1.0.0": old, "legacy": old, "v2.0.0": current} {
		if got := askAs(t, p, version); got != want {
			t.Errorf("a caller of %q: got %s, want %s", version, got, want)
		}
	}
	if a, err := p.sendRequest("/users", `{"name":"Grace Hopper"}`); err != nil || a.body != `{"name":"Grace Hopper"}` {
		t.Errorf("got %s, error %v", a.body, err)
	}
	out := runProgram(t, dir, "sh", "-c", strings.ReplaceAll(blocks["sh"][0], "localhost:3000", p.addr))
	if !strings.Contains(out, `"from":"v1.0.0","to":"v2.0.0","request":"usersUp","response":"usersDown","loaded":true`) {
		t.Errorf("got %s", out)
	}
	for kind, found := range blocks {
		if len(found) != 1 {
			t.Errorf("the page has %d blocks of %s, and this test runs one", len(found), kind)
		}
	}
}

func askAs(t *testing.T, p *program, version string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+p.addr+"/users/1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if version != "" {
		request.Header.Set("X-Gati-Version", version)
	}
	a, err := doRequest(fresh, request)
	if err != nil || a.status != 200 {
		t.Fatalf("got %d %s, error %v", a.status, a.body, err)
	}
	var fields map[string]string
	if err := json.Unmarshal([]byte(a.body), &fields); err != nil || fields["id"] != "1" {
		t.Errorf("got %s, error %v", a.body, err)
	}
	return a.body
}

// checkRecord runs a record of a page through admission.
func checkRecord(t *testing.T, record string) {
	t.Helper()
	documents, err := admit.Decode(bytes.NewReader([]byte(record)), "docs/transformers.md")
	if err != nil || len(documents) != 1 {
		t.Fatal(documents, err)
	}
	result := admit.Check(documents[0].Object, nil, admit.Surroundings{Facts: facts.Facts{Namespace: "shop"}})
	if len(result.Errors) > 0 {
		t.Errorf("errors %v", result.Errors)
	}
}

var block = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// blocksOf returns the code blocks of a page by language.
func blocksOf(t *testing.T, page string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, page))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		found[m[1]] = append(found[m[1]], m[2])
	}
	return found
}

// newFolder returns an application's folder that the user of the pods may write to.
func newFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(installed), strings.ReplaceAll(t.Name(), "/", "-"))
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // the test may run once more
	modules, err := filepath.Abs(filepath.Join(installed, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		os.Mkdir(dir, 0o755), os.Symlink(modules, filepath.Join(dir, "node_modules")),
		os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o644),
	)
	if os.Getuid() == 0 {
		err = errors.Join(err, os.Chown(dir, user, user))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// writeNamed writes a program under the name in its first line.
func writeNamed(t *testing.T, dir, text string) {
	t.Helper()
	first, _, _ := strings.Cut(text, "\n")
	path := filepath.Join(dir, strings.TrimPrefix(first, "// "))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// launchIn starts a program of a folder and waits until it listens.
func launchIn(t *testing.T, dir, name string, env ...string) *program {
	t.Helper()
	node, err := appimage.FindNode()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, name)
	cmd.Dir = dir
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	p := startCommand(t, cmd, env)
	p.awaitListening()
	return p
}

func runProgram(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	// The runtime's optional database is compiled from C++ for minutes.
	cmd.Env = append(os.Environ(), "npm_config_omit=optional")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w\n%s", cmd, err, out))
	}
	return string(out)
}
