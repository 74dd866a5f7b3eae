package app

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gati.dev/gati/pkg/lazyregexp"
)

// Module is a file of modules that can run in pods of its own.
type Module struct {
	Name, File string
	// Env are the variables of the environment that its code reads.
	Env []string
	// Calls reports whether its code may call something outside of its pods.
	Calls bool
}

var (
	variable = lazyregexp.New(`process\.env(?:\.([A-Z][A-Z0-9_]*)|\[['"]([A-Z][A-Z0-9_]*)['"]\])`)
	fetching = lazyregexp.New(`\bfetch\s*\(`)
	dialing  = lazyregexp.New(`^(node:)?(dgram|dns|http|http2|https|net|tls)(/|$)`)
)

// readModules reads the files of modules, each with all that it imports.
func (a *Application) readModules(c *code) error {
	names, err := c.list(modules)
	for _, name := range names {
		files, err := c.reach(name)
		if err != nil {
			return err
		}
		a.Modules = append(a.Modules, Module{Name: moduleName(name), File: name, Env: variablesOf(files), Calls: slices.ContainsFunc(files, callsOut)})
	}
	return err
}

// moduleName follows the rule of gati-kubernetes.
func moduleName(name string) string {
	name = strings.TrimSuffix(source.ReplaceAllString(strings.TrimPrefix(name, modules+"/"), ""), "/index")
	return strings.ReplaceAll(name, "/", "-")
}

// variablesOf returns the variables that code reads, without those of every pod.
func variablesOf(files []*file) (found []string) {
	for _, f := range files {
		for _, m := range variable.FindAllStringSubmatchIndex(f.text) {
			name := f.text[max(m[2], m[4]):max(m[3], m[5])]
			if !slices.Contains(found, name) && !slices.Contains(provided, name) {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found
}

// callsOut reports whether a file uses the network, as far as its imports show: a package
// may, upstream's own do not.
func callsOut(f *file) bool {
	return fetching.MatchString(f.text) || slices.ContainsFunc(f.references, func(r reference) bool {
		name := packageOf(r.name)
		return !r.erased && (dialing.MatchString(r.name) || name != "" && published[name] == "")
	})
}

// checkModules holds that each module has a name that handlers reach it by: the variable of
// its address knows capitals and underscores alone.
func checkModules(a Application) error {
	for _, m := range a.Modules {
		if handlerName(m.Name, "") != m.Name {
			return fmt.Errorf("%s: %q is no name of a GatiModule; call the file %s, or leave modules in the process of the handlers", m.File, m.Name, handlerName(m.Name, "")+path.Ext(m.File))
		}
	}
	return nil
}

// manifest is the GatiModule: the application's image, which serves the module alone.
func (m Module) manifest(a Application, o Options) string {
	var out strings.Builder
	fmt.Fprintf(&out, "apiVersion: gati.dev/v1\nkind: GatiModule\nmetadata:\n  name: %q\nspec:\n  type: node\n  image: %q\n", m.Name, o.Image)
	var capabilities []string
	if m.Calls {
		capabilities = append(capabilities, "network:egress")
	}
	if slices.ContainsFunc(m.Env, isSecret) {
		capabilities = append(capabilities, "secrets:read")
	}
	if len(capabilities) > 0 {
		fmt.Fprintf(&out, "  capabilities: [%s]\n", strings.Join(capabilities, ", "))
	}
	fmt.Fprintf(&out, "  pod:\n    command: [node, %s, module, %q]\n", program, m.Name)
	writeEnv(&out, a.Name, m.Env)
	return out.String()
}
