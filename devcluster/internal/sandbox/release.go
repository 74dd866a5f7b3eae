package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"

	"gati.dev/gati/devcluster/internal/state"
)

// KillContainers ends every process of the node's containers.
func KillContainers(m state.Machine) error { return killCgroup(m.Cgroup) }

// Release removes what a node has left besides processes: its control groups
// and its link. The node's end of the link goes with it, and so do the routes.
func Release(m state.Machine) error {
	return errors.Join(removeCgroup(m.Cgroup), removeLink(m))
}

func removeLink(m state.Machine) error {
	if !ownsLink(m) {
		return nil
	}
	_, err := Output(context.Background(), "ip", "link", "delete", m.Link)
	// The kernel removes it by itself once the node's namespace is gone, which
	// may be just now.
	if err != nil && ownsLink(m) {
		return fmt.Errorf("remove the link to the node: %w", err)
	}
	return nil
}

// ownsLink reports whether the machine has the link that is meant.
func ownsLink(m state.Machine) bool {
	link, err := net.InterfaceByName(m.Link)
	return err == nil && link.HardwareAddr.String() == m.MAC
}
