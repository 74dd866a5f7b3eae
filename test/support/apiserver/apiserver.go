// Package apiserver starts a real etcd and kube-apiserver for tests, with the
// CRDs of this repository installed.
//
// It must not know any of our rules or objects: tests bring those. Only packages
// under test/ use it; unit tests need no API server.
package apiserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
	"gati.dev/gati/test/support/place"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/watchdog"
)

// AssetsVariable names the directory that holds etcd and kube-apiserver.
const AssetsVariable = "KUBEBUILDER_ASSETS"

// Server is a running API server.
type Server struct {
	// Config is how to reach it, as an administrator.
	Config *rest.Config

	env *envtest.Environment
}

// Main starts an API server, prepares it, runs the tests of a package with it, and
// leaves nothing of it, however the tests end.
func Main(m *testing.M, prepare func(*Server) error, changes ...func(*apiextensionsv1.CustomResourceDefinition)) int {
	if err := FindAssets(); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	release, err := place.Take()
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	defer release()
	return watchdog.Run("", func(string) int {
		server, err := startServer(changes...)
		if err != nil {
			fmt.Fprintln(os.Stderr, "FAIL:", err)
			return 1
		}
		code := 1
		if err := prepare(server); err != nil {
			fmt.Fprintln(os.Stderr, "FAIL: prepare the API server:", err)
		} else {
			code = m.Run()
		}
		if err := server.env.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop the API server:", err)
		}
		return code
	})
}

// FindAssets has devcluster name the folder of its control plane, unless the user names one.
// devcluster builds what is not in the cache.
func FindAssets() error {
	if os.Getenv(AssetsVariable) != "" {
		return nil
	}
	devcluster := filepath.Join(repository.Bin(), "devcluster")
	out, err := exec.Command(devcluster, "assets").Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("devcluster assets: %w\n%s", err, failed.Stderr)
	}
	if err != nil {
		return fmt.Errorf("find etcd and kube-apiserver: %w; run \"make build\", or set %s", err, AssetsVariable)
	}
	return os.Setenv(AssetsVariable, strings.TrimSpace(string(out)))
}

// NewEnvironment returns a control plane that has the time to start beside whatever else a
// machine does. envtest's own 20 seconds are too few beside compilers and other suites.
func NewEnvironment() *envtest.Environment {
	return &envtest.Environment{ControlPlaneStartTimeout: 5 * time.Minute, ControlPlaneStopTimeout: time.Minute}
}

// startServer starts an API server and waits until the CRDs, changed as asked for, are
// established. It fails rather than skips where there are no binaries: a test that
// does not run proves nothing.
func startServer(changes ...func(*apiextensionsv1.CustomResourceDefinition)) (*Server, error) {
	crds, err := CRDs()
	if err != nil {
		return nil, err
	}
	for _, crd := range crds {
		for _, change := range changes {
			change(crd)
		}
	}
	env := NewEnvironment()
	config, err := env.Start()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the API server: %w", err), env.Stop())
	}
	config.QPS = -1
	if err := installCRDs(config, crds); err != nil {
		return nil, errors.Join(err, env.Stop())
	}
	return &Server{Config: config, env: env}, nil
}

// installCRDs creates the CRDs. envtest would do so itself, but takes away the
// conversion of kinds that no Go interface of controller-runtime's converts.
func installCRDs(config *rest.Config, crds []*apiextensionsv1.CustomResourceDefinition) error {
	if err := envtest.CreateCRDs(config, crds); err != nil {
		return fmt.Errorf("install the CRDs: %w", err)
	}
	options := envtest.CRDInstallOptions{PollInterval: 100 * time.Millisecond, MaxTime: time.Minute}
	if err := envtest.WaitForCRDs(config, crds, options); err != nil {
		return fmt.Errorf("wait for the CRDs: %w", err)
	}
	return nil
}

// CRDs returns the CRDs as they are generated: without conversion, for which
// there is no webhook here. A test that reads or writes v1alpha1 adds it.
func CRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	entries, err := fs.ReadDir(manifests.FS, "crd")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "gati.dev_") {
			continue
		}
		raw, err := fs.ReadFile(manifests.FS, path.Join("crd", entry.Name()))
		if err != nil {
			return nil, err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(raw, crd); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		crds = append(crds, crd)
	}
	return crds, nil
}
