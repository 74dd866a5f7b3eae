package plugin

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gati.dev/gati/internal/testing/soak"
)

// wait is one "kubectl gati status NAME --for=…": how things are before it, what happens
// once it has said how they are, and how it has to end.
type wait struct {
	before func(t *testing.T, ns, name string)
	args   []string
	begins string
	then   func(t *testing.T, ns, name string, waiting *os.Process)
	code   int
	ends   string
	// stable is the version that then serves, where the wait is for one.
	stable string
}

// makeGated returns a handler of a version whose pods have no node until the gate is open.
func makeGated(ns, name, version, rollout string) string {
	return fmt.Sprintf(`apiVersion: gati.dev/v1
kind: GatiHandler
metadata: {name: %s, namespace: %s}
spec:
  path: /%s
  version: %s
  image: registry.example.com/users:%s
  replicas: 1
  pod: {nodeSelector: {gate-%s: open}}
  rollout: %s
`, name, ns, name, version, version, name, rollout)
}

// makeUngated is makeGated without the gate.
func makeUngated(ns, name, version, rollout string) string {
	return strings.Replace(makeGated(ns, name, version, rollout), "  pod: {nodeSelector: {gate-"+name+": open}}\n", "", 1)
}

func openGate(t *testing.T, _, name string, _ *os.Process) {
	t.Helper()
	env.Must(t, "", "label", "nodes", "--all", "gate-"+name+"=open")
}

const (
	inPlace  = "{strategy: RollingUpdate}"
	untilAsk = "{strategy: Canary, steps: [{weight: 50}]}"
	byItself = "{strategy: Canary, steps: [{weight: 50, pause: 1s}]}"
	hourLong = "{strategy: Canary, steps: [{weight: 50, pause: 1h}]}"
	notLong  = "{strategy: Canary, steps: [{weight: 50}], progressDeadline: 2s}"
)

// applyFirst is a first version, behind its gate.
func applyFirst(t *testing.T, ns, name string) {
	t.Helper()
	applyManifest(t, "git", makeGated(ns, name, "v1.0.0", inPlace))
}

// applySecond applies a second version behind its gate, while the first one serves.
func applySecond(rollout string) func(t *testing.T, ns, name string) {
	return func(t *testing.T, ns, name string) {
		t.Helper()
		applyManifest(t, "git", makeUngated(ns, name, "v1.0.0", untilAsk))
		runGati(t, "status", name, "-n", ns, "--for=healthy", "--timeout", patience).assertResult(t, 0)
		applyManifest(t, "git", makeGated(ns, name, "v2.0.0", rollout))
	}
}

// applyStarted is applySecond once its rollout has begun: before that there is nothing to ask of.
func applyStarted(t *testing.T, ns, name string) {
	t.Helper()
	applySecond(untilAsk)(t, ns, name)
	env.Must(t, "", "wait", "-n", ns, "gh/"+name, "--for="+begun, "--timeout="+patience)
}

// begun is that the rollout of a second version has.
const begun = "jsonpath={.status.rollout.target.version}=v2.0.0"

// applyOpen is applySecond with the gate open from the beginning, at the pause that it comes to.
func applyOpen(t *testing.T, ns, name string) {
	t.Helper()
	applySecond(untilAsk)(t, ns, name)
	openGate(t, ns, name, nil)
	runGati(t, "status", name, "-n", ns, "--for=paused", "--timeout", patience).assertResult(t, 0)
}

// atStep is at a step that goes on by itself, but not soon.
func atStep(t *testing.T, ns, name string) {
	t.Helper()
	applySecond(hourLong)(t, ns, name)
	openGate(t, ns, name, nil)
	runGati(t, "status", name, "-n", ns, "--for=step=1", "--timeout", patience).assertResult(t, 0)
}

func applyHealthy(t *testing.T, ns, name string) {
	t.Helper()
	applyManifest(t, "git", makeUngated(ns, name, "v1.0.0", inPlace))
	runGati(t, "status", name, "-n", ns, "--for=healthy", "--timeout", patience).assertResult(t, 0)
}

// applyTaken is a handler whose Service is another owner's.
func applyTaken(t *testing.T, ns, name string) {
	t.Helper()
	env.Must(t, "", "-n", ns, "create", "service", "clusterip", "handler-"+name, "--tcp=80")
	applyManifest(t, "git", makeUngated(ns, name, "v1.0.0", inPlace))
}

// requestVerb makes a request as the administrator.
func requestVerb(verb string) func(*testing.T, string, string, *os.Process) {
	return func(t *testing.T, ns, name string, _ *os.Process) {
		t.Helper()
		runGati(t, "rollout", verb, name, "-n", ns, "--yes").assertResult(t, 0)
	}
}

func listWaits() map[string]wait {
	return map[string]wait{
		"healthy":      {applyFirst, []string{"--for=healthy"}, "gh/", openGate, 0, "Healthy", ""},
		"late":         {applyFirst, []string{"--for=healthy", "--timeout=5s"}, "gh/", nil, 5, "has not reached healthy after 5s", ""},
		"deleted":      {applyFirst, []string{"--for=healthy"}, "gh/", deleteHandler, 1, "gh/deleted was deleted", ""},
		"interrupted":  {applyFirst, []string{"--for=healthy"}, "gh/", interruptCommand, 130, "", ""},
		"paused":       {applySecond(untilAsk), []string{"--for=paused"}, "gh/", openGate, 0, "Paused", ""},
		"step":         {applySecond(untilAsk), []string{"--for=step=1"}, "gh/", openGate, 0, "v2.0.0 has 50 %", ""},
		"version":      {applySecond(byItself), []string{"--for=version=v2.0.0"}, "gh/", openGate, 0, "gh/version", "v2.0.0"},
		"complete":     {applySecond(byItself), []string{"--for=complete"}, "gh/", openGate, 0, "gh/complete", "v2.0.0"},
		"frozen":       {atStep, []string{"--for=complete"}, "gh/", requestVerb("pause"), 4, "gh/frozen: complete is not reached without a request: it is Paused", ""},
		"aborted":      {applyStarted, []string{"--for=version=v2.0.0"}, "gh/", requestVerb("abort"), 3, "version v2.0.0 cannot be reached", "v1.0.0"},
		"taken-back":   {applySecond(notLong), []string{"--for=version=v2.0.0"}, "", nil, 3, "v2.0.0 is not tried again", "v1.0.0"},
		"back":         {applySecond(notLong), []string{"--for=version=v1.0.0"}, "", nil, 0, "gh/back", "v1.0.0"},
		"behind":       {applyOpen, []string{"--for=step=2"}, "Paused", nil, 4, "step 2 is not reached without a request", ""},
		"never-paused": {applyHealthy, []string{"--for=paused"}, "Healthy", nil, 3, "paused cannot be reached", ""},
		"taken":        {applyTaken, []string{"--for=healthy"}, "", nil, 3, "handler-taken already exists", ""},
		"stranger":     {applyHealthy, []string{"--for=healthy", "--as=stranger"}, "", nil, 1, "forbidden", ""},
	}
}

func deleteHandler(t *testing.T, ns, name string, _ *os.Process) {
	t.Helper()
	env.Must(t, "", "-n", ns, "delete", "gh/"+name)
}

func interruptCommand(t *testing.T, _, _ string, waiting *os.Process) {
	t.Helper()
	if err := waiting.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
}

// TestEveryWaitEnds holds how waits end, with the states that a real controller goes
// through. What passes by itself is recorded by the wait that is tested, and by no other.
// The short form has every second wait, "make soak NAME=everyWaitEnds" each.
func TestEveryWaitEnds(t *testing.T) {
	t.Parallel()
	const ns = "waits"
	env.Namespace(t, ns)
	all, chosen := listWaits(), soak.Share(t, "everyWaitEnds", 2)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !chosen() {
			continue
		}
		w := all[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w.before(t, ns, name)
			code, said := w.playWait(t, ns, name)
			if code != w.code || !strings.Contains(said, w.ends) {
				t.Errorf("exit code %d, want %d, and to say %q:\n%s", code, w.code, w.ends, said)
			}
			if w.stable != "" {
				if got := env.Must(t, "", "-n", ns, "get", "gh/"+name, "-o", "jsonpath={.status.rollout.stable.version}"); got != w.stable {
					t.Errorf("%s serves, want %s", got, w.stable)
				}
			}
		})
	}
}

// playWait starts the wait, lets happen what is to happen once it has said how things are,
// and returns how it ends and what it said.
func (w wait) playWait(t *testing.T, ns, name string) (int, string) {
	t.Helper()
	args := append([]string{"status", name, "-n", ns}, w.args...)
	if !strings.Contains(strings.Join(args, " "), "--timeout") {
		args = append(args, "--timeout", patience)
	}
	cmd := exec.CommandContext(t.Context(), env.Cluster.Tools().Plugin, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	begin, _ := lines.ReadString('\n') // without a line it ends at once
	if !strings.Contains(begin, w.begins) {
		t.Errorf("it begins with %q, want %s", begin, w.begins)
	}
	if w.then != nil {
		w.then(t, ns, name, cmd.Process)
	}
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code says it
	said := begin + string(rest) + errs.String()
	t.Logf("$ kubectl gati %s\n%s(exit code %d)", strings.Join(args, " "), said, cmd.ProcessState.ExitCode())
	return cmd.ProcessState.ExitCode(), said
}
