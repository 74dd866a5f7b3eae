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
	"regexp"
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
	flux     syncer
)

// syncer applies the repository to the cluster.
type syncer interface {
	// Pause stops it, or lets it go on. Once it has returned nothing is applied any more.
	Pause(isPaused bool)
	Status() string
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
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
		Nodes: 2, Mortal: true, GatewayAPI: true, Up: setUp, Done: assertNoPassword,
		Flags: []string{"--target=gitops", "--git-url=" + server.CloneURL(), "--git-path=clusters/prod", "--git-secret=gati-git", "--git-sync=flux"},
	}, &env)
}

func setUp(c *terminal.Environment) error {
	webhook = c.Webhook
	var err error
	if admin, err = kube.PatientClient(c.Config); err != nil {
		return err
	}
	if err := runBlock(c, 0, filepath.Dir(folder)); err != nil {
		return err
	}
	gateways = gateway.New(admin)
	go gateways.Run(context.Background())
	if isLong {
		return nil // TestFluxSyncs starts Flux itself.
	}
	s := &gittest.Syncer{Repository: folder, Path: "clusters/prod", Cluster: admin}
	flux = s
	go s.Run()
	return nil
}

// shells are the blocks of commands of a page.
var shells = regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n")

// runBlock runs one of the two blocks of commands of docs/targets.md about gitops, in a
// folder: 0 sets Gati up, and 1 Flux.
func runBlock(c *terminal.Environment, at int, dir string) error {
	page, err := os.ReadFile(repo.Path("docs", "targets.md"))
	if err != nil {
		return err
	}
	_, section, _ := strings.Cut(string(page), "\n## gitops\n")
	blocks := shells.FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 {
		return fmt.Errorf("docs/targets.md has %d blocks of commands below gitops, want 2", len(blocks))
	}
	ca := filepath.Join(filepath.Dir(folder), "git-ca.crt")
	if err := os.WriteFile(ca, server.CA(), 0o600); err != nil {
		return err
	}
	clone := strings.Replace(server.CloneURL(), "://", "://"+server.Username+":"+server.Password+"@", 1)
	commands := strings.NewReplacer("git-ca.crt", ca, "username=flux", "username="+server.Username,
		"https://git.example.com/shop/plans.git", clone, "manifests/", repo.Path("manifests")+"/").Replace(blocks[at][1])
	cmd := exec.Command("bash", "-euc", commands)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Cluster.Kubeconfig, "TOKEN="+server.Password, "GIT_SSL_CAINFO="+ca,
		"PATH="+filepath.Dir(c.Cluster.Kubectl)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", commands, err, out)
	}
	return nil
}

// assertNoPassword looks for the password in all that was written: log, repository, every object.
func assertNoPassword(code int) error {
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
