package plugin

import (
	"context"
	"strings"
	"testing"
)

// phase is one that a handler can be in until a user does something.
type phase struct {
	name string
	// bring takes handlers that do not exist yet there.
	bring func(t *testing.T, ns string, names []string)
}

// phases are in an order that the table of it keeps.
var phases = []phase{
	{"first", reachServing(untilAsk)},
	{"starting", func(t *testing.T, ns string, names []string) {
		reachServing(untilAsk)(t, ns, names)
		applyEach(t, ns, names, "v2.0.0", untilAsk, makeGated)
		env.Must(t, "", append([]string{"wait", "-n", ns, "--for=" + begun, "--timeout=" + patience}, handlersOf(names)...)...)
	}},
	{"waiting", waitingAt(untilAsk, "paused")},
	{"timed", waitingAt(hourLong, "step=1")},
	{"frozen", reachAfter(waitingAt(untilAsk, "paused"), "paused", "pause")},
	{"complete", reachAfter(waitingAt(untilAsk, "paused"), "complete", "promote")},
	{"rolled-back", reachAfter(reachAfter(waitingAt(untilAsk, "paused"), "complete", "promote"), "version=v1.0.0", "rollback")},
	{"aborted", reachAfter(waitingAt(untilAsk, "paused"), "version=v1.0.0", "abort")},
	{"in-place", func(t *testing.T, ns string, names []string) {
		reachServing(inPlace)(t, ns, names)
		applyEach(t, ns, names, "v2.0.0", inPlace, makeUngated)
		awaitGoal(t, ns, names, "version=v2.0.0")
	}},
	{"manual", func(t *testing.T, ns string, names []string) {
		reachServing("{strategy: Manual}")(t, ns, names)
		applyEach(t, ns, names, "v2.0.0", "{strategy: Manual}", makeUngated)
		env.Must(t, "", append([]string{"wait", "-n", ns, "--for=" + twoVersions, "--timeout=" + patience}, handlersOf(names)...)...)
	}},
	{"stalled", func(t *testing.T, ns string, names []string) {
		for _, name := range names {
			env.Must(t, "", "-n", ns, "create", "service", "clusterip", "handler-"+name, "--tcp=80")
		}
		applyEach(t, ns, names, "v1.0.0", untilAsk, makeUngated)
		env.Must(t, "", append([]string{"wait", "-n", ns, "--for=condition=Stalled", "--timeout=" + patience}, handlersOf(names)...)...)
	}},
	{"ending", func(t *testing.T, ns string, names []string) {
		reachServing(untilAsk)(t, ns, names)
		setFinalizers(t, ns, names, `["example.com/kept"]`)
		env.Must(t, "", append([]string{"delete", "-n", ns, "--wait=false"}, handlersOf(names)...)...)
		t.Cleanup(func() { setFinalizers(t, ns, names, "null") })
	}},
}

// applyEach applies a manifest of each handler at once.
func applyEach(t *testing.T, ns string, names []string, version, rollout string, manifest func(ns, name, version, rollout string) string) {
	t.Helper()
	var all []string
	for _, name := range names {
		all = append(all, manifest(ns, name, version, rollout))
	}
	applyManifest(t, "git", strings.Join(all, "---\n"))
}

// awaitGoal waits until each handler has come to a goal.
func awaitGoal(t *testing.T, ns string, names []string, goal string) {
	t.Helper()
	runGati(t, append([]string{"status", "-n", ns, "--for=" + goal, "--timeout", patience}, names...)...).assertResult(t, 0)
}

func reachServing(rollout string) func(*testing.T, string, []string) {
	return func(t *testing.T, ns string, names []string) {
		t.Helper()
		applyEach(t, ns, names, "v1.0.0", rollout, makeUngated)
		awaitGoal(t, ns, names, "healthy")
		awaitRecords(t, ns, names, "v1.0.0")
	}
}

// awaitRecords waits for the record of a version, which the controller writes and names in the
// handler's status a moment after the version serves.
func awaitRecords(t *testing.T, ns string, names []string, version string) {
	t.Helper()
	for _, name := range names {
		record := name + "-" + strings.ReplaceAll(version, ".", "-")
		env.Must(t, "", "wait", "-n", ns, "--for=create", "--timeout="+patience, "gv/"+record)
		env.Must(t, "", "wait", "-n", ns, "--for=jsonpath={.status.versions[?(@.version==\""+version+"\")].record}="+record, "--timeout="+patience, "gh/"+name)
	}
}

func waitingAt(rollout, goal string) func(*testing.T, string, []string) {
	return func(t *testing.T, ns string, names []string) {
		t.Helper()
		reachServing(rollout)(t, ns, names)
		applyEach(t, ns, names, "v2.0.0", rollout, makeUngated)
		awaitGoal(t, ns, names, goal)
	}
}

// reachAfter makes a request in a phase, and waits for the one that it leads to.
func reachAfter(before func(*testing.T, string, []string), goal, verb string) func(*testing.T, string, []string) {
	return func(t *testing.T, ns string, names []string) {
		t.Helper()
		before(t, ns, names)
		runGati(t, append([]string{"rollout", verb, "--yes", "-n", ns}, names...)...).assertResult(t, 0)
		awaitGoal(t, ns, names, goal)
	}
}

// setFinalizers sets the finalizers of handlers.
func setFinalizers(t *testing.T, ns string, names []string, finalizers string) {
	t.Helper()
	for _, name := range names {
		if out, ok := env.Kubectl(context.Background(), "", "patch", "gh/"+name, "-n", ns, "--type=merge", "-p", `{"metadata":{"finalizers":`+finalizers+`}}`); !ok {
			t.Error(out)
		}
	}
}

func handlersOf(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = "gh/" + name
	}
	return out
}
