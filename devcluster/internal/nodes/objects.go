package nodes

import (
	"context"
	"fmt"
	"runtime"

	"gati.dev/gati/devcluster/internal/kubeapi"
)

const (
	nodesPath  = "/api/v1/nodes"
	leasesPath = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
	// fakeNode is the annotation that hands a node to KWOK.
	fakeNode = "kwok.x-k8s.io/node"
)

func nodeName(i int) string { return fmt.Sprintf("kwok-%d", i) }

// podRange returns the addresses of a node's pods: each node has 16,382 out of
// 10.128.0.0/9, more than it takes pods, so that no two pods share one.
func podRange(i int) string { return fmt.Sprintf("10.%d.%d.0/18", 128+i/4, i%4*64) }

// nodeAddress returns a node's own address, from a range that is set aside for
// benchmarks and leads nowhere.
func nodeAddress(i int) string { return fmt.Sprintf("198.18.%d.%d", i/250, i%250+1) }

type object = map[string]any

// newNode returns a node that is large enough for any test to fit.
func newNode(i int) object {
	room := object{"cpu": "32", "memory": "256Gi", "pods": "10000"}
	return object{
		"apiVersion": "v1",
		"kind":       "Node",
		"metadata": object{
			"name":        nodeName(i),
			"annotations": object{fakeNode: "fake"},
			"labels": object{
				"kubernetes.io/arch":     runtime.GOARCH,
				"kubernetes.io/hostname": nodeName(i),
				"kubernetes.io/os":       "linux",
				"type":                   kwokName,
			},
		},
		"spec": object{"podCIDR": podRange(i), "podCIDRs": []string{podRange(i)}},
		"status": object{
			"addresses": []object{
				{"type": "InternalIP", "address": nodeAddress(i)},
				{"type": "Hostname", "address": nodeName(i)},
			},
			"allocatable": room,
			"capacity":    room,
			"nodeInfo":    object{"architecture": runtime.GOARCH},
		},
	}
}

// notReadyTaint keeps pods off a node until the controller manager has seen
// that it is ready, a moment after it is.
const notReadyTaint = "node.kubernetes.io/not-ready"

// node is the part of a Node that shows whether it accepts pods.
type node struct {
	Metadata struct {
		Annotations map[string]string
	}
	Spec struct {
		Taints []struct{ Key string }
	}
	Status struct {
		Conditions []struct{ Type, Status string }
	}
}

// takesPods leaves out what a user may do to a node: one that was cordoned is
// still well.
func (n node) takesPods() bool {
	for _, taint := range n.Spec.Taints {
		if taint.Key == notReadyTaint {
			return false
		}
	}
	for _, condition := range n.Status.Conditions {
		if condition.Type == "Ready" {
			return condition.Status == "True"
		}
	}
	return false
}

// Ready counts the simulated nodes that take pods. Nodes that a test has added
// are none of it.
func (k kwok) Ready(ctx context.Context, api *kubeapi.Client) (ready, total int, err error) {
	var list struct{ Items []node }
	if err := api.Get(ctx, nodesPath, &list); err != nil {
		return 0, k.count, fmt.Errorf("list the nodes: %w", err)
	}
	for _, item := range list.Items {
		if item.Metadata.Annotations[fakeNode] == "fake" && item.takesPods() {
			ready++
		}
	}
	return ready, k.count, nil
}
