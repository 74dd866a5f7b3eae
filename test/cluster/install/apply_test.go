package install

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/webhook/certs"
	"gati.dev/gati/test/support/await"
)

// appliesRollNothing applies one install.yaml over the other while clients watch
// and others write.
func appliesRollNothing(t *testing.T, c client.Client) {
	applies := []struct {
		what, path string
		apply      func(t *testing.T, path string)
		// cut are the kinds whose CRD changes, so that the API server cuts their
		// watches; those of the others go on.
		cut []string
	}{
		{"that of this checkout over an early one", shipped, applyFile, watched},
		{"the same once more", shipped, applyFile, nil},
		{"the first over that of this checkout", first, applyFirst, []string{"gativersions"}},
		{"an early one over both", early, applyFile, watched},
		{"that of this checkout by server-side apply", shipped, applyServerSide, watched},
	}[:rounds]
	stockRecords(t, warehouse, rounds)
	before := readTemplates(t, c)
	if len(before) != handlers+modules {
		t.Fatalf("%d pod templates, want %d", len(before), handlers+modules)
	}
	watchers := startClients(t, warehouse)
	crds := watchCRDs(t)
	for i, round := range applies {
		path := writeLocalManifest(t, round.path)
		var had string
		if len(round.cut) == 0 {
			await.Eventually(t, round.what+": the CA of what was applied before", func() error { return checkTrusted(t, c) })
			await.Eventually(t, round.what+": the API server's checks of policies", func() error { return checkPolicies(t, c) })
			had = resourceVersions(t, path)
		}
		await.Eventually(t, round.what+": the end of what the round before has cut", watchers.watches.atRest())
		watches := watchers.watches.readCounts()
		w := newWriter(t, warehouse, i+1)
		w.startWriting(makeNames("h", handlers), makeNames("m", modules))
		began := time.Now()
		round.apply(t, path)
		took := time.Since(began)
		awaitResumed(t, watchers, watches, round.cut)
		w.stopWriting()

		t.Logf("%s: %s; %d writes, %d failed", round.what, took.Round(time.Millisecond), w.writes, len(w.failed))
		if len(w.failed) > 0 {
			t.Errorf("%s: %d of %d writes failed, such as %v", round.what, len(w.failed), w.writes, w.failed[0])
		}
		for _, kind := range watched {
			if len(w.events[kind]) == 0 {
				t.Fatalf("%s: no event of %s to miss", round.what, kind)
			}
			await.Eventually(t, round.what+": clients that know of every event", func() error { return watchers.checkMissed(kind, w.events[kind]) })
		}
		if len(round.cut) == 0 {
			if diff := cmp.Diff(had, resourceVersions(t, path)); diff != "" {
				t.Errorf("%s: what is installed was written (-had +has):\n%s", round.what, diff)
			}
		}
		wentOn(t, round.what, watchers, watches, round.cut)
		if diff := cmp.Diff(before, readTemplates(t, c)); diff != "" {
			t.Errorf("%s: pod templates have changed (-was +is):\n%s", round.what, diff)
		}
		crds.assertEstablished(t, round.what)
	}
	if err := allReady(t, c); err != nil {
		t.Errorf("after all applies: %v", err)
	}
}

// awaitResumed waits until each client of these kinds has begun its watch anew.
func awaitResumed(t *testing.T, watchers *clients, before map[string]int, kinds []string) {
	t.Helper()
	await.Eventually(t, "watches that were cut and resumed", func() error {
		now := watchers.watches.readCounts()
		for _, version := range versions {
			for _, kind := range kinds {
				name := version.Version + "/" + kind
				if now[name] <= before[name] {
					return fmt.Errorf("%s was begun %d times, as before", name, now[name])
				}
			}
		}
		return nil
	})
}

// wentOn fails the test if a watch of another kind than these was cut.
func wentOn(t *testing.T, when string, watchers *clients, before map[string]int, cut []string) {
	t.Helper()
	for name, now := range watchers.watches.readCounts() {
		_, kind, _ := strings.Cut(name, "/")
		if !slices.Contains(cut, kind) && now != before[name] {
			t.Errorf("%s: the watch of %s was begun %d times, before %d: nothing of its CRD has changed", when, name, now, before[name])
		}
	}
}

// resourceVersions returns the resourceVersion of each object of a manifest. kubectl says
// "configured" of some kinds where its patch has changed nothing; these tell.
func resourceVersions(t *testing.T, path string) string {
	t.Helper()
	return env.Must(t, "", "get", "-f", path, "--no-headers",
		"-o", "custom-columns=KIND:.kind,NAME:.metadata.name,VERSION:.metadata.resourceVersion")
}

// checkTrusted says where gati-webhook has yet to write its CA, as it does after an
// apply that brought another hook.
func checkTrusted(t *testing.T, c client.Client) error {
	t.Helper()
	targets := certs.Targets("gati-webhook", "gatihandlers.gati.dev", "gatimodules.gati.dev", "gativersions.gati.dev")
	endpoints, err := certs.NewLive(c, targets).Endpoints(t.Context())
	if err != nil {
		return err
	}
	for _, e := range endpoints {
		if len(e.CABundle) == 0 || !bytes.Equal(e.CABundle, endpoints[0].CABundle) {
			return fmt.Errorf("%s, %s: another CA than that of %s, or none", e.Target, e.Pointer, endpoints[0].Target)
		}
	}
	return nil
}

// checkPolicies reports which policy the cluster has not checked yet. The result comes some time
// after the policy, as a write of its status.
func checkPolicies(t *testing.T, c client.Client) error {
	t.Helper()
	var policies admissionregistrationv1.ValidatingAdmissionPolicyList
	if err := c.List(t.Context(), &policies); err != nil {
		return err
	}
	for _, p := range policies.Items {
		if p.Status.ObservedGeneration != p.Generation {
			return fmt.Errorf("policy %s: generation %d of %d is checked", p.Name, p.Status.ObservedGeneration, p.Generation)
		}
	}
	return nil
}

func makeNames(prefix string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint(prefix, i))
	}
	return out
}
