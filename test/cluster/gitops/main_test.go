// Package gitops_test runs the target gitops on a devcluster: the controllers as a
// process that commits to a repository over https, and what applies it to the cluster, as
// Flux's kustomize-controller does: kustomize, server-side apply, pruning.
package gitops_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/kube"
	repo "gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/terminal"
)

// What all tests share. They run one after the other: each may stop the repository.
var (
	env      *terminal.Environment
	webhook  *local.Webhook
	admin    client.WithWatch
	gateways *gateway.Controller
	folder   string
	server   *gittest.HTTPS
	flux     *gittest.Syncer
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gati-gitops")
	if err == nil {
		defer os.RemoveAll(dir)
		folder = filepath.Join(dir, "plans.git")
		err = gittest.Init(folder)
	}
	if err == nil {
		server, err = gittest.StartHTTPS(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	defer server.Close()
	return terminal.Main(m, terminal.Setup{
		Nodes: 2, Mortal: true, GatewayAPI: true, Up: begins, Done: ends,
		Flags: []string{"--target=gitops", "--git-url=" + server.CloneURL(), "--git-path=clusters/test", "--git-secret=gati-git"},
	}, &env)
}

func begins(c *terminal.Environment) error {
	webhook = c.Webhook
	var err error
	if admin, err = kube.Client(c.Config); err != nil {
		return err
	}
	if err := setUp(c); err != nil {
		return err
	}
	gateways = gateway.New(admin)
	go gateways.Run(context.Background())
	flux = &gittest.Syncer{Repository: folder, Path: "clusters/test", Cluster: admin}
	go flux.Run()
	return nil
}

// setUp runs the commands of docs/targets.md.
func setUp(c *terminal.Environment) error {
	page, err := os.ReadFile(repo.Path("docs", "targets.md"))
	if err != nil {
		return err
	}
	_, section, _ := strings.Cut(string(page), "\n## gitops\n")
	_, block, found := strings.Cut(section, "\n```sh\n")
	commands, _, ends := strings.Cut(block, "\n```\n")
	if !found || !ends || strings.Contains(block[len(commands)+4:], "```sh") {
		return errors.New("docs/targets.md has not one block of commands below gitops")
	}
	ca := filepath.Join(filepath.Dir(folder), "git-ca.crt")
	if err := os.WriteFile(ca, server.CA(), 0o600); err != nil {
		return err
	}
	cmd := exec.Command("bash", "-euc", strings.ReplaceAll(commands, "git-ca.crt", ca))
	cmd.Dir = repo.Path()
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Cluster.Kubeconfig, "TOKEN="+server.Password,
		"PATH="+filepath.Dir(c.Cluster.Kubectl)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", commands, err, out)
	}
	return nil
}

// ends looks for the password in all that was written: log, repository, every object.
func ends(code int) error {
	log, err := os.ReadFile(webhook.LogPath())
	if err != nil {
		return err
	}
	if code != 0 {
		os.Stderr.Write(log[max(0, len(log)-8000):])
	}
	all, ok := env.Kubectl(context.Background(), "", "get", "gh,gm,gv,events,cm,deployments", "-A", "-o", "yaml")
	if !ok {
		return errors.New(all)
	}
	if !strings.Contains(all, "kind: GatiHandler") || !strings.Contains(string(log), "GatiHandler") {
		return errors.New("the search for credentials has nothing to look at")
	}
	for place, text := range map[string]string{"the log": string(log), "an object": all} {
		if strings.Contains(text, server.Password) {
			return fmt.Errorf("%s has the password of the repository", place)
		}
	}
	return nil
}
