// Package cluster starts a cluster, inspects it, restarts parts of it and stops it. It
// combines the other packages: the description of the control plane, the nodes, the
// processes, and the state that records which of them are on the machine.
//
// It must not know of command lines, nor where executables come from.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/filelock"
	"gati.dev/gati/devcluster/internal/kubeapi"
	"gati.dev/gati/devcluster/internal/progress"
	"gati.dev/gati/devcluster/internal/state"
)

// Cluster is the cluster of a directory, whether it exists or not.
type Cluster struct {
	dir      string
	progress *progress.Reporter
}

// Open returns the cluster of a directory. The directory need not exist; the
// one around it must.
func Open(dir string, reporter *progress.Reporter) (*Cluster, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", dir, err)
	}
	// One cluster has one name, however it is reached.
	parent, err := filepath.EvalSymlinks(filepath.Dir(absolute))
	if err != nil {
		return nil, fmt.Errorf("resolve the directory around %s: %w; make it first", dir, err)
	}
	return &Cluster{dir: filepath.Join(parent, filepath.Base(absolute)), progress: reporter}, nil
}

// Kubeconfig is where the user's kubeconfig lies while the cluster is up.
func (c *Cluster) Kubeconfig() string { return c.path(userKubeconfig) }

func (c *Cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.dir}, elem...)...)
}

// logPath is where the output of a component goes.
func (c *Cluster) logPath(component string) string {
	return c.path(control.LogDir, component+".log")
}

// lockDirectory keeps every other launcher from working on this directory.
func (c *Cluster) lockDirectory(ctx context.Context) (*filelock.Lock, error) {
	done := func() {}
	lock, err := filelock.Dir(ctx, c.dir, func() {
		done = c.progress.Step(c.lockHolder())
	})
	done()
	return lock, err
}

// lockHolder says who holds the lock, as far as that is known.
func (c *Cluster) lockHolder() string {
	who := "another devcluster command"
	if s, err := state.Load(c.dir); err == nil && s != nil && s.Launcher.Alive() {
		who = fmt.Sprintf("devcluster process %d", s.Launcher.PID)
	}
	return fmt.Sprintf("waiting for %s, which works on %s", who, c.dir)
}

// apiClients returns a client of the cluster's API server.
func (c *Cluster) apiClients(s *state.State) (*kubeapi.Client, *http.Client, error) {
	client, err := control.HTTPClient(c.dir)
	if err != nil {
		return nil, nil, err
	}
	server, ok := s.Component(control.APIServer)
	if !ok {
		return nil, nil, errors.New("the cluster has no API server yet")
	}
	return kubeapi.New(server.URL, client), client, nil
}

// isEmpty reports whether a directory holds nothing, or nothing but the first
// state of a launcher that was killed while it wrote it.
func isEmpty(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look into %s: %w", dir, err)
	}
	for _, entry := range entries {
		if entry.Name() != state.TempName {
			return false, nil
		}
	}
	return true, nil
}
