package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// Application is what a folder says of an application.
type Application struct {
	Name, Version string
	// Manager installs the dependencies: npm, pnpm or yarn. Locked reports whether its lock
	// file is in the folder.
	Manager string
	Locked  bool
	// TypeScript reports whether the code has to be compiled.
	TypeScript bool
	Routes     []Route
	Modules    []Module
	// Port is that of the configuration, 0 where it has none.
	Port int
	// Env are the variables of the environment that the code reads, HandlerEnv those of it
	// without the modules'.
	Env, HandlerEnv []string
	// Notes name what of the folder has no effect.
	Notes []string
	// Production is what an image of the application is made from.
	Production Production
}

// Route is a handler's file.
type Route struct {
	Method, Path, File string
	// Fault says why method or path cannot be read, as they are computed.
	Fault string
}

type manifest struct {
	Name       string          `json:"name"`
	Version    string          `json:"version"`
	Type       string          `json:"type"`
	Workspaces json.RawMessage `json:"workspaces"`
}

// The folders of an application's code.
const (
	handlers     = "src/handlers"
	modules      = "src/modules"
	transformers = "src/transformers"
)

// The package that runs an application, and upstream's runtime.
const (
	runner  = "gati-kubernetes"
	runtime = "@gati-framework/runtime"
)

var (
	method   = lazyregexp.New(`(?:export\s+const\s+|exports\.)METHOD\s*(?::[^=]*)?=\s*(\[[^\]]*\]|['"` + "`" + `][A-Za-z]+)`)
	route    = lazyregexp.New(`(?:export\s+const\s+|exports\.)ROUTE\s*(?::[^=]*)?=\s*['"` + "`" + `]([^'"` + "`" + `]+)['"` + "`" + `]`)
	handler  = lazyregexp.New(`(?:export\s+(?:const|let|(?:async\s+)?function)\s+|exports\.)\w*(?i:handler)\w*|export\s+default\b|module\.exports\b`)
	exported = lazyregexp.New(`(?:export\s+(?:const|let)\s+|exports\.)(METHOD|ROUTE)\s*(?::[^=\n]*)?=\s*([^\n]*)`)
	param    = lazyregexp.New(`\[(\w+)\]`)
	// A literal is all of a value, without a parameter of a template.
	literalRoute  = lazyregexp.New("^(?:'[^']*'|\"[^\"]*\"|`[^`$]*`)(?:\\s+as\\s+const)?\\s*(?:[;,}].*)?$")
	literalMethod = lazyregexp.New("^(?:['\"`][A-Za-z]+['\"`]|\\[[\\s\\w'\"`,]*\\]?)(?:\\s+as\\s+const)?\\s*(?:[;,}].*)?$")
	label         = lazyregexp.New(`[^a-z0-9]+`)
)

// Read reads an application's folder.
func Read(dir fs.FS) (Application, error) {
	m, text, err := readManifest(dir)
	if err != nil {
		return Application{}, err
	}
	a := Application{Name: objectName(m.Name), Version: m.Version}
	a.Manager, a.Locked = findManager(dir)
	files, err := a.readCode(&code{dir: dir, files: map[string]*file{}, isModule: m.Type == "module"})
	if err != nil {
		return Application{}, err
	}
	if err := a.readConfig(dir); err != nil {
		return Application{}, err
	}
	if len(a.Routes) == 0 {
		return Application{}, fmt.Errorf("%s has no handler: a file that exports METHOD, ROUTE and a function whose name has \"handler\" in it", handlers)
	}
	if err := checkRoutes(a.Routes); err != nil {
		return Application{}, err
	}
	a.Production, err = readProduction(dir, text, files)
	for _, removed := range a.Production.Removed {
		a.Notes = append(a.Notes, "package.json: an image has no "+removed+": no handler or module imports it, and it installs in its repository alone")
	}
	return a, err
}

func readManifest(dir fs.FS) (m manifest, text []byte, err error) {
	text, err = fs.ReadFile(dir, "package.json")
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil, errors.New("there is no package.json; name the folder of a Gati application")
	}
	if err != nil {
		return m, nil, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, nil, fmt.Errorf("package.json: %w", err)
	}
	if _, err := fs.Stat(dir, handlers); err != nil && len(m.Workspaces) > 0 {
		return m, nil, errors.New("package.json: this is the root of a workspace; name the folder of one application in it")
	}
	if objectName(m.Name) == "" {
		return m, nil, fmt.Errorf("package.json: name is %q, which names nothing in Kubernetes; give it letters or digits", m.Name)
	}
	return m, text, nil
}

// objectName returns the name of a package as that of a handler: @gati/hello is hello.
func objectName(name string) string { return handlerName(path.Base(name), "") }

// maxName is the longest name of a handler.
const maxName = 40

// handlerName makes a name of a text, with a suffix that stays: a letter first, and single
// hyphens between letters and digits.
func handlerName(text, suffix string) string {
	words := strings.Trim(label.ReplaceAllString(strings.ToLower(text), "-"), "-")
	if words != "" && words[0] <= '9' {
		words = "app-" + words
	}
	return strings.TrimRight(words[:min(len(words), maxName-len(suffix))], "-") + suffix
}

func findManager(dir fs.FS) (manager string, locked bool) {
	for _, lock := range [][2]string{{"package-lock.json", "npm"}, {"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}} {
		if _, err := fs.Stat(dir, lock[0]); err == nil {
			return lock[1], true
		}
	}
	return "npm", false
}

// readCode reads handlers and modules, and returns all files of production.
func (a *Application) readCode(c *code) ([]*file, error) {
	lists := map[string][]string{}
	for _, folder := range parts {
		found, err := c.list(folder)
		if err != nil {
			return nil, err
		}
		lists[folder] = found
	}
	own, err := c.reach(slices.Concat(lists[handlers], lists[transformers])...)
	if err != nil {
		return nil, err
	}
	a.HandlerEnv = variablesOf(own)
	if err := a.readModules(c); err != nil {
		return nil, err
	}
	files, err := c.reach(slices.Concat(lists[handlers], lists[transformers], lists[modules])...)
	a.Env = variablesOf(files)
	for _, f := range files {
		a.TypeScript = a.TypeScript || isTypeScriptFile(f.path)
		if strings.HasPrefix(f.path, handlers+"/") && handler.MatchString(f.text) {
			a.Routes = append(a.Routes, readRoutes(f)...)
		}
	}
	return files, err
}

// provided are variables that every pod of a handler has.
var provided = []string{"HOST", "PORT", "NODE_ENV", "INSTANCE_ID", "HANDLER_ID", "HANDLER_VERSION"}

// readRoutes returns the routes of a file: one for each of its methods.
func readRoutes(f *file) (routes []Route) {
	fault := readFault(f)
	for _, method := range readMethods(f.text) {
		routes = append(routes, Route{Method: method, Path: readPath(f.path, f.text), File: f.path, Fault: fault})
	}
	return routes
}

// readFault finds a METHOD or ROUTE that is no string of the file.
func readFault(f *file) string {
	for _, m := range exported.FindAllStringSubmatchIndex(f.text) {
		name, value := f.text[m[2]:m[3]], f.text[m[4]:m[5]]
		form, example := literalRoute, "'/users/:id'"
		if name == "METHOD" {
			form, example = literalMethod, "'GET'"
		}
		if !form.MatchString(value) {
			return fmt.Sprintf("%s:%d: %s is computed; write it as a string, such as %s", f.path, lineOf(f.text, m[2]), name, example)
		}
	}
	return ""
}

func readMethods(text string) []string {
	if match := method.FindStringSubmatch(text); match != nil {
		return strings.FieldsFunc(strings.ToUpper(match[1]), func(c rune) bool { return c < 'A' || c > 'Z' })
	}
	return []string{"GET"}
}

// readPath follows the rules of gati-kubernetes: ROUTE below the folder of the file, or the
// path of the file.
func readPath(name, text string) string {
	own := source.ReplaceAllString(strings.TrimPrefix(name, handlers), "")
	if match := route.FindStringSubmatch(text); match != nil {
		own = path.Dir(own) + "/" + match[1]
	} else {
		own = strings.TrimSuffix(own, "/index")
	}
	return path.Clean("/" + param.ReplaceAllStringFunc(own, func(s string) string { return ":" + strings.Trim(s, "[]") }))
}

// checkRoutes holds that no two files have one route. One that is computed is not known.
func checkRoutes(routes []Route) error {
	seen := map[string]string{}
	for _, r := range routes {
		if r.Fault != "" {
			continue
		}
		key := r.Method + " " + r.Path
		if other, twice := seen[key]; twice {
			return fmt.Errorf("%s is the route of %s and of %s; change METHOD or ROUTE of one", key, other, r.File)
		}
		seen[key] = r.File
	}
	return nil
}
