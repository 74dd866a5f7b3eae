package walls

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layer is a set of folders that may import what is below them.
type layer struct {
	name    string
	folders []string
	// beside is true where the folders may import each other, in one direction.
	beside bool
}

// layers are those that docs/architecture.md draws, from the bottom up.
var layers = []layer{
	{name: "base", folders: []string{"pkg/lazyregexp", "manifests"}},
	{name: "types", folders: []string{"api"}},
	{name: "pure", beside: true, folders: []string{
		"pkg/naming", "pkg/facts", "pkg/keda", "pkg/defaulting", "pkg/validation", "pkg/schema", "pkg/compat", "pkg/expand",
		"pkg/rollout", "pkg/ownership", "pkg/records", "pkg/request", "pkg/diagnose", "pkg/printable",
		"pkg/scaffold", "pkg/helmchart", "pkg/analysis", "pkg/remedy", "pkg/app", "pkg/adopt",
	}},
	{name: "composed", beside: true, folders: []string{"pkg/admit", "pkg/decide", "pkg/status"}},
	{name: "reading and writing", beside: true, folders: []string{
		"pkg/observe", "pkg/signals", "pkg/target", "pkg/metrics", "pkg/notify", "pkg/tracing", "pkg/appimage",
	}},
	{name: "adapters", folders: []string{"pkg/webhook", "pkg/controller", "pkg/tui", "pkg/cli"}},
	{name: "programs", folders: []string{"cmd"}},
}

// pureLayers is how many layers, from the bottom, are pure.
const pureLayers = 4

// exceptions are imports within a layer that are meant.
var exceptions = map[string][]string{
	"pkg/cli": {"pkg/tui"}, // the command draws with it
}

// layerOf returns the layer of a package and its top folder, -1 when it is in
// none.
func layerOf(path string) (int, string) {
	for i, l := range layers {
		if top := withinAny(path, l.folders); top != "" {
			return i, top
		}
	}
	return -1, ""
}

// TestEveryPackageHasALayer holds that nothing under pkg escapes the rules.
func TestEveryPackageHasALayer(t *testing.T) {
	for path := range packages(t) {
		if !within(path, "pkg") && !within(path, "api") && !within(path, "cmd") {
			continue
		}
		if at, _ := layerOf(path); at < 0 {
			t.Errorf("%s is in no layer; add its folder to layers in test/walls/layers_test.go and to docs/architecture.md", path)
		}
	}
}

// TestImportsPointDown holds the order of the layers.
func TestImportsPointDown(t *testing.T) {
	for path, p := range packages(t) {
		from, top := layerOf(path)
		if from < 0 {
			continue
		}
		for _, imported := range p.Imports {
			target, isOurs := ours(imported)
			to, targetTop := layerOf(target)
			if !isOurs || to < 0 || to < from || targetTop == top {
				continue
			}
			if to == from && (layers[from].beside || slices.Contains(exceptions[top], targetTop)) {
				continue
			}
			t.Errorf("%s (%s) imports %s (%s): imports point down only; pass the value as data, or move the code both need below both",
				path, layers[from].name, target, layers[to].name)
		}
	}
}

// TestFoldersImportInOneDirection holds that folders of one layer form no circle, which
// Go forbids for packages only.
func TestFoldersImportInOneDirection(t *testing.T) {
	imports := map[string][]string{}
	for path, p := range packages(t) {
		from, top := layerOf(path)
		for _, imported := range p.Imports {
			target, isOurs := ours(imported)
			to, targetTop := layerOf(target)
			if isOurs && to == from && to >= 0 && targetTop != top && !slices.Contains(imports[top], targetTop) {
				imports[top] = append(imports[top], targetTop)
			}
		}
	}
	if circle := findCircle(imports); circle != nil {
		t.Errorf("folders import each other in a circle: %s; introduce a package of plain data below them", strings.Join(circle, " → "))
	}
}

// findCircle returns a circle of a graph, nil where there is none.
func findCircle(graph map[string][]string) []string {
	finished := map[string]bool{}
	var visit func(node string, way []string) []string
	visit = func(node string, way []string) []string {
		if at := slices.Index(way, node); at >= 0 {
			return append(slices.Clone(way[at:]), node)
		}
		if finished[node] {
			return nil
		}
		for _, next := range graph[node] {
			if circle := visit(next, append(slices.Clone(way), node)); circle != nil {
				return circle
			}
		}
		finished[node] = true
		return nil
	}
	for node := range graph {
		if circle := visit(node, nil); circle != nil {
			return circle
		}
	}
	return nil
}

// TestCirclesAreFound holds that the search itself works.
func TestCirclesAreFound(t *testing.T) {
	if c := findCircle(map[string][]string{"a": {"b", "c"}, "b": {"c"}}); c != nil {
		t.Errorf("found the circle %v, and there is none", c)
	}
	if c := findCircle(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"b"}}); len(c) != 3 {
		t.Errorf("found %v, want the circle of b and c", c)
	}
}

var drawnLayer = regexp.MustCompile(`(?m)^\| ([a-z ]+) \| (.+) \| .+ \|$`)

// TestLayersAreDrawnAsTheyAre compares docs/architecture.md with the list above.
func TestLayersAreDrawnAsTheyAre(t *testing.T) {
	const file = "docs/architecture.md"
	text, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Layers\n")
	if !found {
		t.Fatalf("%s has no section Layers", file)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	drawn := map[string][]string{}
	for _, m := range drawnLayer.FindAllStringSubmatch(section, -1) {
		for _, span := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(m[2], -1) {
			drawn[m[1]] = append(drawn[m[1]], span[1])
		}
	}
	for _, l := range layers {
		want, got := slices.Sorted(slices.Values(l.folders)), slices.Sorted(slices.Values(drawn[l.name]))
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("%s draws the layer %q with %v; it has %v", file, l.name, got, want)
		}
	}
}

// TestControllersKnowNoView holds that controllers share data with the plugin, not its
// view: what a condition says is decided where it is written.
func TestControllersKnowNoView(t *testing.T) {
	for path, p := range packages(t) {
		for _, imported := range p.Imports {
			target, _ := ours(imported)
			if within(path, "pkg/controller") && within(target, "pkg/status") {
				t.Errorf("%s imports %s, which is the plugin's view; put what both need into pkg/diagnose or pkg/expand", path, target)
			}
		}
	}
}

// TestProductKnowsNoTools holds that nothing that is shipped imports tools,
// tests or what only tests use.
func TestProductKnowsNoTools(t *testing.T) {
	for path, p := range packages(t) {
		if !within(path, "cmd") {
			continue
		}
		for _, dep := range p.Deps {
			target, isOurs := ours(dep)
			if isOurs && (withinAny(target, []string{"hack", "test", "internal"}) != "" || strings.HasSuffix(target, "test")) {
				t.Errorf("%s links %s, which is for tools and tests only", path, target)
			}
		}
	}
}
