package nodes

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
)

func TestStages(t *testing.T) {
	documents := strings.Split(string(kwokConfig), "\n---\n")
	var names []string
	for _, document := range documents {
		if !strings.Contains(document, "kind: Stage\n") {
			continue
		}
		_, rest, _ := strings.Cut(document, "\nmetadata:\n  name: ")
		name, _, _ := strings.Cut(rest, "\n")
		names = append(names, name)
	}
	const want = "node-initialize node-heartbeat-with-lease pod-ready pod-complete pod-delete"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("stages %q, want %q", got, want)
	}
	if !strings.Contains(documents[0], "kind: KwokConfiguration\n") {
		t.Error("the first document is not KWOK's configuration")
	}
}

func TestAddressesDoNotOverlap(t *testing.T) {
	services := netip.MustParsePrefix("10.96.0.0/14")
	all := netip.MustParsePrefix("10.128.0.0/9")
	ranges, addresses := map[netip.Prefix]bool{}, map[string]bool{}
	for i := range maxSimulated {
		pods := netip.MustParsePrefix(podRange(i))
		if pods != pods.Masked() || !all.Contains(pods.Addr()) || pods.Overlaps(services) || ranges[pods] {
			t.Fatalf("node %d has the pod range %s", i, pods)
		}
		ranges[pods] = true
		address := netip.MustParseAddr(nodeAddress(i)).String()
		if addresses[address] {
			t.Fatalf("node %d has the address %s of another", i, address)
		}
		addresses[address] = true
	}
}

func TestTakesPods(t *testing.T) {
	tests := []struct {
		name, node string
		want       bool
	}{
		{"new", `{}`, false},
		{"not ready", `{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`, false},
		{"ready", `{"status":{"conditions":[{"type":"PIDPressure","status":"False"},{"type":"Ready","status":"True"}]}}`, true},
		{"ready, not yet seen", `{"spec":{"taints":[{"key":"node.kubernetes.io/not-ready"}]},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, false},
		{"cordoned", `{"spec":{"taints":[{"key":"node.kubernetes.io/unschedulable"}]},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, true},
	}
	for _, test := range tests {
		var n node
		if err := json.Unmarshal([]byte(test.node), &n); err != nil {
			t.Fatal(err)
		}
		if n.takesPods() != test.want {
			t.Errorf("%s: got %v", test.name, !test.want)
		}
	}
}
