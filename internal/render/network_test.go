package render_test

import (
	"encoding/json"
	"net/netip"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"gati.dev/gati/internal/testing/netpolicy"
)

// TestWhoReachesGati holds which ports of gati-webhook whom the shipped NetworkPolicies
// let in, as a policy engine decides it.
func TestWhoReachesGati(t *testing.T) {
	pod := netpolicy.Endpoint{Namespace: "tenant", IP: netip.MustParseAddr("10.0.0.1")}
	monitoring := netpolicy.Endpoint{Namespace: "monitoring", NamespaceLabels: map[string]string{"gati.dev/scrape": "true"}, IP: netip.MustParseAddr("10.0.0.2")}
	server := netpolicy.Endpoint{IP: netip.MustParseAddr("192.0.2.1")}
	tests := []struct {
		overlay, who string
		from         netpolicy.Endpoint
		port         string
		want         bool
	}{
		{"default", "a pod", pod, "metrics", false},
		{"default", "a pod of monitoring", monitoring, "metrics", true},
		{"default", "a pod", pod, "health", false},
		{"default", "a pod", pod, "webhook", true},
		{"default", "the API server", server, "webhook", true},
		{"cert-manager", "a pod", pod, "metrics", false},
		{"webhook-peers", "a pod", pod, "webhook", false},
		{"webhook-peers", "a pod of monitoring", monitoring, "webhook", false},
		{"webhook-peers", "a pod of monitoring", monitoring, "metrics", true},
		{"webhook-peers", "the API server", server, "webhook", true},
		{"webhook-peers", "the API server", server, "metrics", false},
	}
	for _, tc := range tests {
		t.Run(tc.overlay+"/"+tc.who+"/"+tc.port, func(t *testing.T) {
			policies, pods := network(t, tc.overlay)
			tried := 0
			for _, to := range pods {
				number, ok := portOf(to, tc.port)
				if !ok {
					continue // The controllers have no port of the hooks.
				}
				tried++
				got, err := policies.Allows(tc.from, to, netpolicy.Port{Number: number})
				if err != nil || got != tc.want {
					t.Errorf("got %v and %v, want %v", got, err, tc.want)
				}
			}
			if tried == 0 || tried < len(pods) && tc.port != "webhook" {
				t.Errorf("%d of %d pods have the port %s", tried, len(pods), tc.port)
			}
		})
	}
}

// network returns the policies of an overlay, and a pod of each Deployment.
func network(t *testing.T, overlay string) (policies netpolicy.Policies, pods []netpolicy.Endpoint) {
	t.Helper()
	for _, object := range objects(t, overlays[overlay]) {
		raw := compact(t, object)
		switch object.GetKind() {
		case "NetworkPolicy":
			var p networkingv1.NetworkPolicy
			if err := json.Unmarshal(raw, &p); err != nil {
				t.Fatal(err)
			}
			policies = append(policies, p)
		case "Deployment":
			var d appsv1.Deployment
			if err := json.Unmarshal(raw, &d); err != nil {
				t.Fatal(err)
			}
			pods = append(pods, netpolicy.Pod(d.Namespace, d.Spec.Template))
		}
	}
	if len(pods) == 0 {
		t.Fatalf("overlay %s has no Deployment", overlay)
	}
	return policies, pods
}

func portOf(pod netpolicy.Endpoint, name string) (int32, bool) {
	for _, p := range pod.Ports {
		if p.Name == name {
			return p.ContainerPort, true
		}
	}
	return 0, false
}
