// Package targets plays one story of a handler under every deployment target, on a
// devcluster with simulated nodes: after each act the live children are the same.
package targets

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/manifests"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/keda"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/terminal"
)

// atOnce is enough for every row of every story: a row that waits for the first one must
// not keep it from starting.
const atOnce = "9"

// What all tests share. admin has no cache, plans is the folder of the repository of the
// target gitops, and git serves it.
var (
	plans    string
	git      *gittest.HTTPS
	env      *terminal.Environment
	webhook  *local.Webhook
	admin    client.WithWatch
	gateways *gateway.Controller
)

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) int {
	flag.Parse()
	// The default is one test for each processor.
	err := flag.Set("test.parallel", atOnce)
	var dir string
	if err == nil {
		dir, err = os.MkdirTemp("", "gati-targets")
	}
	if err == nil {
		defer os.RemoveAll(dir)
		plans = filepath.Join(dir, "plans.git")
		err = gittest.Init(plans)
	}
	if err == nil {
		git, err = gittest.StartHTTPS(plans)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	defer git.Close()
	return terminal.Main(m, terminal.Setup{
		Nodes: 4, Mortal: true, GatewayAPI: true, Up: setUp,
		Flags: []string{"--allowed-targets=helm,gitops", "--git-url=" + git.CloneURL(), "--git-secret=gati-git", "--leader-elect=false"},
	}, &env)
}

func setUp(c *terminal.Environment) error {
	webhook = c.Webhook
	var err error
	if admin, err = kube.PatientClient(c.Config); err != nil {
		return err
	}
	for _, name := range []string{"helm/clusterrole", "helm/clusterrolebinding", "gitops/rbac"} {
		text, err := manifests.FS.ReadFile("rbac/" + name + ".yaml")
		if err != nil {
			return err
		}
		if out, err := c.Cluster.Run(context.Background(), string(text), "apply", "-f", "-"); err != nil {
			return fmt.Errorf("grant the rights of helm and gitops: %w: %s", err, out)
		}
	}
	if err := admin.Create(context.Background(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: local.Namespace, Name: "gati-git"},
		StringData: map[string]string{"username": git.Username, "password": git.Password, "ca.crt": string(git.CA())},
	}); err != nil {
		return err
	}
	if err := installKeda(context.Background()); err != nil {
		return err
	}
	gateways = gateway.New(admin)
	go gateways.Run(context.Background())
	go (&gittest.Syncer{Repository: plans, Cluster: admin}).Run()
	return nil
}

// installKeda creates the CRD of KEDA and returns once it is served.
func installKeda(ctx context.Context) error {
	if err := keda.Install(ctx, admin); err != nil {
		return err
	}
	return await.Try(await.Patience, func() error { return admin.List(ctx, &kedav1alpha1.ScaledObjectList{}) })
}
