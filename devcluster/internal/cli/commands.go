package cli

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"gati.dev/gati/devcluster/internal/assets"
	"gati.dev/gati/devcluster/internal/cluster"
	"gati.dev/gati/devcluster/internal/state"
)

func (c command) upCluster(ctx context.Context) error {
	target, err := cluster.Open(c.options.dir, c.progress)
	if err != nil {
		return err
	}
	begin := time.Now()
	already, err := target.Up(ctx, cluster.UpOptions{
		Nodes:      c.options.nodes,
		NodesGiven: c.options.nodesGiven,
		Assets:     c.buildExecutables,
	})
	if err != nil {
		return err
	}
	if already {
		fmt.Fprintf(c.stdout, "The cluster in %s is already up.\n", c.options.dir)
	} else {
		fmt.Fprintf(c.stdout, "The cluster in %s is ready, with --nodes %s, after %s.\n",
			c.options.dir, c.options.nodes, time.Since(begin).Round(100*time.Millisecond))
	}
	notes, err := target.Notes()
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintf(c.stdout, "  %s\n", note)
	}
	fmt.Fprintf(c.stdout, "\n  export KUBECONFIG=%s\n\n", target.Kubeconfig())
	return nil
}

func (c command) downCluster(ctx context.Context) error {
	target, err := cluster.Open(c.options.dir, c.progress)
	if err != nil {
		return err
	}
	existed, err := target.Down(ctx, c.options.keepLogs)
	if err != nil {
		return err
	}
	if !existed {
		fmt.Fprintf(c.stdout, "There is no cluster in %s.\n", c.options.dir)
		return nil
	}
	fmt.Fprintf(c.stdout, "The cluster in %s is gone.\n", c.options.dir)
	return nil
}

func (c command) restartComponent(ctx context.Context) error {
	target, err := cluster.Open(c.options.dir, c.progress)
	if err != nil {
		return err
	}
	if err := target.Restart(ctx, c.options.component); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "%s runs again.\n", c.options.component)
	return nil
}

func (c command) loadImage(ctx context.Context) error {
	target, err := cluster.Open(c.options.dir, c.progress)
	if err != nil {
		return err
	}
	if err := target.LoadImage(ctx, c.options.file); err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "The node has the images of %s.\n", c.options.file)
	return nil
}

func (c command) buildAssets(ctx context.Context) error {
	dir, given, err := assets.UserDir()
	if err != nil {
		return err
	}
	// More than a control plane is in no directory of the user's.
	if !given || len(c.options.executableSets()) > 0 {
		if dir, err = c.buildExecutables(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintln(c.stdout, dir)
	return nil
}

// buildExecutables returns the directory of devcluster's own executables.
func (c command) buildExecutables(ctx context.Context) (string, error) {
	cache, err := assets.CacheDir()
	if err != nil {
		return "", err
	}
	return assets.Builder{Cache: cache, Progress: c.progress}.Ensure(ctx, c.options.executableSets()...)
}

func (c command) status(ctx context.Context) error {
	target, err := cluster.Open(c.options.dir, c.progress)
	if err != nil {
		return err
	}
	status, err := target.Status(ctx)
	if err != nil {
		return err
	}
	c.printStatus(status)
	if !status.Healthy() {
		return errUnhealthy
	}
	return nil
}

func (c command) printStatus(status cluster.Status) {
	if status.Phase == "" {
		fmt.Fprintf(c.stdout, "There is no cluster in %s; devcluster up starts one.\n", c.options.dir)
		return
	}
	if len(status.Parts) > 0 {
		table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "COMPONENT\tPID\tHEALTH\tURL")
		for _, part := range status.Parts {
			fmt.Fprintln(table, formatRow(part))
		}
		table.Flush()
	}
	switch {
	case status.Working:
		fmt.Fprintf(c.stdout, "The cluster is %s; devcluster is at work on it.\n", status.Phase)
	case status.Phase != state.Ready:
		fmt.Fprintf(c.stdout, "The cluster is %s, and no devcluster is at work on it; devcluster up starts a new one.\n", status.Phase)
	}
}

func formatRow(part cluster.Part) string {
	pid, url, health := "-", "-", "ok"
	if part.PID != 0 {
		pid = fmt.Sprint(part.PID)
	}
	if part.URL != "" {
		url = part.URL
	}
	if part.Problem != nil {
		health = part.Problem.Error()
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s", part.Name, pid, health, url)
}
