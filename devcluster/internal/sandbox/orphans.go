package sandbox

import (
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"gati.dev/gati/devcluster/internal/state"
)

// cgroupPrefix begins the name of every group that a node makes. A marker follows.
const cgroupPrefix = "gati-"

// Orphans returns what runs whose markers begin so have left on the machine.
// It finds a node whose cluster's directory was deleted, state and all.
func Orphans(markerPrefix string) ([]state.Machine, error) {
	mounts, err := cgroupMounts()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) { // There are no control groups on this system.
			return nil, nil
		}
		return nil, err
	}
	var names []string
	for _, mount := range mounts {
		found, _ := filepath.Glob(filepath.Join(mount, cgroupPrefix+markerPrefix+"*"))
		for _, path := range found {
			if name := filepath.Base(path); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	var machines []state.Machine
	for _, name := range names {
		mac := macOf(strings.TrimPrefix(name, cgroupPrefix))
		machines = append(machines, state.Machine{Cgroup: name, MAC: mac, Link: linkOf(mac)})
	}
	return machines, nil
}

// linkOf returns the name of the link with an address, empty if there is none.
func linkOf(mac string) string {
	links, _ := net.Interfaces()
	for _, link := range links {
		if link.HardwareAddr.String() == mac {
			return link.Name
		}
	}
	return ""
}
