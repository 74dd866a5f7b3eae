package app_test

import (
	"strings"
	"testing"

	"gati.dev/gati/pkg/app"
)

// oddFolders are folders of applications, each with the sentence that it ends in; empty is
// an application that works.
var oddFolders = map[string]struct {
	files map[string]string
	want  string
}{
	"no package.json":          {map[string]string{"package.json": ""}, "package.json: unexpected end"},
	"no handlers":              {nil, "src/handlers has no handler"},
	"shared code alone":        {map[string]string{"src/handlers/a.ts": "export const x = 1"}, "src/handlers has no handler"},
	"a broken manifest":        {map[string]string{"package.json": "{"}, "package.json: unexpected end"},
	"no name":                  {map[string]string{"package.json": "{}"}, `package.json: name is ""`},
	"a workspace's root":       {map[string]string{"package.json": `{"name": "a", "workspaces": ["apps/*"]}`}, "root of a workspace"},
	"two apps below one":       {map[string]string{"package.json": `{"name": "a", "workspaces": ["a", "b"]}`, "a/src/handlers/a.js": one, "b/src/handlers/b.js": one}, "name the folder of one application in it"},
	"a part of a workspace":    {map[string]string{"package.json": `{"name": "a", "dependencies": {"@acme/b": "workspace:*"}}`, "src/handlers/a.js": one}, ""},
	"an imported part":         {map[string]string{"package.json": `{"name": "a", "dependencies": {"@acme/b": "workspace:*"}}`, "src/handlers/a.js": "import '@acme/b';" + one}, `src/handlers/a.js:1 imports @acme/b, which is "workspace:*"`},
	"a catalog of pnpm":        {map[string]string{"package.json": `{"name": "a", "dependencies": {"zod": "catalog:"}}`, "pnpm-lock.yaml": "", "src/handlers/a.js": "import 'zod';" + one}, `imports zod, which is "catalog:"`},
	"a tarball that is gone":   {map[string]string{"package.json": `{"name": "a", "dependencies": {"b": "file:../b.tgz"}}`, "src/handlers/a.js": "import 'b';" + one}, `imports b, which is "file:../b.tgz"`},
	"a package in the folder":  {map[string]string{"package.json": `{"name": "a", "dependencies": {"b": "file:./b"}}`, "b/package.json": "{}", "src/handlers/a.js": "import 'b';" + one}, ""},
	"a package that is gone":   {map[string]string{"src/handlers/a.js": "import 'zod';" + one}, "imports zod, which package.json does not have; npm install zod"},
	"no dependencies":          {map[string]string{"package.json": `{"name": "a"}`, "src/handlers/a.js": one}, ""},
	"an old runtime":           {map[string]string{"package.json": `{"name": "a", "dependencies": {"@gati-framework/runtime": "^1.3.0"}}`, "src/handlers/a.js": one}, "dependencies.@gati-framework/runtime is \"^1.3.0\""},
	"two files of a route":     {map[string]string{"src/handlers/a.ts": one, "src/handlers/b.ts": one + "\nexport const ROUTE = '/a'"}, "GET /a is the route of src/handlers/a.ts and of src/handlers/b.ts"},
	"CommonJS":                 {map[string]string{"src/handlers/a.js": "const { b } = require('../b'); exports.aHandler = () => b"}, "imports \"../b\", and there is no such file"},
	"CommonJS with its files":  {map[string]string{"src/handlers/a.js": "const b = require('../b'); module.exports = { aHandler: () => b }", "src/b.js": ""}, ""},
	"ES modules":               {map[string]string{"package.json": `{"name": "a", "type": "module"}`, "src/handlers/a.ts": "import '../b.js';" + one, "src/b.ts": ""}, ""},
	"no suffix":                {map[string]string{"package.json": `{"name": "a", "type": "module"}`, "src/handlers/a.ts": "import '../b';" + one, "src/b.ts": ""}, `src/handlers/a.ts:1 imports "../b"`},
	"an alias of the compiler": {map[string]string{"src/handlers/a.ts": "import { b } from '@/b';" + one}, "a path that only the compiler knows"},
	"yarn":                     {map[string]string{"src/handlers/a.js": one, "yarn.lock": ""}, ""},
	"pnpm":                     {map[string]string{"src/handlers/a.js": one, "pnpm-lock.yaml": ""}, ""},
	"no lock file":             {map[string]string{"src/handlers/a.mjs": one}, ""},
	"a port in code":           {map[string]string{"src/handlers/a.js": one, "src/index.js": "app.listen(8080)"}, ""},
	"a port that is none":      {map[string]string{"src/handlers/a.js": one, "gati.config.js": "export default { port: 99999 }"}, "gati.config.js: port is 99999"},
	"handlers elsewhere":       {map[string]string{"src/handlers/a.js": one, "gati.config.ts": "export default {\n  handlers: './routes' }"}, `gati.config.ts:2: handlers is "routes"`},
	"a route of an expression": {map[string]string{"src/handlers/a.js": one + "\nexport const ROUTE = /^a+$/"}, "src/handlers/a.js:2: ROUTE is computed"},
	"a computed route":         {map[string]string{"src/handlers/a.js": one + "\nexport const ROUTE = `/${base}/a`;"}, "src/handlers/a.js:2: ROUTE is computed"},
	"a computed method":        {map[string]string{"src/handlers/a.js": "export const METHOD = readMethod();\n" + one}, "src/handlers/a.js:1: METHOD is computed"},
	"a route with a pattern":   {map[string]string{"src/handlers/a.js": one + "\nexport const ROUTE = '/:id(\\\\d+)'"}, `is no path of a GatiHandler`},
	"a module's odd name":      {map[string]string{"src/handlers/a.js": one, "src/modules/userStore.js": "export const userStore = { find() {} }"}, "src/modules/userStore.js: \"userStore\" is no name of a GatiModule"},
}

const one = "export const aHandler = () => {}"

// TestOddFolders holds that each folder ends in an application that works or in one clear
// sentence.
func TestOddFolders(t *testing.T) {
	for name, test := range oddFolders {
		a, err := app.Read(folder(test.files))
		if err == nil {
			err = app.Check(a, app.Options{PerRoute: true, ModulePods: true})
		}
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

// TestOneHandlerHasComputedPaths holds that nobody has to change a computed route where one
// handler has all of them, except one that is no string at all.
func TestOneHandlerHasComputedPaths(t *testing.T) {
	a, err := app.Read(folder(map[string]string{"src/handlers/a.js": one + "\nexport const ROUTE = base + '/a';"}))
	if err != nil || app.Check(a, app.Options{}) != nil {
		t.Errorf("got %v", err)
	}
}

// TestConfiguration holds what is read of gati.config, in the forms of upstream's examples.
func TestConfiguration(t *testing.T) {
	for text, want := range map[string]app.Application{
		"export default { server: { port: 8080, host: 'localhost' } };":                             {Name: "hello-world", Port: 8080},
		"const config: GatiConfig = { app: { name: 'demo', version: '1.0.0', port: 4000 } };":       {Name: "demo", Port: 4000},
		"export default defineConfig({ port: 5000, database: { name: 'x', port: 1 } });":            {Name: "hello-world", Port: 5000},
		"export default { database: { name: 'x', port: 1 } };":                                      {Name: "hello-world"},
		"export default { server: { port: Number(process.env.PORT) || 3000 } };":                    {Name: "hello-world"},
		"export default { /* server: { port: 3000 }, */ };":                                         {Name: "hello-world"},
		"{\"server\": {\"port\": 6000}}":                                                            {Name: "hello-world", Port: 6000},
		"export default { routes: [], server: { port: 7000 }, config: { env: 'x', name: 'named' }}": {Name: "named", Port: 7000},
	} {
		a, err := app.Read(folder(map[string]string{"src/handlers/a.js": one, "gati.config.ts": text}))
		if err != nil || a.Name != want.Name || a.Port != want.Port || len(a.Notes) > 0 {
			t.Errorf("%s: got %q, port %d, %v, error %v", text, a.Name, a.Port, a.Notes, err)
		}
	}
}
