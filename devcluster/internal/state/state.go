// Package state records what a cluster has left on the machine. It is written
// before each step that leaves something behind, so that a later launcher knows
// what to remove after one was killed.
//
// It must not know how any of it is started, probed or removed.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gati.dev/gati/devcluster/internal/proc"
)

// FileName is the name of the state file in a cluster's directory.
const FileName = "state.json"

// format is the version of the file's layout.
const format = 1

// State is the content of the file.
type State struct {
	Format int `json:"format"`
	// Marker is carried by every process of this run of the cluster.
	Marker  string    `json:"marker"`
	Phase   Phase     `json:"phase"`
	Created time.Time `json:"created"`
	// Launcher is the `up` or `down` that works, or worked last, on the cluster.
	Launcher proc.ID `json:"launcher"`
	// Nodes is the value of --nodes.
	Nodes string `json:"nodes"`
	// Assets is the directory of the executables.
	Assets     string         `json:"assets,omitempty"`
	Ports      map[string]int `json:"ports,omitempty"`
	Components []Component    `json:"components,omitempty"`
	// Machine is nil unless a real node takes more of the machine than
	// processes and files.
	Machine *Machine `json:"machine,omitempty"`
}

// Component is one process of the cluster and all it takes to start it again.
type Component struct {
	Name string   `json:"name"`
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env,omitempty"`
	// URL is where it listens, Health the path that answers 200 when it is well.
	URL    string `json:"url"`
	Health string `json:"health"`
	// Ports names the entries of State.Ports that it listens on.
	Ports []string `json:"ports"`
	// After names the components that must be well before this one starts.
	After []string `json:"after,omitempty"`
	// Inside names the component whose namespaces it runs in. It is empty for
	// what runs in those of the launcher.
	Inside string `json:"inside,omitempty"`
	// Process is zero until the component was started, and after it was
	// stopped on purpose.
	Process proc.ID `json:"process"`
}

// Component returns the component of a name, to be changed in place.
func (s *State) Component(name string) (*Component, bool) {
	for i := range s.Components {
		if s.Components[i].Name == name {
			return &s.Components[i], true
		}
	}
	return nil, false
}

// Load reads the state of a cluster. It returns nil when there is none.
func Load(dir string) (*State, error) {
	path := filepath.Join(dir, FileName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the cluster's state: %w", err)
	}
	var s State
	if err := json.Unmarshal(data, &s); err != nil || s.Marker == "" {
		return nil, fmt.Errorf("%s is not a state file of devcluster; if %s is a devcluster directory, remove it by hand after ending the processes that name it", path, dir)
	}
	if s.Format != format {
		return nil, fmt.Errorf("%s was written by another release of devcluster (format %d, this one knows %d); run `down` with that release", path, s.Format, format)
	}
	return &s, nil
}

// Save writes the state such that a reader sees the old one or the new one,
// never a part.
func (s *State) Save(dir string) error {
	s.Format = format
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the cluster's state: %w", err)
	}
	temp := filepath.Join(dir, TempName)
	if err := os.WriteFile(temp, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the cluster's state: %w", err)
	}
	if err := os.Rename(temp, filepath.Join(dir, FileName)); err != nil {
		return fmt.Errorf("write the cluster's state: %w", err)
	}
	return nil
}

// TempName is where a state is written before it takes its place. The name is
// fixed, because only the holder of the directory's lock writes: a leftover is
// overwritten by the next one.
const TempName = FileName + ".tmp"
