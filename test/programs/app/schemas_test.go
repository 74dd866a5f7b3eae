package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/remedy"
	"gati.dev/gati/pkg/schema"
	"gati.dev/gati/test/support/await"
)

// typedUser is a handler whose answer has the name in a field.
func typedUser(field string) string {
	return `import { defineHandler } from 'gati-kubernetes';
interface User { id: string; ` + field + `: string }
export const METHOD = 'POST';
export const ROUTE = '/users';
export const createUserHandler = defineHandler<Omit<User, 'id'>, User>((req, res) => {
  if (!req.body.` + field + `) return res.status(400).json({ error: 'no name' });
  res.status(201).json({ id: '1', ` + field + `: req.body.` + field + ` });
});
`
}

// TestARenamedFieldIsNamedBeforeTheBuild changes a handler's field: the check names it, its
// scaffold compiles and is filled in, and callers of the old version get answers of its schema.
func TestARenamedFieldIsNamedBeforeTheBuild(t *testing.T) {
	dir := newTypedFolder(t)
	gati := func(code int, args ...string) string {
		t.Helper()
		got := clitest.Run(t.Context(), "", args...)
		if got.Code != code {
			t.Fatalf("%v: got %+v, want code %d", args, got, code)
		}
		return got.Stdout
	}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	gati(exit.OK, "init", dir, "--image", "shop:v1.0.0", "--per", "route")
	start, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	run("git", "init", "--quiet")
	commit := func() {
		run("git", "add", "k8s")
		run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "k8s")
	}
	commit()
	execute := func(_ context.Context, command string) (string, error) {
		got := clitest.Run(t.Context(), "", strings.Fields(command)[2:]...)
		if got.Code != exit.OK && got.Code != exit.Unhealthy { // Callers break, so --check ends with 3.
			return got.Stdout, errors.New(got.Stderr)
		}
		return got.Stdout, nil
	}
	pages := map[string]string{}
	pages["write.txt"] = remedies.Execute(t, execute, remedy.WriteSchemas, gati(exit.OK, "schemas", "--check"))
	commit()
	pages["kept.txt"] = gati(exit.OK, "schemas", "--check")

	writeText(t, filepath.Join(dir, "src/handlers/users.ts"), typedUser("fullName"))
	report := gati(exit.Unhealthy, "schemas", "--check")
	pages["breaks.txt"] = report
	pages["breaks.json"] = gati(exit.Unhealthy, "schemas", "--check", "-o", "json")
	remedies.Execute(t, execute, remedy.ScaffoldBreaks, report)
	file := filepath.Join(dir, "src/transformers/shop-users-v1.0.0-to-v2.0.0.ts")
	run("node", "node_modules/typescript/bin/tsc") // As it is, the scaffold compiles.

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pages["scaffold.ts"] = string(text)
	writeText(t, file, strings.NewReplacer("fullName: body.fullName", "fullName: body.name", "name: body.name", "name: body.fullName").Replace(string(text)))
	gati(exit.Unhealthy, "schemas", "--check", "--scaffold")
	if again, err := os.ReadFile(file); err != nil || bytes.Equal(again, text) {
		t.Fatalf("the filled in transformer was replaced, error %v", err)
	}
	run("node", "node_modules/typescript/bin/tsc")
	callAsOld(t, dir, 200)
	t.Chdir(start)
	for name, page := range pages {
		golden.Compare(t, name, page)
	}
}

// newTypedFolder is an application in TypeScript, of a typed handler.
func newTypedFolder(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "shop")
	runtime, err := filepath.Abs(filepath.Join(repository, "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json":          `{"name": "shop", "type": "module", "dependencies": {"@gati-framework/runtime": "^2.0.8", "gati-kubernetes": "^0.1.0"}}`,
		"tsconfig.json":         `{"compilerOptions": {"target": "ES2022", "module": "NodeNext", "strict": true, "skipLibCheck": true, "types": [], "rootDir": "src", "outDir": "dist"}, "include": ["src"]}`,
		"src/handlers/users.ts": typedUser("name"),
	} {
		writeText(t, filepath.Join(dir, name), text)
	}
	modules := filepath.Join(dir, "node_modules")
	err = os.Mkdir(modules, 0o755)
	for _, name := range []string{"@gati-framework", "@types", "typescript"} {
		err = errors.Join(err, os.Symlink(filepath.Join(runtime, "node_modules", name), filepath.Join(modules, name)))
	}
	if err := errors.Join(err, os.Symlink(runtime, filepath.Join(modules, "gati-kubernetes"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// callAsOld runs the application as v2.0.0 and calls it as callers without a version do,
// whose contract is v1.0.0.
func callAsOld(t *testing.T, dir string, calls int) {
	t.Helper()
	pairs := filepath.Join(dir, "pairs.json")
	writeText(t, pairs, `{"contract": "v1.0.0", "run": ["v1.0.0"], "versions": ["v1.0.0", "v2.0.0"], "live": ["v1.0.0", "v2.0.0"], "tags": {},
		"pairs": [{"from": "v1.0.0", "to": "v2.0.0", "request": "shopUsersUp", "response": "shopUsersDown"}]}`)
	addr := serveFolder(t, dir, "HANDLER_VERSION=v2.0.0", "GATI_PAIRS_FILE="+pairs)
	promised, err := schema.Parse([]byte(`{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}},"required":["id","name"]}`))
	if err != nil {
		t.Fatal(err)
	}
	invalid := 0
	for i := range calls {
		response, err := http.Post("http://"+addr+"/users", "application/json", strings.NewReader(fmt.Sprintf(`{"name": "Ada %d"}`, i)))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		var answer struct{ Name string }
		own, err := schema.Parse([]byte(`{"const":` + string(body) + `}`))
		if err != nil || json.Unmarshal(body, &answer) != nil || answer.Name != fmt.Sprintf("Ada %d", i) || response.StatusCode != 201 ||
			len(schema.Compatibility(schema.Version{Input: own}, schema.Version{Input: promised}, schema.Backward).Findings) > 0 {
			invalid++
			t.Errorf("call %d: got %d %s, error %v", i, response.StatusCode, body, err)
		}
	}
	t.Logf("%d answers for callers of v1.0.0, %d invalid", calls, invalid)
}

// serveFolder runs the program of the npm package in a folder, and returns its address.
func serveFolder(t *testing.T, dir string, env ...string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command("node", "node_modules/gati-kubernetes/src/cli/main.js")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &log, &log
	cmd.Env = append(os.Environ(), append(env, "HOST=127.0.0.1", "PORT="+port)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = errors.Join(cmd.Process.Kill(), cmd.Wait())
		if t.Failed() {
			t.Log(log.String())
		}
	})
	await.Eventually(t, "health of the application", func() error {
		response, err := http.Get("http://" + addr + "/health")
		if err != nil {
			return err
		}
		return response.Body.Close()
	})
	return addr
}
