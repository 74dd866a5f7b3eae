package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// Production is what an image is made from, beside the code.
type Production struct {
	// Manifest is the package.json whose dependencies are installed; Set and Removed are its
	// differences from that of the folder, by paths such as dependencies.zod.
	Manifest []byte
	Set      map[string]string
	Removed  []string
	// Config is the tsconfig.json that compiles the code to dist, empty where nothing has to
	// be compiled.
	Config []byte
}

// published are packages of upstream that examples of its repository take from there.
// gati-kubernetes runs these versions.
var published = map[string]string{
	runner:                      "^0.1.0",
	runtime:                     "^2.0.8",
	"@gati-framework/core":      "^0.4.5",
	"@gati-framework/contracts": "^1.2.0",
	"@gati-framework/types":     "^1.0.1",
}

// compilers are what the compilation of TypeScript needs.
var compilers = map[string]string{"typescript": "^5.3.3", "@types/node": "^22"}

// kinds are the lists of a package.json, the one that is installed in production first.
var kinds = []string{"dependencies", "optionalDependencies", "peerDependencies", "devDependencies"}

// rewriting is a package.json that becomes that of an image.
type rewriting struct {
	dir      fs.FS
	manifest map[string]any
	out      Production
	imported map[string]use
}

// use is the first place that imports a package.
type use struct {
	place  string
	erased bool
}

// readProduction derives what an image is made from. A dependency that installs in its
// repository alone is left out unless the code imports it.
func readProduction(dir fs.FS, text []byte, files []*file) (Production, error) {
	r := rewriting{dir: dir, imported: map[string]use{}, out: Production{Manifest: text, Set: map[string]string{}}}
	if err := json.Unmarshal(text, &r.manifest); err != nil {
		return Production{}, fmt.Errorf("package.json: %w", err)
	}
	isTypeScript := false
	for _, f := range files {
		isTypeScript = isTypeScript || isTypeScriptFile(f.path)
		r.collect(f)
	}
	for _, kind := range kinds {
		if err := r.keepInstallable(kind); err != nil {
			return Production{}, err
		}
	}
	if err := r.checkRuntime(); err != nil {
		return Production{}, err
	}
	if err := r.checkImports(); err != nil {
		return Production{}, err
	}
	r.need("dependencies", runtime, published[runtime])
	r.need("dependencies", runner, published[runner])
	if isTypeScript {
		for name, version := range compilers {
			r.need("devDependencies", name, version)
		}
		r.out.Config = compilerConfig(dir, r.manifest["type"] == "module", files)
	}
	return r.finish()
}

func isTypeScriptFile(name string) bool {
	return source.MatchString(name) && !unused.MatchString(name) && strings.HasSuffix(name, "ts")
}

// collect notes the packages that a file imports.
func (r *rewriting) collect(f *file) {
	for _, reference := range f.references {
		name := packageOf(reference.name)
		known, found := r.imported[name]
		if name == "" || found && (!known.erased || reference.erased) {
			continue
		}
		r.imported[name] = use{place: fmt.Sprintf("%s:%d", f.path, reference.line), erased: reference.erased}
	}
}

// builtin are the packages of Node.js itself.
var builtin = lazyregexp.New(`^(node:.*|(assert|async_hooks|buffer|child_process|cluster|console|constants|crypto|dgram|diagnostics_channel|dns|domain|events|fs|http|http2|https|inspector|module|net|os|path|perf_hooks|process|punycode|querystring|readline|repl|stream|string_decoder|timers|tls|trace_events|tty|url|util|v8|vm|wasi|worker_threads|zlib)(/.*)?)$`)

// packageOf returns the package of an import: zod/v4 is of zod. It is empty for files and
// for Node.js itself; #name is an import of the package's own.
func packageOf(name string) string {
	if isRelative(name) || strings.HasPrefix(name, "#") || builtin.MatchString(name) {
		return ""
	}
	words := strings.SplitN(name, "/", 3)
	if strings.HasPrefix(name, "@") && len(words) > 1 {
		return words[0] + "/" + words[1]
	}
	return words[0]
}

// keepInstallable removes the dependencies that only their repository has, and takes what
// upstream has published of them from there.
func (r *rewriting) keepInstallable(kind string) error {
	list, _ := r.manifest[kind].(map[string]any)
	for name, value := range list {
		spec, _ := value.(string)
		if r.installs(spec) {
			continue
		}
		used, isUsed := r.imported[name]
		version, known := published[name]
		switch {
		case known && (isUsed || name == runtime): // The runner imports the runtime.
			r.set(kind, name, version)
		case isUsed:
			return fmt.Errorf("%s imports %s, which is %q in package.json and installs in its repository alone; publish it and name its version, or take the import out", used.place, name, spec)
		default:
			r.remove(kind, name)
		}
	}
	return nil
}

// local are the specifications that need more than a registry.
var local = lazyregexp.New(`^(workspace|catalog|link|portal|file):(.*)$`)

func (r *rewriting) installs(spec string) bool {
	match := local.FindStringSubmatch(spec)
	if match == nil {
		return true
	}
	target := path.Clean(match[2])
	if match[1] != "file" || !fs.ValidPath(target) {
		return false
	}
	_, err := fs.Stat(r.dir, target)
	return err == nil
}

var firstNumber = lazyregexp.New(`^[^\d]*(\d+)`)

// checkRuntime refuses another major version of upstream's runtime.
func (r *rewriting) checkRuntime() error {
	list, _ := r.manifest["dependencies"].(map[string]any)
	spec, _ := list[runtime].(string)
	found, wanted := firstNumber.FindStringSubmatch(spec), firstNumber.FindStringSubmatch(published[runtime])
	if found != nil && !local.MatchString(spec) && found[1] != wanted[1] {
		return fmt.Errorf("package.json: dependencies.%s is %q, and gati-kubernetes runs %s; npm install %s@%s", runtime, spec, published[runtime], runtime, published[runtime])
	}
	return nil
}

// checkImports holds that production has every package that the code imports.
func (r *rewriting) checkImports() error {
	places := make([]string, 0, len(r.imported))
	for name := range r.imported {
		places = append(places, name)
	}
	slices.SortFunc(places, func(a, b string) int { return cmp.Compare(r.imported[a].place, r.imported[b].place) })
	for _, name := range places {
		used := r.imported[name]
		version, known := published[name]
		switch {
		case used.erased || r.has(kinds[:3], name) || name == r.manifest["name"]:
		case known:
			r.set("dependencies", name, version)
		case strings.HasPrefix(name, "@/") || strings.HasPrefix(name, "~"):
			return fmt.Errorf("%s imports %q, a path that only the compiler knows; import the file by its relative path, such as ../modules/database.js", used.place, name)
		case r.has(kinds[3:], name):
			return fmt.Errorf("%s imports %s, which is in devDependencies, and an image has none of these; npm install --save-prod %s", used.place, name, name)
		default:
			return fmt.Errorf("%s imports %s, which package.json does not have; npm install %s", used.place, name, name)
		}
	}
	return nil
}

func (r *rewriting) has(lists []string, name string) bool {
	return slices.ContainsFunc(lists, func(kind string) bool {
		list, _ := r.manifest[kind].(map[string]any)
		return list[name] != nil
	})
}

// need adds a package where no list has it.
func (r *rewriting) need(kind, name, version string) {
	lists := kinds[:1]
	if kind != kinds[0] {
		lists = kinds
	}
	if !r.has(lists, name) {
		r.set(kind, name, version)
	}
}

func (r *rewriting) set(kind, name, version string) {
	list, _ := r.manifest[kind].(map[string]any)
	if list == nil {
		list = map[string]any{}
		r.manifest[kind] = list
	}
	list[name] = version
	r.out.Set[keyOf(kind, name)] = version
}

func (r *rewriting) remove(kind, name string) {
	delete(r.manifest[kind].(map[string]any), name)
	r.out.Removed = append(r.out.Removed, keyOf(kind, name))
}

// keyOf is the path of npm pkg to a dependency.
func keyOf(kind, name string) string {
	if strings.Contains(name, ".") {
		return kind + "[" + name + "]"
	}
	return kind + "." + name
}

func (r *rewriting) finish() (Production, error) {
	slices.Sort(r.out.Removed)
	if len(r.out.Set)+len(r.out.Removed) == 0 {
		return r.out, nil
	}
	text, err := json.MarshalIndent(r.manifest, "", "  ")
	r.out.Manifest = append(text, '\n')
	return r.out, err
}
