package rollout_test

import (
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/exit"
)

// canaryFile is a manifest with a Canary whose rollout has these further lines.
func canaryFile(rollout string) string {
	return "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users, namespace: shop}\n" +
		"spec: {path: /users, route: {parentRefs: [{name: web}]}, rollout: {strategy: Canary" + rollout + "}}\n"
}

const (
	judgedBy99 = `, analysis: {metrics: [{successRate: {min: "99"}}]}`
	ofOrders   = "---\napiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: orders}\nspec: {path: /orders}\n"
)

// TestSimulate holds what simulate prints. The figures are those of one seed.
func TestSimulate(t *testing.T) {
	for name, tc := range map[string]struct{ file, args string }{
		"simulate":         {canaryFile(judgedBy99), "--rate 5 --fault 5%"},
		"simulate-default": {canaryFile("") + ofOrders, "gh/users --rate 0.2 --fault 20% --seed 7"},
		"simulate-json":    {canaryFile(`, analysis: {dryRun: true, inconclusive: wait, metrics: [{successRate: {min: "99"}}, {query: {name: q, promQL: up, min: "1"}}]}, checks: [{name: smoke, when: BeforeTraffic, job: {image: a}}]`), "--rate 0.5 --fault 10% -o json"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"rollout", "simulate", "-f", "-", "--runs", "20"}, strings.Fields(tc.args)...)
			got := clitest.Run(t.Context(), tc.file, args...)
			if got.Code != exit.OK || got.Stderr != "" {
				t.Errorf("%+v", got)
			}
			golden.Compare(t, name+".txt", got.Stdout)
			if again := clitest.Run(t.Context(), tc.file, args...); again != got {
				t.Errorf("the same seed gives\n%s", again.Stdout)
			}
		})
	}
}

// TestPlan holds what plan prints.
func TestPlan(t *testing.T) {
	noPause := `, steps: [{weight: 20}, {weight: 100, pause: 5m}], autoRollback: false, analysis: {metrics: [{successRate: {min: "95"}}, {latency: {max: 500ms}}]}`
	for name, tc := range map[string]struct{ file, args string }{
		"plan":          {canaryFile(judgedBy99), "--rate 5"},
		"plan-rates":    {canaryFile(`, analysis: {inconclusive: wait, metrics: [{successRate: {min: "99"}}]}`), ""},
		"plan-default":  {canaryFile(""), "--rate 1"},
		"plan-no-pause": {canaryFile(noPause), "--rate 10"},
		"plan-auto":     {canaryFile(`, autoSteps: {}` + judgedBy99), "--rate 5"},
		"plan-waits":    {canaryFile(`, analysis: {inconclusive: wait, metrics: [{successRate: {min: "99"}}]}`), "--rate 0.1"},
		"plan-json":     {canaryFile(judgedBy99), "--rate 1 -o json"},
	} {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t.Context(), tc.file, append([]string{"rollout", "plan", "-f", "-"}, strings.Fields(tc.args)...)...)
			if got.Code != exit.OK || got.Stderr != "" {
				t.Errorf("%+v", got)
			}
			golden.Compare(t, name+".txt", got.Stdout)
		})
	}
}

// TestPlannedStepsNeedARate holds that steps that follow the traffic are not compared at several
// rates.
func TestPlannedStepsNeedARate(t *testing.T) {
	got := clitest.Run(t.Context(), canaryFile(", autoSteps: {harm: 20}"), "rollout", "plan", "-f", "-")
	if want := "spec.rollout.autoSteps plans the steps by the rate of requests; give it with --rate"; got.Code != exit.Unhealthy || !strings.Contains(got.Stderr, want) {
		t.Errorf("%+v", got)
	}
}

// TestWhatCannotBePlayed holds the errors of the commands that play a rollout.
func TestWhatCannotBePlayed(t *testing.T) {
	const usual = "--rate 5 --fault 2%"
	for name, tc := range map[string]struct {
		file, args, want string
		code             int
	}{
		"no file":         {"", "-f nothing.yaml " + usual, `the path "nothing.yaml" does not exist`, exit.Error},
		"no flag -f":      {"", usual, "specify a file, a directory or - with -f, or a kustomization with -k", exit.Usage},
		"no rate":         {canaryFile(""), "-f - --fault 2%", "--rate must be more than 0 and at most 1000000 requests a second, such as --rate 5", exit.Usage},
		"rate NaN":        {canaryFile(""), "-f - --rate NaN --fault 2%", "--rate must be more than 0", exit.Usage},
		"no fault":        {canaryFile(""), "-f - --rate 5", `--fault must be a share from 0% to 100%, such as --fault 2%, not ""`, exit.Usage},
		"fault 0":         {canaryFile(""), "-f - --rate 5 --fault 0%", "--fault must be above 0%; a version without a fault is played beside it", exit.Usage},
		"fault of 101":    {canaryFile(""), "-f - --rate 5 --fault 101%", "--fault must be a share from 0% to 100%", exit.Usage},
		"runs 0":          {canaryFile(""), "-f - --runs 0 " + usual, "--runs must be from 1 to 10000", exit.Usage},
		"format":          {canaryFile(""), "-f - -o jsn " + usual, `unknown output format "jsn"`, exit.Usage},
		"another name":    {canaryFile(""), "-f - orders " + usual, "no GatiHandler orders found in -", exit.Error},
		"no handler":      {"apiVersion: v1\nkind: ConfigMap\n", "-f - " + usual, "no GatiHandler found in -", exit.Error},
		"two handlers":    {canaryFile("") + ofOrders, "-f - " + usual, "- has the handlers shop/users, orders; name one of them, or its namespace with -n", exit.Usage},
		"no stream":       {"a: [", "-f - " + usual, "standard input", exit.Unhealthy},
		"refused":         {canaryFile(", rollbackWindow: never"), "-f - " + usual, `standard input:1: GatiHandler users: `, exit.Unhealthy},
		"rolling update":  {ofOrders, "-f - " + usual, "standard input:2: GatiHandler orders: spec.rollout.strategy is RollingUpdate: only a Canary is judged by its requests; set strategy: Canary", exit.Unhealthy},
		"nothing judges":  {canaryFile(", analysis: {enabled: false}"), "-f - " + usual, "spec.rollout.analysis judges no requests: a version is promoted by its pods alone; remove enabled: false, or the analysis, for the default one", exit.Unhealthy},
		"latency alone":   {canaryFile(", analysis: {metrics: [{latency: {max: 500ms}}]}"), "-f - " + usual, `spec.rollout.analysis has no successRate: no failed request would be noticed; add one, such as successRate: {min: "99"}`, exit.Unhealthy},
		"two names":       {canaryFile(""), "-f - a b " + usual, "got \"a b\"", exit.Usage},
		"other namespace": {canaryFile(""), "-f - -n other " + usual, "no GatiHandler found in -", exit.Error},
	} {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t.Context(), tc.file, append([]string{"rollout", "simulate"}, strings.Fields(tc.args)...)...)
			if got.Code != tc.code || got.Stdout != "" || !strings.Contains(got.Stderr, tc.want) {
				t.Errorf("%+v, want %d: %s", got, tc.code, tc.want)
			}
			if !strings.Contains(tc.args, usual) || strings.Contains(tc.args, "--runs") {
				return // About flags.
			}
			args := strings.Replace(tc.args, usual, "", 1)
			plan := clitest.Run(t.Context(), tc.file, append([]string{"rollout", "plan"}, strings.Fields(args)...)...)
			if plan.Code != tc.code || plan.Stdout != "" || strings.ReplaceAll(plan.Stderr, "rollout plan", "rollout simulate") != got.Stderr {
				t.Errorf("plan: %+v, want %s", plan, got.Stderr)
			}
		})
	}
}
