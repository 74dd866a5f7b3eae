package certificates_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/render"
	"gati.dev/gati/internal/testing/install"
	"gati.dev/gati/test/support/apiserver"
	"gati.dev/gati/test/support/memory"
	"gati.dev/gati/test/support/place"
	"gati.dev/gati/test/support/watchdog"
)

// cluster is shared by all tests of the package.
type cluster struct {
	config *rest.Config
	client client.WithWatch
	binary string
	// clients signs the certificate that the API server shows to webhooks.
	clients *clientAuthority
	// group limits the memory of each process, where it is set.
	group *memory.Group
}

var shared *cluster

func TestMain(m *testing.M) {
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
	release, err := place.Take()
	if err == nil {
		defer func() { release() }()
		err = apiserver.FindAssets()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	return watchdog.Run("", func(folder string) (code int) {
		environment := apiserver.NewEnvironment()
		defer func() { _ = environment.Stop() }()
		var err error
		if shared, err = startCluster(environment, folder); err != nil {
			fmt.Fprintln(os.Stderr, "FAIL: start the API server:", err)
			return 1
		}
		return m.Run()
	})
}

func startCluster(environment *envtest.Environment, dir string) (*cluster, error) {
	clients, err := newClientAuthority(dir)
	if err != nil {
		return nil, err
	}
	admission, err := clients.writeAdmissionConfig(dir)
	if err != nil {
		return nil, err
	}
	environment.ControlPlane.GetAPIServer().Configure().Set("admission-control-config-file", admission)
	config, err := environment.Start()
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	scheme := clientgoscheme.Scheme
	if err := v1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	binary, err := findBinary(dir)
	if err != nil {
		return nil, err
	}
	return &cluster{config: config, client: c, binary: binary, clients: clients}, nil
}

// findBinary takes gati-webhook in GATI_BIN, or builds it and the plugin beside it.
func findBinary(dir string) (string, error) {
	if built := os.Getenv("GATI_BIN"); built != "" {
		return filepath.Join(built, "gati-webhook"), nil
	}
	build := exec.Command("go", "build", "-o", dir+"/", "gati.dev/gati/cmd/gati-webhook", "gati.dev/gati/cmd/kubectl-gati")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build gati-webhook and the plugin: %w\n%s", err, out)
	}
	return filepath.Join(dir, "gati-webhook"), nil
}

// needCluster installs anew for a webhook at a URL, with neither a CA nor anything that holds one.
func needCluster(t *testing.T, url string) *cluster {
	t.Helper()
	objects, err := render.Objects(render.Options{Overlay: render.OverlayLocal, URL: url})
	if err != nil {
		t.Fatal(err)
	}
	if err := install.Apply(context.Background(), shared.config, objects); err != nil {
		t.Fatal(err)
	}
	shared.removeCA(t)
	return shared
}

// testLog writes to the test, and only what a user would see.
func testLog(t *testing.T, name string) logr.Logger {
	return testLogger(t, name, io.Discard)
}
