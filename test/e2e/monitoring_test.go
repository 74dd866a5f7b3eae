package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/monitoring"
)

// TestEveryQueryFindsDataOnRealPods holds that a Prometheus that reads real pods of Gati
// and of a handler has data for every panel, every recording rule, and every metric that
// an alert asks for.
func TestEveryQueryFindsDataOnRealPods(t *testing.T) {
	prometheusMeasures(t, notifySink(newSink(t)))
	given, when, then := scenario(t)

	given.aHandler(setReplicas(2), useCanary, setSteps(makeStep(50, "")), scrapePods)
	given.steadyTraffic(20)
	when.applyChanges(setImage("v1.1.0"))
	then.itsStatusSays("v1.1.0 has 50 %")
	then.everyQueryFindsData()
	then.noRequestHasFailed(100)
	then.answersCameFrom("v1.0.0", "v1.1.0")
}

// machineAddress returns the address of this machine in the network of the nodes.
func machineAddress(t *testing.T) string {
	t.Helper()
	address, _, err := net.SplitHostPort(apiServer())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// newSink accepts every notification, and returns its address for pods.
func newSink(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(machineAddress(t), "0"))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err := s.Listener.Close(); err != nil {
		t.Fatal(err)
	}
	s.Listener = listener
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// notifySink has gati-controller send every event to a sink.
func notifySink(sink string) string {
	return fmt.Sprintf("notify:\n- {name: tests, url: %q, events: [Started, Step, Completed]}\n", sink)
}

// everyQueryFindsData reads all pods that the monitors of manifests/monitoring select.
func (n then) everyQueryFindsData() {
	n.t.Helper()
	gati, pods := n.gatiIsRead(), n.podsByService()
	p := monitoring.Start(n.t, gati, pods)
	queries, rules := p.CheckQueries(n.t)
	found, err := p.Query(n.t, `count(up{job="gati-handlers"} == 1)`)
	if err != nil || len(found) != 1 || found[0].Value[1] != fmt.Sprint(len(pods)) {
		n.t.Errorf("of %d pods behind one or two Services Prometheus reads %v, error %v; want each once", len(pods), found, err)
	}
	n.logStep("then %d queries of the dashboard and %d rules find data of %d replicas of Gati and %d pods", queries, rules, len(gati.Addresses), len(pods))
}

// gatiIsRead returns how a Prometheus outside of the cluster reads Gati, and lets it in:
// the policy of the manifests is for namespaces.
func (n then) gatiIsRead() monitoring.Gati {
	n.t.Helper()
	policy := fmt.Sprintf(`apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: e2e-scrape, namespace: %s}
spec:
  podSelector: {matchLabels: {app.kubernetes.io/part-of: gati}}
  policyTypes: [Ingress]
  ingress:
  - from: [{ipBlock: {cidr: %s/32}}]
    ports: [{port: metrics, protocol: TCP}]
`, system, machineAddress(n.t))
	n.runKubectl(policy, "-n", system, "apply", "-f", "-")
	n.t.Cleanup(func() {
		if _, err := cluster.Run(context.Background(), "", "-n", system, "delete", "networkpolicy", "e2e-scrape"); err != nil {
			n.t.Error(err)
		}
	})
	out := monitoring.Gati{
		CA:    n.runKubectl("", "-n", system, "get", "secret", "gati-webhook-ca", "-o", `go-template={{index .data "tls.crt" | base64decode}}`),
		Token: n.runKubectl("", "-n", system, "create", "token", "gati-metrics-reader"),
	}
	for _, p := range n.podsIn(system, client.MatchingLabels{"app.kubernetes.io/part-of": "gati"}) {
		out.Addresses = append(out.Addresses, net.JoinHostPort(p.Status.PodIP, fmt.Sprint(portOf(n.t, p, "metrics"))))
	}
	return out
}

// podsByService returns the handler's pods with the Services that select them.
func (n then) podsByService() (out []monitoring.Pod) {
	n.t.Helper()
	var services corev1.ServiceList
	if err := admin.List(n.t.Context(), &services, client.InNamespace(n.ns), client.HasLabels{v1.LabelHandler}); err != nil {
		n.t.Fatal(err)
	}
	for _, p := range n.podsIn(n.ns, client.HasLabels{v1.LabelHandler}) {
		read := monitoring.Pod{
			Address:   net.JoinHostPort(p.Status.PodIP, fmt.Sprint(portOf(n.t, p, "http"))),
			Namespace: n.ns, Name: p.Name, Handler: p.Labels[v1.LabelHandler], Version: p.Labels[v1.LabelVersion],
		}
		for _, s := range services.Items {
			if labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(p.Labels)) {
				read.Services = append(read.Services, s.Name)
			}
		}
		if len(read.Services) == 0 {
			n.t.Fatalf("pod %s is behind no Service", p.Name)
		}
		out = append(out, read)
	}
	if !slices.ContainsFunc(out, func(p monitoring.Pod) bool { return len(p.Services) == 2 }) {
		n.t.Fatalf("no pod is behind the front Service and that of its version: %v", out)
	}
	return out
}

// podsIn returns the pods of a namespace that run.
func (n then) podsIn(ns string, selected client.ListOption) (out []corev1.Pod) {
	n.t.Helper()
	var pods corev1.PodList
	if err := admin.List(n.t.Context(), &pods, client.InNamespace(ns), selected); err != nil {
		n.t.Fatal(err)
	}
	for _, p := range pods.Items {
		if p.DeletionTimestamp == nil && p.Status.Phase == corev1.PodRunning {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		n.t.Fatalf("no pods run in %s", ns)
	}
	return out
}

// portOf returns the number of a pod's port.
func portOf(t *testing.T, p corev1.Pod, name string) int32 {
	t.Helper()
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			if port.Name == name {
				return port.ContainerPort
			}
		}
	}
	t.Fatalf("pod %s has no port %s", p.Name, name)
	return 0
}
