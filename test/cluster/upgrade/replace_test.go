package upgrade

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gati.dev/gati/test/support/await"
)

// replaceBuild starts another build in the place of the one that runs, and waits
// until that one has looked at every object once.
func replaceBuild(t *testing.T, binary string) {
	t.Helper()
	startBuild(t, binary)
	await.Eventually(t, "a look at every handler and module", func() error {
		return errors.Join(checkReconciled(t, "gatihandler", handlers), checkReconciled(t, "gatimodule", modules))
	})
}

// startBuild starts a build in the place of the one that runs.
func startBuild(t *testing.T, binary string) {
	t.Helper()
	if err := env.Webhook.Stop(); err != nil {
		t.Fatal(err)
	}
	env.Webhook.UseBuild(binary)
	ctx, cancel := context.WithTimeout(context.Background(), await.Patience) // Not bound to the test: a cleanup runs after its context.
	defer cancel()
	if err := env.Webhook.Start(ctx); err != nil {
		t.Fatal(err)
	}
}

// putBack has the build of this checkout run again when the test ends, however it
// ends: the tests share one gati-webhook, and what another build leaves behind is
// gone with the test.
func putBack(t *testing.T) {
	t.Cleanup(func() { startBuild(t, env.Cluster.Tools().Webhook) })
}

// checkReconciled reports whether a controller has reconciled that often without an error,
// and has nothing left to do.
func checkReconciled(t *testing.T, controller string, least int) error {
	t.Helper()
	text := readMetrics(t)
	done := sumMetric(text, `controller_runtime_reconcile_total`, controller, `result="success"`)
	waiting := sumMetric(text, `workqueue_depth`, controller, "")
	busy := sumMetric(text, `controller_runtime_active_workers`, controller, "")
	if done < float64(least) || waiting != 0 || busy != 0 {
		return fmt.Errorf("%s: %v looks, %v objects waiting, %v being looked at; want %d looks at least", controller, done, waiting, busy, least)
	}
	return nil
}

func readMetrics(t *testing.T) string {
	t.Helper()
	text, err := env.Webhook.Metrics(t.Context())
	if err != nil {
		return "" // It does not listen yet.
	}
	return text
}

// sumMetric returns the sum of a metric's series of one controller, -1 when there is
// none.
func sumMetric(text, name, controller, label string) float64 {
	series := regexp.MustCompile(`(?m)^` + name + `\{(.*)\} (\S+)$`)
	sum, found := 0.0, false
	for _, m := range series.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(m[1], `controller="`+controller+`"`) || !strings.Contains(m[1], label) {
			continue
		}
		value, err := strconv.ParseFloat(m[2], 64)
		if err == nil {
			sum, found = sum+value, true
		}
	}
	if !found {
		return -1
	}
	return sum
}
