package walls

import (
	"slices"
	"strings"
	"testing"
)

// pluginNever has the packages that the plugin must not link, and why.
var pluginNever = map[string]string{
	"sigs.k8s.io/controller-runtime":                "the package that imports all of it",
	"sigs.k8s.io/controller-runtime/pkg/manager":    "the plugin runs no controllers",
	"sigs.k8s.io/controller-runtime/pkg/webhook":    "the plugin serves no admission",
	"sigs.k8s.io/controller-runtime/pkg/cache":      "one-shot commands list; they hold no informers",
	"sigs.k8s.io/controller-runtime/pkg/controller": "the plugin runs no controllers",
	module + "pkg/controller":                       "the plugin runs no controllers",
	module + "pkg/webhook":                          "the plugin serves no admission",
	"k8s.io/kubectl/pkg/cmd/get":                    "12 MiB, and 13 ms of translations at each start",
	"k8s.io/kubectl/pkg/util/i18n":                  "loads translations at start",
	"k8s.io/apiserver":                              "only servers need it",
	"k8s.io/kubernetes":                             "only servers need it",
	"github.com/cert-manager/cert-manager":          "only servers need it",
	"github.com/go-git/go-git":                      "the controllers commit; the plugin needs no repository",
	"helm.sh/helm":                                  "the controllers install releases; the plugin writes charts by pkg/helmchart",
}

// webhookNever has the packages that gati-webhook must not link, and why.
var webhookNever = map[string]string{
	"charm.land":               "a server has no terminal",
	"github.com/charmbracelet": "a server has no terminal",
	"k8s.io/kubectl":           "a server is no client for people",
	"k8s.io/cli-runtime":       "a server is no client for people",
	module + "pkg/cli":         "the server is not the plugin",
	module + "pkg/tui":         "the server is not the plugin",
}

// broughtByHelm are packages for people that pkg/kube of Helm's SDK links.
var broughtByHelm = []string{
	"k8s.io/kubectl/pkg/cmd/util", "k8s.io/kubectl/pkg/scheme", "k8s.io/kubectl/pkg/util", "k8s.io/kubectl/pkg/validation",
	"k8s.io/cli-runtime/pkg/genericclioptions", "k8s.io/cli-runtime/pkg/genericiooptions", "k8s.io/cli-runtime/pkg/printers", "k8s.io/cli-runtime/pkg/resource",
}

func TestPluginLinks(t *testing.T) { checkLinks(t, "cmd/kubectl-gati", pluginNever, nil) }

func TestWebhookLinks(t *testing.T) {
	checkLinks(t, "cmd/gati-webhook", webhookNever, broughtByHelm)
	for path, p := range packages(t) {
		for _, imported := range p.Imports {
			if isOfWebhook(path) && withinAny(imported, broughtByHelm) != "" {
				t.Errorf("%s imports %s: only Helm's SDK may bring it", path, imported)
			}
		}
	}
}

// isOfWebhook reports whether a package is one that gati-webhook alone links.
func isOfWebhook(path string) bool {
	return withinAny(path, []string{"cmd/gati-webhook", "pkg/webhook", "pkg/controller", "pkg/target"}) != ""
}

// checkLinks holds that a binary links none of the packages, nor those below them, except
// for some. The root of controller-runtime is an exception: below it is the client, which
// the plugin needs.
func checkLinks(t *testing.T, binary string, never map[string]string, except []string) {
	p, ok := packages(t)[binary]
	if !ok {
		t.Fatalf("there is no %s", binary)
	}
	for prefix, reason := range never {
		for _, dep := range p.Deps {
			below := within(dep, prefix) && prefix != "sigs.k8s.io/controller-runtime" && dep != typesOnly
			if (dep == prefix || below) && withinAny(dep, except) == "" {
				t.Errorf("%s links %s: %s", binary, dep, reason)
			}
		}
	}
}

// typesOnly is below a forbidden package, but the client needs its types.
const typesOnly = "sigs.k8s.io/controller-runtime/pkg/cache/cacheapi"

// TestTUIImports holds that the live view knows the view model, the escaping of texts
// and the drawing libraries, and nothing of Kubernetes.
func TestTUIImports(t *testing.T) {
	allowed := []string{"charm.land", "github.com/charmbracelet/x/ansi", module + "pkg/status", module + "pkg/printable", module + "pkg/tui"}
	for path, p := range packages(t) {
		if !within(path, "pkg/tui") {
			continue
		}
		for _, imported := range p.Imports {
			if !isStandard(imported) && withinAny(imported, allowed) == "" {
				t.Errorf("%s imports %s; the live view may import %s", path, imported, strings.Join(allowed, ", "))
			}
		}
	}
}

// isStandard reports whether a package is of the standard library.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// TestPluginUsesItsLibraries holds that the plugin is built on the libraries
// that it is meant to be built on.
func TestPluginUsesItsLibraries(t *testing.T) {
	p := packages(t)["cmd/kubectl-gati"]
	for _, library := range []string{"k8s.io/cli-runtime/pkg/genericclioptions", "k8s.io/kubectl/pkg/util/term", "charm.land/bubbletea/v2", "github.com/spf13/cobra"} {
		if !slices.Contains(p.Deps, library) {
			t.Errorf("the plugin does not link %s", library)
		}
	}
}
