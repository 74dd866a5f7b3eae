package upgrade

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
)

// withDeclared starts a build that takes records of transformers for proof, as releases did
// before pods were asked.
const withDeclared = `#!/bin/sh
exec %s "$@" --transformer-evidence=declared
`

// buildDeclaring returns this build, as such a release.
func buildDeclaring(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gati-webhook")
	if err := os.WriteFile(path, fmt.Appendf(nil, withDeclared, env.Cluster.Tools().Webhook), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// declaredScenes are of a weighted version that breaks its callers and was only declared as
// covered. Simulated pods report nothing.
func declaredScenes() []scene {
	takes := func(doc string) func(*v1.GatiHandlerSpec) {
		return func(s *v1.GatiHandlerSpec) {
			s.Schema = &v1.VersionSchema{Input: &apiextensionsv1.JSON{Raw: []byte(doc)}}
		}
	}
	return []scene{{
		name: "declared", of: func(h *builders.Handler) {
			h.Strategy(v1.StrategyCanary).Step(10, "").Step(50, "").Spec(takes(`{"type":"string"}`))
		},
		young: takes(`{"type":"string","maxLength":8}`),
		first: "v1 100", then: "v1 90 v2 10",
	}}
}

// coverOf is the record of v2 with transformers for callers of v1.
func coverOf(handler string) client.Object {
	return builders.MakeVersion(handler + "-v2").Namespace(midway).Handler(handler).Version("v2").Spec(func(s *v1.GatiVersionSpec) {
		s.Transformers = []v1.Transformer{{From: "v1", To: "v2", Request: "up", Response: "down"}}
	}).Obj()
}

// waitsForReports holds that the next raise waits for the reports of pods, and says so, and
// that the weight before stays.
func waitsForReports(t *testing.T, c client.Client, name string) {
	t.Helper()
	sendRequest(t, c, name, "promote")
	await.Eventually(t, name+" to wait for transformers", func() error {
		var h v1.GatiHandler
		getObject(t, c, client.ObjectKey{Namespace: midway, Name: name}, &h)
		w := h.Status.Rollout.WaitingFor
		if w == nil || w.Reason != v1.WaitingForTransformers || !strings.Contains(w.Message, "hold v1→v2") {
			return fmt.Errorf("it waits for %+v", w)
		}
		if got, want := describeOutcome(&h), "v1 90 v2 10"; got != want {
			t.Fatalf("%s is %s, want %s", name, got, want)
		}
		if len(h.Status.Rollout.Rejected) > 0 {
			return errors.New("v2 is rejected")
		}
		return nil
	})
}
