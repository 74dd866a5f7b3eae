package walls

import (
	"slices"
	"strings"
	"testing"
)

// layers are the packages from the bottom up. A package may import what is
// below it, and beside it in the layers of pure and of reading packages.
var layers = [][]string{
	{"api"},
	{"pkg/naming", "pkg/facts", "pkg/defaulting", "pkg/validation", "pkg/schema", "pkg/compat", "pkg/expand", "pkg/rollout", "pkg/ownership", "pkg/records", "pkg/request", "pkg/seen", "pkg/diagnose"},
	{"pkg/admit", "pkg/observe", "pkg/serverclock", "pkg/ownerindex", "pkg/decide", "pkg/status", "pkg/target", "pkg/signals", "pkg/metrics"},
	{"pkg/webhook", "pkg/controller", "pkg/tui", "pkg/cli"},
	{"cmd"},
}

// lowest lies below the API: patterns compiled on first use. Of the packages in
// internal it alone is for what is shipped.
const lowest = "internal/lazyregexp"

// beside are the layers whose packages may import each other.
var beside = []int{1, 2}

// exceptions are imports within a layer that are meant.
var exceptions = map[string][]string{
	"pkg/cli": {"pkg/tui"}, // the command draws with it
}

// layerOf returns the layer of a package and its top folder, -1 when it is in
// none.
func layerOf(path string) (int, string) {
	for i, tops := range layers {
		if top := withinAny(path, tops); top != "" {
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
		if layer, _ := layerOf(path); layer < 0 {
			t.Errorf("%s is in no layer; add it where it belongs", path)
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
			if to == from && (slices.Contains(beside, from) || slices.Contains(exceptions[top], targetTop)) {
				continue
			}
			t.Errorf("%s imports %s: imports point down only", path, target)
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
				t.Errorf("%s imports %s, which is the plugin's view", path, target)
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
			if target == lowest {
				continue
			}
			if isOurs && (withinAny(target, []string{"hack", "test", "internal"}) != "" || strings.HasSuffix(target, "test")) {
				t.Errorf("%s links %s", path, target)
			}
		}
	}
}
