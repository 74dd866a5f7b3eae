package cluster

import (
	"fmt"
	"os"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/state"
)

const (
	// userKubeconfig appears when the cluster is ready, not before.
	userKubeconfig = "kubeconfig"
	// gitIgnore keeps the keys in the directory out of a repository around it.
	gitIgnore = ".gitignore"
)

// ours lists what a cluster puts into its directory, the state apart. Only
// this is ever removed.
var ours = []string{control.DataDir, control.PKIDir, control.ConfigDir, userKubeconfig, gitIgnore}

// writeFiles writes files by their path in the cluster's directory.
func (c *Cluster) writeFiles(sets ...map[string][]byte) error {
	for _, dir := range []string{control.DataDir, control.LogDir} {
		if err := os.MkdirAll(c.path(dir), 0o700); err != nil {
			return fmt.Errorf("make the cluster's directories: %w", err)
		}
	}
	for _, files := range sets {
		for name, content := range files {
			if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o700); err != nil {
				return fmt.Errorf("make the cluster's directories: %w", err)
			}
			if err := os.WriteFile(c.path(name), content, 0o600); err != nil {
				return fmt.Errorf("write the cluster's files: %w", err)
			}
		}
	}
	return nil
}

// publishKubeconfig gives the user the administrator's kubeconfig in one step,
// because other programs may wait for the file.
func (c *Cluster) publishKubeconfig() error {
	content, err := os.ReadFile(control.KubeconfigFile(c.dir, control.Admin))
	if err != nil {
		return fmt.Errorf("read the administrator's kubeconfig: %w", err)
	}
	temp := c.path(control.PKIDir, userKubeconfig)
	if err := os.WriteFile(temp, content, 0o600); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	if err := os.Rename(temp, c.Kubeconfig()); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	return nil
}

// removeFiles removes what the cluster put into its directory.
func (c *Cluster) removeFiles(names ...string) error {
	for _, name := range names {
		if err := os.RemoveAll(c.path(name)); err != nil {
			return fmt.Errorf("remove what the cluster left: %w", err)
		}
	}
	return nil
}

// removeDir removes the directory. The state goes last: until then it records that
// there is something to remove. Files of the user stay, and then so does the
// directory.
func (c *Cluster) removeDir() error {
	if err := c.removeFiles(state.TempName, state.FileName); err != nil {
		return err
	}
	empty, err := isEmpty(c.dir)
	if err != nil {
		return err
	}
	if !empty {
		c.progress.Printf("%s holds files that are not the cluster's; it stays, with them", c.dir)
		return nil
	}
	if err := os.Remove(c.dir); err != nil {
		return fmt.Errorf("remove the cluster's directory: %w", err)
	}
	return nil
}
