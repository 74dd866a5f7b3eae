// Command demo prepares the README's tour: it starts a devcluster, or uses the
// cluster of KUBECONFIG, installs Gati, applies the samples, waits, shows the
// status and runs the doctor.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gati.dev/gati/internal/local"
)

const (
	binDir     = "bin"
	workDir    = ".devcluster"
	clusterDir = workDir + "/cluster"
	webhookDir = workDir + "/gati-webhook"
	nodes      = 3
	samples    = "manifests/samples"
	// tourTimeout bounds the whole tour once everything is built.
	tourTimeout = 20 * time.Minute
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, tourTimeout)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	tools, err := local.FindTools(binDir)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1 && args[0] == "up":
		return startDemo(ctx, tools)
	case len(args) == 2 && args[0] == "up" && args[1] == "real":
		return upReal(ctx, tools)
	case len(args) == 1 && args[0] == "down":
		return removeDemo(ctx, tools)
	default:
		return fmt.Errorf(`%q: want "up", "up real" or "down"; NODES is real or empty`, args)
	}
}

func startDemo(ctx context.Context, tools local.Tools) error {
	cluster, err := chooseCluster(ctx, tools)
	if err != nil {
		return err
	}
	printStep("Installing Gati: CRDs, RBAC and the webhook configurations")
	if err := stopEarlierWebhook(); err != nil {
		return err
	}
	// There is one replica, which is not restarted, so no election is needed.
	webhook, err := local.Install(ctx, cluster, webhookDir, "--leader-elect=false")
	if err != nil {
		return err
	}
	printStep("Starting gati-webhook with the token of its ServiceAccount")
	if err := webhook.Start(ctx); err != nil {
		return err
	}
	printStep("Applying the samples")
	if err := cluster.ApplySamples(ctx, samples, os.Stdout); err != nil {
		return explainUnreachable(err)
	}
	if err := showStatus(ctx, cluster, tools); err != nil {
		return err
	}
	printFarewell(cluster)
	return nil
}

// showStatus shows the status of all objects and runs the doctor.
func showStatus(ctx context.Context, c *local.Cluster, tools local.Tools) error {
	for _, args := range [][]string{{"status", "-A"}, {"doctor"}} {
		if err := runPlugin(ctx, c, tools, args...); err != nil {
			return err
		}
	}
	return nil
}

// chooseCluster returns the cluster of KUBECONFIG, or a devcluster.
func chooseCluster(ctx context.Context, tools local.Tools) (*local.Cluster, error) {
	if path := os.Getenv("KUBECONFIG"); path != "" {
		printStep("Using the cluster of KUBECONFIG=" + path)
		return local.UseExisting(tools, path)
	}
	printStep("Starting a devcluster in " + clusterDir)
	if err := os.MkdirAll(workDir, 0o755); err != nil {
		return nil, err
	}
	return local.Up(ctx, tools, clusterDir, nodes, os.Stderr)
}

// explainUnreachable adds the remedy for an API server that cannot call this
// machine.
func explainUnreachable(err error) error {
	if text := err.Error(); !strings.Contains(text, "failed calling webhook") && !strings.Contains(text, "conversion webhook") {
		return err
	}
	return fmt.Errorf("%w\nThe API server cannot reach gati-webhook on this machine. Set %s to an address of this machine that it can reach, or install manifests/install.yaml in the cluster instead", err, local.HostVariable)
}

// runPlugin runs the plugin, which prints its own errors.
func runPlugin(ctx context.Context, c *local.Cluster, tools local.Tools, args ...string) error {
	command := "kubectl gati " + strings.Join(args, " ")
	printStep(command)
	cmd := exec.CommandContext(ctx, tools.Plugin, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}

func printFarewell(c *local.Cluster) {
	fmt.Printf(`
Go on:
  export KUBECONFIG=%s PATH=$PWD/bin:$(bin/devcluster assets):$PATH
  kubectl get gh,gm,gv -A
  kubectl gati status user-handler
  kubectl scale gh/user-handler --replicas=4 && kubectl gati status user-handler --watch
  make demo-down
`, absolutePath(c.Kubeconfig))
}

// absolutePath returns a path that is valid in any folder.
func absolutePath(path string) string {
	if out, err := filepath.Abs(path); err == nil {
		return out
	}
	return path
}

// removeDemo removes everything that up made. Of an existing cluster it removes Gati and
// the samples only.
func removeDemo(ctx context.Context, tools local.Tools) error {
	if path := os.Getenv("KUBECONFIG"); path != "" {
		if err := removeFromExisting(ctx, tools, path); err != nil {
			return err
		}
	}
	if err := stopEarlierWebhook(); err != nil {
		return err
	}
	if _, err := os.Stat(workDir); os.IsNotExist(err) {
		return nil
	}
	cmd := exec.Command(tools.Devcluster, "down", "--dir", clusterDir)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	if err := os.RemoveAll(webhookDir); err != nil {
		return err
	}
	// The cluster that "make e2e RUN=…" has kept is in there as well.
	if err := os.Remove(workDir); err != nil && !errors.Is(err, syscall.ENOTEMPTY) {
		return err
	}
	return nil
}

func removeFromExisting(ctx context.Context, tools local.Tools, kubeconfig string) error {
	cluster, err := local.UseExisting(tools, kubeconfig)
	if err != nil {
		return err
	}
	printStep("Removing Gati and the samples from the cluster of KUBECONFIG=" + kubeconfig)
	if _, err := cluster.Run(ctx, "", "delete", "namespace", local.SampleNamespace, "--ignore-not-found"); err != nil {
		return err
	}
	return local.Uninstall(ctx, cluster, webhookDir)
}

// stopEarlierWebhook ends the gati-webhook of an earlier tour if its recorded
// process still is one.
func stopEarlierWebhook() error {
	text, err := os.ReadFile(webhookDir + "/pid")
	if err != nil {
		return nil
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil || !local.IsWebhook(pid) {
		return os.Remove(webhookDir + "/pid")
	}
	printStep("Stopping the gati-webhook of the last tour")
	return local.StopProcess(pid)
}

func printStep(text string) { fmt.Println("==>", text) }
