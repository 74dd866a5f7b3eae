package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/pkg/remedy"
)

// handlerRemedies are the remedies of handlers, the phase in which a message names each, and
// what comes before it there. In values, {name} and {ns} are the handler's.
var handlerRemedies = map[remedy.Remedy]struct {
	phase  string
	values []string
	before []string // a command of kubectl-gati
}{
	remedy.Promote:      {phase: "waiting", values: []string{"{name}"}},
	remedy.Pause:        {phase: "waiting", values: []string{"{name}"}},
	remedy.Abort:        {phase: "waiting", values: []string{"{name}"}},
	remedy.Resume:       {phase: "frozen", values: []string{"{name}"}},
	remedy.Retry:        {phase: "aborted", values: []string{"{name}"}},
	remedy.ReturnTo:     {phase: "complete", values: []string{"{name}", "v1.0.0"}},
	remedy.ShowHistory:  {phase: "complete", values: []string{"{name}"}},
	remedy.ListVersions: {phase: "complete", values: []string{"{name}"}},
	remedy.Compare:      {phase: "complete", values: []string{"{name}", "v1.0.0", "v2.0.0"}},
	remedy.CompareFile:  {phase: "complete", values: []string{"{name}", "v1.0.0", "v3.0.0", "{file}"}},
	remedy.ShowPod:      {phase: "complete", values: []string{"{pod}", "{ns}"}},
	remedy.NameImage:    {phase: "complete", values: []string{"{ns}"}},
	remedy.DeleteObject: {phase: "complete", values: []string{"{name}"}},
	remedy.SetTraffic:   {phase: "manual", values: []string{"{name}", "v2.0.0", "100"}},
	remedy.Activate:     {phase: "manual", values: []string{"{name}", "v2.0.0"}, before: []string{"version", "deactivate", "{name}", "v2.0.0"}},
	remedy.RemoveTag:    {phase: "manual", values: []string{"{name}", "v1.0.0", "blue"}, before: []string{"version", "tag", "{name}", "v1.0.0", "blue"}},
}

// elsewhere are the remedies whose state this cluster cannot have: TestInstallation executes
// those of the installation that a finding of it names; a contract moves with the transformers of
// real pods, and a route needs the Gateway API. TestAnObstacleHasAName and
// TestAPausedChildRejectsNoVersion execute those of obstacles. What no test has executed as it is printed is
// RestoreChart, UpgradePlugin, ShowRoute and MoveContract.
var elsewhere = []remedy.Remedy{
	remedy.Install, remedy.Upgrade, remedy.RestoreChart, remedy.WriteAnew, remedy.MarkStored, remedy.PreviewUpgrade, remedy.Uninstall,
	remedy.UpgradePlugin, remedy.Diagnose, remedy.ShowStatus, remedy.ShowControllerLog, remedy.ShowPods, remedy.ShowEndpoints,
	remedy.ShowCRD, remedy.ShowGateways, remedy.ShowGateway, remedy.ShowMetricsAPI, remedy.ShowRoute,
	remedy.MoveContract,
	remedy.ResumeDeployment, remedy.ScaleUp, remedy.CountPodsAtOnce, remedy.DeleteAutoscaler, remedy.RemoveFinalizer,
}

// TestRemediesOfHandlers executes each remedy of a handler that a message may name, in the
// phase in which it is named. A new remedy needs its place here.
func TestRemediesOfHandlers(t *testing.T) {
	t.Parallel()
	byPhase := map[string][]remedy.Remedy{}
	for _, r := range remedy.All() {
		if tried, found := handlerRemedies[r]; found {
			byPhase[tried.phase] = append(byPhase[tried.phase], r)
		} else if !slices.Contains(elsewhere, r) {
			t.Errorf("no test executes %q", r)
		}
	}
	for _, p := range phases {
		tried := byPhase[p.name]
		if len(tried) == 0 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			ns := "remedies-" + p.name
			env.Namespace(t, ns)
			var names []string
			for i := range tried {
				names = append(names, fmt.Sprint("users-", i))
			}
			p.bring(t, ns, names)
			if p.name == "manual" {
				awaitRecords(t, ns, names, "v2.0.0")
			}
			for i, r := range tried {
				executeRemedy(t, r, ns, names[i])
			}
		})
	}
}

// executeRemedy types a remedy as a message has it.
func executeRemedy(t *testing.T, r remedy.Remedy, ns, name string) {
	t.Helper()
	tried := handlerRemedies[r]
	fill := strings.NewReplacer("{name}", name, "{ns}", ns, "{file}", writeNext(t, ns, name), "{pod}", findPod(t, ns, name))
	var values []string
	for _, value := range tried.values {
		values = append(values, fill.Replace(value))
	}
	if tried.before != nil {
		var args []string
		for _, arg := range tried.before {
			args = append(args, fill.Replace(arg))
		}
		runGati(t, append(args, "-n", ns, "--yes")...).assertResult(t, 0)
	}
	command := strings.Replace(r.For(values...), "<image>", "registry.example.com/users:v1.0.0", 1)
	if !strings.Contains(command, ns) {
		command += " -n " + ns
	}
	out, err := env.Shell(t.Context(), command)
	if err != nil && strings.Contains(out, "--yes") { // asked on a terminal
		out, err = env.Shell(t.Context(), command+" --yes")
	}
	if err != nil {
		t.Errorf("$ %s\n%v\n%s", command, err, out)
	}
}

// writeNext writes the next version of a handler into a file.
func writeNext(t *testing.T, ns, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "next.yaml")
	if err := os.WriteFile(file, []byte(makeUngated(ns, name, "v3.0.0", untilAsk)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func findPod(t *testing.T, ns, name string) string {
	t.Helper()
	return strings.Fields(env.Must(t, "", "-n", ns, "get", "pods", "-l", "gati.dev/handler="+name, "-o", "jsonpath={.items[*].metadata.name}"))[0]
}
