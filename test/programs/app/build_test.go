package app

import (
	"bytes"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/pkg/cli/exit"
)

// upstreamsForm is an application in the form of upstream's hello-world: dependencies of its
// repository, the compiler's options beside them, one of them needed in production.
var upstreamsForm = map[string]string{
	"package.json": `{"name": "@gati/hello-world-example", "version": "1.0.2", "private": true, "type": "module",
  "scripts": {"postinstall": "exit 1"},
  "dependencies": {"@gati-framework/runtime": "workspace:*", "@gati-framework/playground": "workspace:*"},
  "devDependencies": {"@types/node": "^22", "typescript": "^5.3.3"}}`,
	"tsconfig.json": `{"extends": "../../tsconfig.json", "compilerOptions": {"noEmit": true}}`,
	"src/handlers/hello.ts": `import type { Handler } from '@gati-framework/runtime';
export const METHOD = 'GET';
export const ROUTE = '/hello';
export const helloHandler: Handler = (req, res) => { res.json({ message: 'Hello ' + (req.query.name || 'World') }); };`,
	"src/handlers/users/[id].ts": `import type { Handler } from '@gati-framework/runtime';
import { find } from '../../modules/database.js';
export const ROUTE = '/:id';
export const getUserHandler: Handler = async (req, res) => { res.json(await find(req.params.id)); };`,
	"src/handlers/hello.test.ts": `import { it } from 'vitest'; it('is no code of production', () => {});`,
	"src/modules/database.ts":    `export async function find(id: string): Promise<{ id: string }> { return { id }; }`,
}

func writeFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		writeNamed(t, dir, "// "+path+"\n"+text)
		if strings.HasSuffix(path, ".json") { // JSON has no comments.
			if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestBuildOfAFolder builds an application twice, the second time as a machine that has built
// nothing yet, and pushes it: the bytes are the same, and what was pushed serves its routes as
// the user of the pods, who may write nothing but .gati.
func TestBuildOfAFolder(t *testing.T) {
	dir := writeFolder(t, upstreamsForm)
	before := snapshot(t, dir)
	image := startRegistry(t) + "/hello:v1.0.2"
	var archives [][]byte
	for range 2 {
		t.Setenv("GATI_CACHE", t.TempDir())
		archive := filepath.Join(t.TempDir(), "image.tar")
		out := runBuild(t, dir, "--image", image, "--output", archive, "--push")
		t.Log("\n" + out)
		content, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, content)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Errorf("two builds of one folder differ")
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the folder was\n%s\nand is\n%s", before, after)
	}
	pulled := pullImage(t, image)
	checkServed(t, pulled)

	t.Run("base", func(t *testing.T) {
		base := pushBase(t, pulled, strings.Replace(image, "/hello:", "/node:", 1))
		image := strings.Replace(image, ":v1.0.2", ":v1.0.3", 1)
		if out := runBuild(t, dir, "--image", image, "--base", base, "--push"); !strings.Contains(out, base) {
			t.Errorf("got %s, want %s", out, base)
		}
		checkServed(t, pullImage(t, image))
	})
}

func runBuild(t *testing.T, args ...string) string {
	t.Helper()
	got := clitest.Run(t.Context(), "", append([]string{"build"}, args...)...)
	if got.Code != exit.OK {
		t.Fatalf("got %+v", got)
	}
	return got.Stdout
}

// snapshot returns the files of a folder with their texts.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		out.WriteString(path + "\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// startRegistry starts a registry that wants the credentials which it leaves in docker's
// configuration.
func startRegistry(t *testing.T) string {
	t.Helper()
	images := registry.New(registry.Logger(log.New(t.Output(), "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "gati" || password != "s3cret" {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		images.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	t.Setenv("DOCKER_CONFIG", writeFolder(t, map[string]string{
		"config.json": `{"auths": {"` + address + `": {"username": "gati", "password": "s3cret"}}}`,
	}))
	return address
}

func remoteOptions(t *testing.T) []remote.Option {
	return []remote.Option{remote.WithContext(t.Context()), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
}

func parseTag(t *testing.T, image string) name.Tag {
	t.Helper()
	tag, err := name.NewTag(image)
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

func pullImage(t *testing.T, image string) v1.Image {
	t.Helper()
	got, err := remote.Image(parseTag(t, image), remoteOptions(t)...)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// pushBase pushes the lowest layer of an image as one of its own, and returns its digest.
func pushBase(t *testing.T, image v1.Image, at string) string {
	t.Helper()
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	base, err := mutate.AppendLayers(empty.Image, layers[0])
	if err == nil {
		base, err = mutate.Config(base, v1.Config{Env: []string{"PATH=/usr/bin"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	tag := parseTag(t, at)
	if err := remote.Write(tag, base, remoteOptions(t)...); err != nil {
		t.Fatal(err)
	}
	digest, err := base.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return tag.Context().Digest(digest.String()).String()
}

// checkServed starts an image as a pod of the restricted profile would, without one file of
// development.
func checkServed(t *testing.T, image v1.Image) {
	t.Helper()
	root := t.TempDir()
	unpackImage(t, image, root)
	checkProduction(t, filepath.Join(root, "app"))
	config := configOf(t, image)
	if config.User != "1001:1001" || config.WorkingDir != "/app" {
		t.Errorf("it runs as %q in %q", config.User, config.WorkingDir)
	}
	cmd := exec.Command(config.Entrypoint[0], append(config.Entrypoint[1:], config.Cmd...)...)
	cmd.Path = filepath.Join("/usr/bin", config.Entrypoint[0]) // The PATH of the image.
	cmd.Err = nil
	cmd.Dir, cmd.SysProcAttr = config.WorkingDir, confineProcess(root)
	p := startCommand(t, cmd, config.Env)
	p.awaitListening()
	p.mustGet("/health", 200)
	for path, want := range map[string]string{"/hello": `{"message":"Hello World"}`, "/users/7": `{"id":"7"}`} {
		if got := p.mustGet(path, 200).body; got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	p.sendSignal(syscall.SIGTERM)
	if code := p.awaitEnd(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// checkProduction holds that nothing of development is in an image, and that its user may
// write in .gati alone.
func checkProduction(t *testing.T, app string) {
	t.Helper()
	for _, path := range []string{"node_modules/typescript", "node_modules/@types", "node_modules/.bin", "src", "dist/handlers/hello.test.js", "tsconfig.json"} {
		if _, err := os.Stat(filepath.Join(app, path)); err == nil {
			t.Errorf("the image has %s", path)
		}
	}
	err := filepath.WalkDir(app, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		owner := info.Sys().(*syscall.Stat_t).Uid
		if own := owner == user; os.Getuid() == 0 && own != (d.Name() == ".gati") || info.Mode().Perm()&0o022 != 0 {
			t.Errorf("%s is of user %d, mode %v", path, owner, info.Mode())
		}
		if strings.HasSuffix(path, ".ts") {
			t.Errorf("the image has %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
