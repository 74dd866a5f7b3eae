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
	{"first", serving(untilAsk)},
	{"starting", func(t *testing.T, ns string, names []string) {
		serving(untilAsk)(t, ns, names)
		each(t, ns, names, "v2.0.0", untilAsk, gated)
		env.Must(t, "", append([]string{"wait", "-n", ns, "--for=" + begun, "--timeout=" + patience}, handlersOf(names)...)...)
	}},
	{"waiting", waitingAt(untilAsk, "paused")},
	{"timed", waitingAt(hourLong, "step=1")},
	{"frozen", after(waitingAt(untilAsk, "paused"), "paused", "pause")},
	{"complete", after(waitingAt(untilAsk, "paused"), "complete", "promote")},
	{"rolled-back", after(after(waitingAt(untilAsk, "paused"), "complete", "promote"), "version=v1.0.0", "rollback")},
	{"aborted", after(waitingAt(untilAsk, "paused"), "version=v1.0.0", "abort")},
	{"in-place", func(t *testing.T, ns string, names []string) {
		serving(inPlace)(t, ns, names)
		each(t, ns, names, "v2.0.0", inPlace, free)
		settled(t, ns, names, "version=v2.0.0")
	}},
	{"manual", func(t *testing.T, ns string, names []string) {
		serving("{strategy: Manual}")(t, ns, names)
		each(t, ns, names, "v2.0.0", "{strategy: Manual}", free)
		env.Must(t, "", append([]string{"wait", "-n", ns, "--for=" + twoVersions, "--timeout=" + patience}, handlersOf(names)...)...)
	}},
	{"stalled", func(t *testing.T, ns string, names []string) {
		for _, name := range names {
			env.Must(t, "", "-n", ns, "create", "service", "clusterip", "handler-"+name, "--tcp=80")
		}
		each(t, ns, names, "v1.0.0", untilAsk, free)
		env.Must(t, "", append([]string{"wait", "-n", ns, "--for=condition=Stalled", "--timeout=" + patience}, handlersOf(names)...)...)
	}},
	{"ending", func(t *testing.T, ns string, names []string) {
		serving(untilAsk)(t, ns, names)
		held(t, ns, names, `["example.com/kept"]`)
		env.Must(t, "", append([]string{"delete", "-n", ns, "--wait=false"}, handlersOf(names)...)...)
		t.Cleanup(func() { held(t, ns, names, "null") })
	}},
}

// each applies a manifest of each handler at once.
func each(t *testing.T, ns string, names []string, version, rollout string, manifest func(ns, name, version, rollout string) string) {
	t.Helper()
	var all []string
	for _, name := range names {
		all = append(all, manifest(ns, name, version, rollout))
	}
	apply(t, "git", strings.Join(all, "---\n"))
}

// settled waits until each handler has come to a goal.
func settled(t *testing.T, ns string, names []string, goal string) {
	t.Helper()
	gati(t, append([]string{"status", "-n", ns, "--for=" + goal, "--timeout", patience}, names...)...).want(t, 0)
}

func serving(rollout string) func(*testing.T, string, []string) {
	return func(t *testing.T, ns string, names []string) {
		t.Helper()
		each(t, ns, names, "v1.0.0", rollout, free)
		settled(t, ns, names, "healthy")
	}
}

func waitingAt(rollout, goal string) func(*testing.T, string, []string) {
	return func(t *testing.T, ns string, names []string) {
		t.Helper()
		serving(rollout)(t, ns, names)
		each(t, ns, names, "v2.0.0", rollout, free)
		settled(t, ns, names, goal)
	}
}

// after makes a request in a phase, and waits for the one that it leads to.
func after(before func(*testing.T, string, []string), goal, verb string) func(*testing.T, string, []string) {
	return func(t *testing.T, ns string, names []string) {
		t.Helper()
		before(t, ns, names)
		gati(t, append([]string{"rollout", verb, "-n", ns}, names...)...).want(t, 0)
		settled(t, ns, names, goal)
	}
}

// held sets the finalizers of handlers.
func held(t *testing.T, ns string, names []string, finalizers string) {
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
