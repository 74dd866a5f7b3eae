// Package assets makes the executables of a cluster: it builds them from
// source, once, into a cache that is keyed by all that goes into them.
//
// It must not know how the executables are run, nor that there are clusters.
package assets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"gati.dev/gati/devcluster/internal/progress"
)

// kubeVersion is the release of k8s.io/kubernetes that go.mod requires.
// Without it the executables call themselves v0.0.0 and kubectl stumbles.
const kubeVersion = "v1.37.1"

// kwokModule is the release of KWOK. It is built apart, by its own go.mod,
// because it wants older Kubernetes libraries than the control plane.
const kwokModule = "sigs.k8s.io/kwok/cmd/kwok@v0.8.0"

// kubeboxNames are the names that the control plane executable is called by.
var kubeboxNames = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"}

// linkerFlags strip what only a debugger reads: a quarter of the size.
const linkerFlags = "-s -w"

// Builder makes executables.
type Builder struct {
	// Cache is the directory that they are kept in.
	Cache string
	// Progress tells of long steps.
	Progress *progress.Reporter
}

// Ensure returns a directory with all executables by their names, after
// building those that are not in the cache.
func (b Builder) Ensure(ctx context.Context) (string, error) {
	if err := os.MkdirAll(b.Cache, 0o755); err != nil {
		return "", fmt.Errorf("make the cache: %w; set GATI_CACHE to a directory that can be written", err)
	}
	tool, err := findGo(ctx, b.Cache)
	if err != nil {
		return "", err
	}
	kubebox, err := b.ensure(ctx, kubeboxEntry(tool))
	if err != nil {
		return "", err
	}
	kwok, err := b.ensure(ctx, kwokEntry(tool))
	if err != nil {
		return "", err
	}
	return b.ensure(ctx, linksEntry(kubebox, kwok))
}

// kubeboxEntry is the control plane executable, built from the module source
// that this very program carries.
func kubeboxEntry(tool goTool) entry {
	version := strings.Split(strings.TrimPrefix(kubeVersion, "v"), ".")
	pkg := "k8s.io/component-base/version."
	flags := fmt.Sprintf("%s -X %sgitVersion=%s -X %sgitMajor=%s -X %sgitMinor=%s",
		linkerFlags, pkg, kubeVersion, pkg, version[0], pkg, version[1])
	source, content := moduleSource()
	return entry{
		name: "kubebox",
		key:  key(append([]string{tool.fingerprint, flags}, content...)...),
		what: "the Kubernetes control plane " + kubeVersion,
		note: "8 minutes on two cores",
		build: func(ctx context.Context, work work) error {
			if err := source.writeTo(work.dir("src")); err != nil {
				return err
			}
			return tool.run(ctx, work, work.dir("src"), nil,
				"build", "-tags=kubebox", "-mod=readonly", "-buildvcs=false", "-ldflags", flags,
				"-o", work.out("kubebox"), "./cmd/kubebox")
		},
	}
}

func kwokEntry(tool goTool) entry {
	return entry{
		name: "kwok",
		key:  key(tool.fingerprint, linkerFlags, kwokModule),
		what: "the node simulator, " + kwokModule,
		note: "2 minutes on two cores",
		build: func(ctx context.Context, work work) error {
			// An empty directory: a go.mod around it would change the build.
			return tool.run(ctx, work, work.dir("src"), []string{"GOBIN=" + work.dir("out")},
				"install", "-ldflags", linkerFlags, kwokModule)
		},
	}
}

// linksEntry is one directory with every executable by its name.
func linksEntry(kubebox, kwok string) entry {
	return entry{
		name: "assets",
		key:  key(filepath.Base(kubebox), filepath.Base(kwok)),
		build: func(_ context.Context, work work) error {
			for _, name := range kubeboxNames {
				if err := work.link(filepath.Join(kubebox, "kubebox"), name); err != nil {
					return err
				}
			}
			return work.link(filepath.Join(kwok, "kwok"), "kwok")
		},
	}
}

// host returns what the executables are built for: this machine, whatever the
// user's shell is set to cross-compile for.
func host() []string { return []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH} }
