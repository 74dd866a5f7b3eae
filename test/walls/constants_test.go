package walls

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// value is what a constant, or a variable with a constant initial value, is.
type value struct {
	value      constant.Value
	isDuration bool
}

func (v value) String() string {
	if n, exact := constant.Int64Val(constant.ToInt(v.value)); exact && v.isDuration {
		return time.Duration(n).String()
	}
	return v.value.ExactString()
}

// constantsOf returns the constants of a package's top level by name. Only what a
// constant can depend on is type-checked: the package itself, other packages of
// this module, and time.
func constantsOf(folder string) (map[string]value, error) {
	loader.Lock()
	defer loader.Unlock()
	if _, err := loader.Import(module + folder); err != nil {
		return nil, err
	}
	return loader.constants[folder], nil
}

// flagFiles is where gati-webhook's flags are.
const flagFiles = "cmd/gati-webhook/app"

// flagDefault returns the default of a flag of gati-webhook.
func flagDefault(name string) (value, error) {
	if _, err := constantsOf(flagFiles); err != nil {
		return value{}, err
	}
	loader.Lock()
	defer loader.Unlock()
	for _, file := range loader.parsed[flagFiles] {
		for n := range ast.Preorder(file) {
			c, ok := n.(*ast.CallExpr)
			if !ok || len(c.Args) != 4 || types.ExprString(c.Args[1]) != strconv.Quote(name) {
				continue
			}
			// The imports of a file are in the scope of its own, found by a position in it.
			tv, err := types.Eval(loader.files, loader.packages[module+flagFiles], c.Pos(), types.ExprString(c.Args[2]))
			if err != nil || !isNumber(tv.Value) {
				return value{}, fmt.Errorf("the default of --%s is %s, which is no figure", name, types.ExprString(c.Args[2]))
			}
			return value{tv.Value, isDuration(tv.Type)}, nil
		}
	}
	return value{}, fmt.Errorf("%s has no flag --%s", flagFiles, name)
}

var loader = &constantLoader{
	files:     token.NewFileSet(),
	packages:  map[string]*types.Package{},
	constants: map[string]map[string]value{},
	parsed:    map[string][]*ast.File{},
}

type constantLoader struct {
	sync.Mutex
	files     *token.FileSet
	packages  map[string]*types.Package
	constants map[string]map[string]value
	parsed    map[string][]*ast.File
}

// Import implements types.Importer. Packages that no constant needs are empty.
func (l *constantLoader) Import(path string) (*types.Package, error) {
	if p := l.packages[path]; p != nil {
		return p, nil
	}
	folder, isOurs := ours(path)
	switch {
	case path == "time":
		return l.importTime()
	case !isOurs:
		p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
		p.MarkComplete()
		l.packages[path] = p
		return p, nil
	}
	parsed, err := l.parse(folder)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	// What comes from the empty packages is unknown, which is no fault of a constant.
	config := types.Config{Importer: l, IgnoreFuncBodies: true, Error: func(error) {}}
	p, _ := config.Check(path, l.files, parsed, info)
	l.packages[path], l.parsed[folder] = p, parsed
	l.constants[folder] = collectConstants(p, parsed, info)
	return p, nil
}

// importTime returns what constants need of the package time. A test program that was
// built with -trimpath does not know where the sources of Go are.
func (l *constantLoader) importTime() (*types.Package, error) {
	source := `package time
type Duration int64
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
)`
	file, err := parser.ParseFile(l.files, "time.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	p, err := new(types.Config).Check("time", l.files, []*ast.File{file}, nil)
	l.packages["time"] = p
	return p, err
}

// parse reads the files of a package; those of its tests too where it has tests alone.
func (l *constantLoader) parse(folder string) (parsed []*ast.File, err error) {
	names, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") && !within(folder, "test") {
			continue
		}
		file, err := parser.ParseFile(l.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	if len(parsed) == 0 {
		return nil, fmt.Errorf("%s has no Go files", folder)
	}
	return parsed, nil
}

func collectConstants(p *types.Package, parsed []*ast.File, info *types.Info) map[string]value {
	found := map[string]value{}
	for _, name := range p.Scope().Names() {
		if c, ok := p.Scope().Lookup(name).(*types.Const); ok && isNumber(c.Val()) {
			found[name] = value{c.Val(), isDuration(c.Type())}
		}
	}
	for _, file := range parsed {
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
				collectVariables(d, info, found)
			}
		}
	}
	return found
}

// collectVariables adds variables whose initial value is a constant, which tests may
// shorten and nothing else changes, and of lists how many entries they have.
func collectVariables(d *ast.GenDecl, info *types.Info, found map[string]value) {
	for _, spec := range d.Specs {
		s, ok := spec.(*ast.ValueSpec)
		if !ok || len(s.Names) != len(s.Values) {
			continue
		}
		for i, name := range s.Names {
			if tv := info.Types[s.Values[i]]; isNumber(tv.Value) {
				found[name.Name] = value{tv.Value, isDuration(tv.Type)}
			} else if list, ok := s.Values[i].(*ast.CompositeLit); ok {
				found[name.Name] = value{constant.MakeInt64(int64(len(list.Elts))), false}
			}
		}
	}
}

func isNumber(v constant.Value) bool {
	return v != nil && (v.Kind() == constant.Int || v.Kind() == constant.Float)
}

func isDuration(t types.Type) bool { return t != nil && t.String() == "time.Duration" }
