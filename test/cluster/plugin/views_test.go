package plugin

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gati.dev/gati/test/support/terminal"
)

// viewPatience is ten times what an event takes on an idle machine.
const viewPatience = 20 * time.Second

// shop is the namespace of testdata/shop.yaml.
const shop = "shop"

// TestViews brings one object into each phase and looks at all of them.
func TestViews(t *testing.T) {
	t.Parallel()
	openShop(t)
	views := map[string][]string{
		"get":                    {"get", "gh,gm,gv"},
		"get-wide":               {"get", "gh,gm,gv", "-o", "wide"},
		"get-category":           {"get", "gati"},
		"get-v1alpha1":           {"get", "gatihandlers.v1alpha1.gati.dev,gatimodules.v1alpha1.gati.dev,gativersions.v1alpha1.gati.dev", "-o", "wide"},
		"describe-running":       {"describe", "gh", "users"},
		"describe-pending":       {"describe", "gh", "orders"},
		"describe-foreign":       {"describe", "gh", "taken"},
		"describe-scaled-to-0":   {"describe", "gh", "asleep"},
		"describe-without-image": {"describe", "gh", "homeless"},
		"describe-module":        {"describe", "gm", "db"},
		"describe-record":        {"describe", "gv", "users-next"},
		"describe-v1alpha1":      {"describe", "gatihandlers.v1alpha1.gati.dev", "users"},
	}
	for name, args := range views {
		t.Run(name, func(t *testing.T) { compareView(t, name, args) })
	}
}

var opened sync.Once

// openShop makes the objects of all tests, once, whichever comes first.
func openShop(t *testing.T) {
	t.Helper()
	opened.Do(func() {
		env.Namespace(t, shop, "gati.dev/image=registry.example.com/shop:v1")
		env.Must(t, "", "apply", "-n", shop, "-f", filepath.Join("testdata", "shop.yaml"))
		awaitPhases(t)
	})
}

// awaitPhases waits until each object is in the phase that it is here for.
func awaitPhases(t *testing.T) {
	t.Helper()
	await := func(what, state string) {
		t.Helper()
		env.Must(t, "", "wait", "-n", shop, what, "--for="+state, "--timeout=90s")
	}
	await("gh/homeless", "condition=Ready")
	env.Must(t, "", "annotate", "namespace", shop, "gati.dev/image-")
	await("gh/users", "condition=Ready")
	await("gm/db", "condition=Ready")
	await("gh/asleep", "condition=Reconciling=false")
	await("gh/taken", "condition=Stalled")
	await("gh/homeless", "condition=Stalled")
	await("gh/taken", "jsonpath={.status.readyReplicas}=1")
	await("gh/orders", "jsonpath={.status.health}=Progressing")
	await("gh/orders", "jsonpath={.status.replicas}=1")
	await("gv/users-next", "condition=Accepted")
	await("gv/nobody", "condition=Reconciling")
}

// compareView compares what kubectl prints with a golden.
func compareView(t *testing.T, name string, args []string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	terminal.Golden(t, path, terminal.Until(t, path, viewPatience, func() string {
		out := env.Must(t, "", append(args, "-n", shop)...)
		return "$ kubectl " + strings.Join(args, " ") + "\n" + steadyView(out)
	}))
}

// TestExplain holds the pages of the API's own manual.
func TestExplain(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"explain-handler":             {"gatihandler.spec", "--recursive", "--api-version=gati.dev/v1"},
		"explain-handler-v1alpha1":    {"gatihandler.spec", "--recursive", "--api-version=gati.dev/v1alpha1"},
		"explain-module":              {"gatimodule.spec", "--recursive", "--api-version=gati.dev/v1"},
		"explain-record":              {"gativersion.spec", "--recursive", "--api-version=gati.dev/v1"},
		"explain-path":                {"gatihandler.spec.path"},
		"explain-rollout":             {"gatihandler.spec.rollout"},
		"explain-module-capabilities": {"gatimodule.spec.capabilities"},
		"explain-record-transformers": {"gativersion.spec.transformers"},
	} {
		t.Run(name, func(t *testing.T) {
			out := env.Must(t, "", append([]string{"explain"}, args...)...)
			terminal.Golden(t, filepath.Join("testdata", name+".golden"), "$ kubectl explain "+strings.Join(args, " ")+"\n"+out)
		})
	}
}

// TestWait holds what kubectl wait prints, also where it waits in vain.
func TestWait(t *testing.T) {
	t.Parallel()
	openShop(t)
	var text strings.Builder
	for _, args := range [][]string{
		{"wait", "gh/users", "gm/db", "--for=condition=Ready"},
		{"wait", "gh/users", "--for=jsonpath={.status.phase}=Running"},
		{"wait", "gh/taken", "gh/homeless", "--for=condition=Stalled"},
		{"wait", "gv/users-next", "--for=condition=Accepted"},
		{"wait", "gh/orders", "--for=condition=Ready", "--timeout=1s"},
		{"wait", "gh/nobody", "--for=condition=Ready", "--timeout=1s"},
	} {
		out, _ := env.Kubectl(t.Context(), "", append(args, "-n", shop)...)
		text.WriteString("$ kubectl " + strings.Join(args, " ") + "\n" + out)
	}
	terminal.Golden(t, filepath.Join("testdata", "wait.golden"), text.String())
}
