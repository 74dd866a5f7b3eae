package install

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/terminal"
)

// deleteEnds deletes what is shipped while gati-webhook is dead.
func deleteEnds(t *testing.T, c client.Client, before map[string]bool) {
	if err := env.Webhook.Kill(); err != nil {
		t.Fatal(err)
	}
	// As it is shipped: the API server now calls the Service, which has no endpoints.
	applyFile(t, shipped)
	// Earlier releases had a class of another name, whose policy cannot be changed.
	env.Must(t, "", "delete", "priorityclass", "gati-webhook", "--ignore-not-found")
	if n := len(listObjects(t, c, &v1.GatiHandlerList{}).Items); n != handlers {
		t.Fatalf("%d handlers, want %d", n, handlers)
	}
	made := terminal.Difference(env.MustInventory(t), before)
	collectorWatches(t)

	began := time.Now()
	out := env.Must(t, "", "delete", "-f", shipped, "--timeout=120s")
	t.Logf("kubectl delete -f install.yaml took %s; %d objects to go", time.Since(began).Round(time.Second), len(made))

	for _, object := range parseObjects(t, shipped) {
		name := object["metadata"].(map[string]any)["name"].(string)
		if !strings.Contains(out, fmt.Sprintf("%q deleted", name)) {
			t.Errorf("kubectl does not say that %s %s is deleted", object["kind"], name)
		}
	}
	await.Eventually(t, "end of all that install and gati-webhook have made", func() error {
		after, err := env.Inventory(t.Context())
		if err != nil {
			return err
		}
		if left := terminal.Difference(after, before); len(left) > 0 {
			return fmt.Errorf("%d of %d are left: %s", len(left), len(made), strings.Join(left[:min(len(left), 10)], ", "))
		}
		return nil
	})
	if lost := terminal.Difference(before, env.MustInventory(t)); len(lost) > 0 {
		t.Errorf("objects that are none of ours are gone too: %s", strings.Join(lost, ", "))
	}
}

// collectorWatches waits until a client watches every kind over all namespaces:
// with gati-webhook dead, that is the garbage collector. A changed CRD ends all
// watches, and client-go comes back after up to half a minute. What is deleted
// with its CRD before that, the collector never hears of, and it keeps the
// children (see docs/decisions/installation.md).
func collectorWatches(t *testing.T) {
	t.Helper()
	await.Eventually(t, "watch of the garbage collector on every kind", func() error {
		metrics, ok := env.Kubectl(t.Context(), "", "get", "--raw", "/metrics")
		if !ok {
			return errors.New(metrics)
		}
		for _, kind := range watched {
			watch := regexp.MustCompile(`(?m)^apiserver_longrunning_requests\{.*resource="` + kind + `",scope="cluster",.*verb="WATCH",version="v1"\} [1-9]`)
			if !watch.MatchString(metrics) {
				return fmt.Errorf("no client watches %s", kind)
			}
		}
		return nil
	})
}
