package plugin

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gati.dev/gati/test/support/await"
)

// patience bounds each wait; it is many times what a step takes on an idle machine.
const patience = "4m"

// makeCanary returns a handler of a version whose rollout waits at 50 % until promoted.
// Without a route the numbers of pods split the traffic.
func makeCanary(namespace, version, strategy string) string {
	return fmt.Sprintf(`apiVersion: gati.dev/v1
kind: GatiHandler
metadata: {name: users, namespace: %s}
spec:
  path: /users
  version: %s
  image: registry.example.com/users:%s
  replicas: 4
  rollout: {strategy: %s, steps: [{weight: 50}], progressDeadline: 10m}
`, namespace, version, version, strategy)
}

// TestRollout takes one handler through every verb, in phases where it is right
// and in phases where it is not.
func TestRollout(t *testing.T) {
	t.Parallel()
	const ns = "rollout"
	env.Namespace(t, ns)
	in := func(args ...string) result { t.Helper(); return runGati(t, append(args, "-n", ns)...) }

	applyManifest(t, "git", makeCanary(ns, "v1.0.0", "Canary"))
	in("rollout", "status", "users", "--timeout", patience).assertResult(t, 0, "Healthy")
	in("rollout", "promote", "users").assertResult(t, 1, "promote refused: no rollout is running")
	in("rollout", "rollback", "users", "--yes").assertResult(t, 1, "no earlier version")
	in("rollout", "replay", "users").assertResult(t, 1, "no rollout of gh/users is recorded")

	applyManifest(t, "git", makeCanary(ns, "v2.0.0", "Canary"))
	in("rollout", "status", "users", "--timeout", patience).assertResult(t, 4, "Paused", "v2.0.0 has 50 % (step 1 of 2)")
	in("status", "users").assertResult(t, 4, "v1.0.0 → v2.0.0", "50% until promoted (now), 100%", "(no gateway)", "kubectl gati rollout promote users")

	in("rollout", "pause", "users", "--dry-run").assertResult(t, 0, "dry run", "paused until resumed")
	in("rollout", "resume", "users").assertResult(t, 1, "resume refused: not paused")
	in("rollout", "pause", "users").assertResult(t, 0, "paused until resumed", "kubectl gati rollout resume users")
	in("rollout", "pause", "users").assertResult(t, 1, "already paused")
	in("rollout", "resume", "users").assertResult(t, 0, "paused by")
	in("rollout", "promote", "users").assertResult(t, 0, "v2.0.0 50% → 100% (step 1 → 2 of 2)")
	in("rollout", "status", "users", "--timeout", patience).assertResult(t, 0, "Healthy")
	in("version", "list", "users").assertResult(t, 0, "v2.0.0", "v1.0.0")

	in("rollout", "rollback", "users", "--yes").assertResult(t, 0, "rolls back to v1.0.0", "v1.0.0 0% → 100%, v2.0.0 100% → 0%")
	in("rollout", "status", "users", "--timeout", patience).assertResult(t, 3, "RolledBack")
	in("status", "users").assertResult(t, 3, "declares v2.0.0; v1.0.0 is pinned by")
	in("rollout", "restart", "users", "--yes").assertResult(t, 0, "replaces the pods")

	applyManifest(t, "git", makeCanary(ns, "v3.0.0", "Canary"))
	in("rollout", "status", "users", "--timeout", patience).assertResult(t, 4, "v3.0.0 has 50 %")
	in("rollout", "abort", "users", "--yes").assertResult(t, 0, "v3.0.0 50% → 0%", "v1.0.0 50% → 100%")
	in("rollout", "status", "users", "--timeout", patience).assertResult(t, 3, "v3.0.0 is not tried again until the spec changes: aborted by")
	in("version", "decommission", "users", "v1.0.0", "--yes").assertResult(t, 1, "it is the stable version")
	in("rollout", "history", "users").assertResult(t, 0, "RolledBack", "Completed", "Refused")
	var replayed result
	await.Eventually(t, "a record of the abort", func() error {
		if replayed = in("rollout", "replay", "users"); !strings.Contains(replayed.out, "v3.0.0=50%") {
			return errors.New(replayed.out)
		}
		return nil
	})
	replayed.assertResult(t, 0, "v1.0.0=50%,v3.0.0=50%", "aborted by", "Decided again, each of them is the same.")
}

// TestRights holds that the policy decides who may ask, and that its words reach
// the one who asks.
func TestRights(t *testing.T) {
	t.Parallel()
	const ns = "rights"
	env.Namespace(t, ns)
	applyManifest(t, "git", makeCanary(ns, "v1.0.0", "Canary"))
	runGati(t, "rollout", "status", "users", "-n", ns, "--timeout", patience).assertResult(t, 0)
	env.Must(t, "", "-n", ns, "create", "role", "writer", "--verb=get,list,watch,update,patch,pause", "--resource=gatihandlers.gati.dev")
	env.Must(t, "", "-n", ns, "create", "rolebinding", "writer", "--role=writer", "--user=dev")
	awaitRight(t, ns, "dev")

	runGati(t, "rollout", "pause", "users", "-n", ns, "--as", "dev").assertResult(t, 0, "paused until resumed")
	runGati(t, "rollout", "resume", "users", "-n", ns, "--as", "dev").assertResult(t, 1, "resume", "gati-edit")
	runGati(t, "rollout", "pause", "users", "-n", ns, "--as", "stranger").assertResult(t, 1, "forbidden")
}

// twoVersions is that the controller knows of a second version. To ask for the second of
// a list that has one yet is an error.
const twoVersions = `jsonpath={.status.versions[?(@.version=="v2.0.0")].version}=v2.0.0`

// TestRecords sets what records say, and holds that what Git manages is left to
// Git.
func TestRecords(t *testing.T) {
	t.Parallel()
	const ns = "records"
	env.Namespace(t, ns)
	in := func(args ...string) result { t.Helper(); return runGati(t, append(args, "-n", ns)...) }
	applyManifest(t, "git", makeCanary(ns, "v1.0.0", "Manual"))
	in("rollout", "status", "users", "--timeout", patience).assertResult(t, 0)
	applyManifest(t, "git", makeCanary(ns, "v2.0.0", "Manual"))
	env.Must(t, "", "-n", ns, "wait", "gh/users", "--for="+twoVersions, "--timeout="+patience)
	await.Eventually(t, "two versions", func() error {
		if got := in("version", "list", "users", "-o", "name").out; len(strings.Fields(got)) != 2 {
			return fmt.Errorf("there are %q", got)
		}
		// A version is listed before its record is written.
		if got, _ := env.Kubectl(t.Context(), "", "-n", ns, "get", "gv", "-o", "name"); strings.Count(got, "gativersion.gati.dev/") != 2 {
			return fmt.Errorf("the records are %q", got)
		}
		// The name of a record is told with the next write of the status.
		if got, _ := env.Kubectl(t.Context(), "", "-n", ns, "get", "gh/users", "-o", "jsonpath={.status.versions[*].record}"); len(strings.Fields(got)) != 2 {
			return fmt.Errorf("the status has the records %q", got)
		}
		return nil
	})

	in("version", "set-traffic", "users", "v1.0.0=75", "v2.0.0=25", "--yes").assertResult(t, 0, "spec.traffic: unset → 75", "kubectl gati version set-traffic users")
	env.Must(t, "", "-n", ns, "wait", "gh/users", "--for=jsonpath={.status.versions[1].weight}=25", "--timeout="+patience)
	in("rollout", "promote", "users").assertResult(t, 1, "spec.rollout.strategy is Manual")
	in("version", "tag", "users", "v1.0.0", "blue").assertResult(t, 0, "[] → [blue]")
	in("version", "tag", "users", "v2.0.0", "blue").assertResult(t, 1, "v1.0.0 has the tag blue")
	in("version", "keep", "users", "v1.0.0").assertResult(t, 0, "false → true")
	in("version", "deactivate", "users", "v2.0.0", "--dry-run").assertResult(t, 0, "true → false", "dry run")

	record := strings.TrimPrefix(strings.Fields(in("version", "get", "users", "v2.0.0", "-o", "name").out)[0], "gativersion.gati.dev/")
	applyManifest(t, "argocd-controller", fmt.Sprintf(`apiVersion: gati.dev/v1
kind: GatiVersion
metadata: {name: %s, namespace: %s}
spec: {handler: users, version: v2.0.0, traffic: 25}
`, record, ns))
	in("version", "set-traffic", "users", "v1.0.0=10", "v2.0.0=90", "--yes").assertResult(t, 1, "managed by argocd-controller", "traffic: 90")
	in("version", "get", "users", "v1.0.0").assertResult(t, 0, "75 requested by the version record")
}
