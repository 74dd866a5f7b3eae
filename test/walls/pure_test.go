package walls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// impure must not be imported by pure packages, nor by any package of this module that
// they use. Imports of libraries are not followed: the Kubernetes types alone bring
// many.
var impure = []string{
	"k8s.io/client-go",
	"sigs.k8s.io/controller-runtime/pkg/manager",
	"sigs.k8s.io/controller-runtime/pkg/cache",
	"sigs.k8s.io/controller-runtime/pkg/client/config",
	"sigs.k8s.io/controller-runtime/pkg/cluster",
	"os", "net", "net/http", "io/ioutil", "syscall", "database/sql",
	"math/rand", "math/rand/v2", "crypto/rand",
}

// netWithoutIO has the packages below net that only handle text.
var netWithoutIO = []string{"net/url", "net/netip", "net/mail"}

// purePackages are the packages of the pure layers.
var purePackages = func() []string {
	var all []string
	for _, l := range layers[:pureLayers] {
		all = append(all, l.folders...)
	}
	return all
}()

// clients are the types that read or write a cluster. A pure package may name
// client.Object only.
var clients = []string{"Client", "Reader", "Writer", "WithWatch", "New", "NewWithWatch"}

func pure(t *testing.T) map[string]*pkg {
	found := map[string]*pkg{}
	for path, p := range packages(t) {
		if withinAny(path, purePackages) != "" && !strings.HasSuffix(path, "test") {
			found[path] = p
		}
	}
	return found
}

// TestPureImports holds that pure packages import no client and no I/O. The
// packages of ours that they import are pure themselves, so looking at direct
// imports is enough.
func TestPureImports(t *testing.T) {
	for path, p := range pure(t) {
		for _, imported := range p.Imports {
			if withinAny(imported, netWithoutIO) == "" && withinAny(imported, impure) != "" {
				t.Errorf("%s is pure, but imports %s; pass its result in as data", path, imported)
			}
			target, isOurs := ours(imported)
			if isOurs && withinAny(target, purePackages) == "" {
				t.Errorf("%s is pure, but imports %s, which is not; move what it needs below both", path, target)
			}
		}
	}
}

// TestPureCode holds that pure packages read no clock and hold no client.
func TestPureCode(t *testing.T) {
	for path, p := range pure(t) {
		for _, name := range p.GoFiles {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, bad := range impureUses(file) {
				t.Errorf("%s uses %s (%s), but %s is pure", name, bad.name, files.Position(bad.pos), path)
			}
		}
	}
}

type use struct {
	name string
	pos  token.Pos
}

// impureUses finds reads of the clock and clients of a cluster.
func impureUses(file *ast.File) (found []use) {
	forbidden := map[string][]string{
		"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
		"sigs.k8s.io/controller-runtime/pkg/client": clients,
	}
	names := importNames(file)
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if !ok {
			return true
		}
		for _, name := range forbidden[names[x.Name]] {
			if s.Sel.Name == name {
				found = append(found, use{names[x.Name] + "." + name, s.Pos()})
			}
		}
		return true
	})
	return found
}

// importNames returns the paths of a file's imports by the names they go by.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has accepted it
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	return names
}

// TestImpureUsesAreFound holds that the search itself works.
func TestImpureUsesAreFound(t *testing.T) {
	source := `package p
import ("time"; c "sigs.k8s.io/controller-runtime/pkg/client")
var now, object, reader = time.Now(), c.Object(nil), c.Reader(nil)
var hour time.Duration = time.Hour`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if found := impureUses(file); len(found) != 2 {
		t.Errorf("found %v, want the clock and the reader", found)
	}
}

// TestSchemaIsALibrary holds that pkg/schema needs no module but this one, and of this
// one its own patterns: anyone can use it without Kubernetes.
func TestSchemaIsALibrary(t *testing.T) {
	for _, dep := range packages(t)["pkg/schema"].Deps {
		host, _, _ := strings.Cut(dep, "/")
		target, isOurs := ours(dep)
		if isOurs && withinAny(target, []string{"pkg/schema", "pkg/lazyregexp"}) == "" || !isOurs && strings.Contains(host, ".") {
			t.Errorf("pkg/schema depends on %s; it may use the standard library, pkg/lazyregexp and its own packages", dep)
		}
	}
}
