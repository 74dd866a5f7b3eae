package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
)

// byPrometheus is the configuration by which the devcluster's Prometheus
// measures traffic.
const byPrometheus = `prometheus-url: http://prometheus.devcluster.svc:9090
prometheus-scrape-interval: 2s
`

// configKey is the file of gati-webhook's ConfigMap.
const configKey = "config.yaml"

// byTraefik has the gateway's own counters measure, instead of the pods'.
const byTraefik = "prometheus-metrics: traefik\n"

// prometheusMeasures has gati-webhook measure traffic for all scenarios of a test.
func prometheusMeasures(t *testing.T, more ...string) {
	t.Helper()
	if !cluster.IsDevcluster() {
		t.Fatalf("%s is no devcluster's: its Prometheus is unknown", cluster.Kubeconfig)
	}
	withConfiguration(t, byPrometheus+strings.Join(more, ""))
}

// withConfiguration gives gati-webhook a configuration for all scenarios of a test, and puts
// the one before back after the last.
func withConfiguration(t *testing.T, text string) {
	t.Helper()
	given, _, then := scenario(t)
	given.gatiIsInstalled()
	var before corev1.ConfigMap
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: system, Name: "gati-webhook"}, &before); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := writeConfiguration(context.Background(), before.Data[configKey]); err != nil {
			t.Errorf("put the configuration back: %v", err)
		}
	})
	if err := writeConfiguration(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	then.gatiIsUp()
	given.logStep("given the configuration %q", text)
}

// writeConfiguration changes the configuration as operators do.
func writeConfiguration(ctx context.Context, text string) error {
	patch, err := json.Marshal(map[string]any{"data": map[string]string{configKey: text}})
	if err != nil {
		return err
	}
	steps := [][]string{
		{"patch", "configmap", "gati-webhook", "--type=merge", "-p", string(patch)},
		append([]string{"rollout", "restart"}, deployments...),
	}
	for _, d := range deployments {
		steps = append(steps, []string{"rollout", "status", d, "--timeout=" + patience.String()})
	}
	for _, args := range steps {
		if _, err := cluster.Run(ctx, "", append([]string{"-n", system}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// scrapePods has Prometheus read the pods' metrics.
func scrapePods(s *v1.GatiHandlerSpec) {
	s.Pod.Annotations = map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "3000"}
}

// metricsHaveStopped waits until no pod of a version answers with metrics any more.
func (n then) metricsHaveStopped(version string) {
	n.t.Helper()
	pods := n.runKubectl("", "get", "pods", "-l", "gati.dev/workload="+naming.Slug(version, 1), "-o", "name")
	for _, pod := range strings.Fields(pods) {
		path := "/api/v1/namespaces/" + n.ns + "/pods/" + strings.TrimPrefix(pod, "pod/") + ":3000/proxy/metrics"
		n.eventually("end of the metrics of "+pod, func() error {
			_, err := cluster.Run(n.t.Context(), "", "get", "--raw", path)
			if err == nil {
				return errors.New("they are there")
			}
			if strings.Contains(err.Error(), "could not find") {
				return nil
			}
			return err
		})
	}
	n.logStep("then the metrics of %s have stopped", version)
}

// itsTrafficIsMeasured waits for the condition of that name to be True or False, and
// for what it says.
func (n then) itsTrafficIsMeasured(status string, says ...string) {
	n.t.Helper()
	var message string
	n.eventually("condition Measured that is "+status, func() error {
		h, err := n.readHandler()
		if err != nil {
			return err
		}
		c := meta.FindStatusCondition(h.Status.Conditions, v1.ConditionMeasured)
		if c == nil || string(c.Status) != status {
			return fmt.Errorf("the condition is %+v", c)
		}
		message = c.Message
		return checkContains(message, says...)
	})
	n.logStep("then Measured is %s: %s", status, message)
}
