package app_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"

	"gati.dev/gati/pkg/app"
)

const plain = `{"name": "@gati/hello-world", "dependencies": {"@gati-framework/runtime": "^2.0.8", "gati-kubernetes": "^0.1.0"}}`

func folder(files map[string]string) fstest.MapFS {
	dir := fstest.MapFS{"package.json": {Data: []byte(plain)}}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return dir
}

// TestReadFollowsUpstreamsForm reads handlers as upstream's hello-world has them.
func TestReadFollowsUpstreamsForm(t *testing.T) {
	a, err := app.Read(folder(map[string]string{
		"src/handlers/hello.ts":       "export const METHOD = 'GET';\nexport const ROUTE = '/hello';\nexport const helloHandler: Handler = async () => {};",
		"src/handlers/users/[id].ts":  "export const ROUTE = '/:id';\nexport const getUserHandler: Handler = async () => {};",
		"src/handlers/users/index.ts": "export const METHOD = 'POST'; export const ROUTE = '/'; export const createUserHandler = 1",
		"src/handlers/a/[org]/b.ts":   "export default async function () { process.env.API_TOKEN; process.env['LOG_LEVEL']; process.env.PORT }",
		"src/handlers/shared.ts":      "export const limit = 3",
		"src/handlers/hello.test.ts":  "export const testHandler = 1",
		"src/modules/database.ts":     "export const database = { url: process.env.DATABASE_URL }",
		"pnpm-lock.yaml":              "",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := app.Application{
		Name: "hello-world", Manager: "pnpm", Locked: true, TypeScript: true, Env: []string{"API_TOKEN", "DATABASE_URL", "LOG_LEVEL"},
		HandlerEnv: []string{"API_TOKEN", "LOG_LEVEL"},
		Modules:    []app.Module{{Name: "database", File: "src/modules/database.ts", Env: []string{"DATABASE_URL"}}},
		Routes: []app.Route{
			{Method: "GET", Path: "/a/:org/b", File: "src/handlers/a/[org]/b.ts"},
			{Method: "GET", Path: "/hello", File: "src/handlers/hello.ts"},
			{Method: "GET", Path: "/users/:id", File: "src/handlers/users/[id].ts"},
			{Method: "POST", Path: "/users", File: "src/handlers/users/index.ts"},
		},
	}
	a.Production = app.Production{} // TestProductionOfUpstreamsExamples has it.
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("(-want,+got):\n%s", diff)
	}
}

// TestNamesAreThoseOfHandlers writes a handler for each of many routes, whatever package and
// paths are called, and has each accepted.
func TestNamesAreThoseOfHandlers(t *testing.T) {
	for _, name := range []string{"shop", "@acme/3d_Shop", "a.very--long.name-of-a-package-that-goes-on-and-on-and-on", "x-"} {
		a := app.Application{Name: "", Manager: "npm"}
		read, err := app.Read(folder(map[string]string{
			"package.json":          `{"name": "` + name + `", "dependencies": {"@gati-framework/runtime": "2", "gati-kubernetes": "1"}}`,
			"src/handlers/index.js": "export default () => {}",
		}))
		if err != nil {
			t.Fatal(err)
		}
		a.Name = read.Name
		for _, path := range []string{"/", "/a/:id", "/a/id", "/a-id", "/A/ID", "/" + strings.Repeat("long/", 20), "/" + strings.Repeat("long/", 19) + "x", "/*"} {
			a.Routes = append(a.Routes, app.Route{Method: "GET", Path: path})
		}
		files := app.Files(a, app.Options{Image: "shop:v1", PerRoute: true})
		if len(files) != len(a.Routes)+3 {
			t.Errorf("%s: %d files for %d routes", name, len(files), len(a.Routes))
		}
		for path := range files {
			handler := strings.TrimSuffix(strings.TrimPrefix(path, "k8s/"), ".yaml")
			if handler != path && path != "k8s/kustomization.yaml" && (len(handler) > 40 || strings.Contains(handler, "--") || len(validation.IsDNS1035Label(handler)) > 0) {
				t.Errorf("%s: %q is no name of a handler", name, handler)
			}
		}
	}
}

// TestMergeLosesNoEdit plays runs of init with edits, deletions and changes of the code
// between them.
func TestMergeLosesNoEdit(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		paths := []string{"a", "b", "c"}
		present, written := map[string]string{}, map[string]string{}
		users := map[string]bool{}
		for range 8 {
			path := paths[random.IntN(3)]
			switch random.IntN(4) {
			case 0:
				present[path] = "edit" + string(rune('0'+random.IntN(10)))
				users[path] = true
			case 1:
				if _, there := present[path]; there {
					delete(present, path)
					users[path] = written[path] != ""
				}
			}
			wanted := map[string]string{}
			for _, path := range paths {
				wanted[path] = string(rune('0' + random.IntN(2)))
			}
			before := maps.Clone(present)
			for _, c := range app.Merge(wanted, present, written) {
				if !c.Edited {
					present[c.Path], written[c.Path] = c.New, c.New
				}
			}
			for path := range users {
				old, was := before[path]
				now, is := present[path]
				if users[path] && (old != now || was != is) {
					t.Fatalf("seed %d: %s was %q of the user and is %q", seed, path, old, now)
				}
			}
			if again := app.Merge(wanted, present, written); slices.ContainsFunc(again, func(c app.Change) bool { return !c.Edited }) {
				t.Fatalf("seed %d: the second run changes %v", seed, again)
			}
		}
	}
}
