// Package machine describes a real node: its addresses, the steps of its set-up, its
// processes and their files. It is pure, so that all of this can be read and tested without
// root.
//
// It must not know how the steps are run.
package machine

import (
	"fmt"
	"net/netip"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/control"
)

// NodeName is the name of the node.
const NodeName = "devcluster"

// Layout has the settings of a node.
type Layout struct {
	// Dir is the cluster's directory and Assets that of the executables.
	Dir, Assets string
	// Slot numbers the cluster among those with a real node on this machine.
	Slot int
	// Link, MAC and Cgroup are the names that the cluster has claimed.
	Link, MAC, Cgroup string
	// Ports has the ports of what runs beside the node.
	Ports map[string]int
}

// The ranges of a slot. Pods of simulated nodes have others, which lead nowhere.
func (l Layout) linkRange() string { return fmt.Sprintf("10.%d.0.0/24", 48+l.Slot) }

// PodRange has the addresses of the pods.
func (l Layout) PodRange() string { return fmt.Sprintf("10.%d.0.0/16", 32+l.Slot) }

// ServiceRange has the addresses of the Services, as many as a scale test needs.
func (l Layout) ServiceRange() string { return fmt.Sprintf("10.%d.0.0/14", 96+4*l.Slot) }

// Ranges lists all addresses of a slot.
func Ranges(slot int) []netip.Prefix {
	l := Layout{Slot: slot}
	return []netip.Prefix{
		netip.MustParsePrefix(l.linkRange()),
		netip.MustParsePrefix(l.PodRange()),
		netip.MustParsePrefix(l.ServiceRange()),
	}
}

// Host is the machine's end of the link: what pods call when they call the API
// server. Node is the other end, which is the node's address.
func (l Layout) Host() string { return fmt.Sprintf("10.%d.0.1", 48+l.Slot) }

// Node is the node's address.
func (l Layout) Node() string { return fmt.Sprintf("10.%d.0.2", 48+l.Slot) }

// DNSAddress is that of the Service that pods ask for names.
func (l Layout) DNSAddress() string { return fmt.Sprintf("10.%d.0.10", 96+4*l.Slot) }

// Server is the API server's URL.
func (l Layout) Server() string {
	return fmt.Sprintf("https://%s:%d", l.Host(), l.Ports[control.APIServer])
}

func (l Layout) assetPath(name string) string { return filepath.Join(l.Assets, name) }

func (l Layout) configPath(name string) string { return filepath.Join(l.Dir, control.ConfigDir, name) }

func (l Layout) pkiPath(name string) string { return filepath.Join(l.Dir, control.PKIDir, name) }

func (l Layout) logPath(name string) string { return filepath.Join(l.Dir, control.LogDir, name) }

func (l Layout) dataPath(name string) string { return filepath.Join(l.Dir, control.DataDir, name) }
