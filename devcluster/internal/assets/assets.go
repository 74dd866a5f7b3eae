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

// oldestKubeVersion is a release of the oldest minor version that Gati supports. Its module
// is that of modules/oldest.mod.
const oldestKubeVersion = "v1.33.13"

// kwokModule is the release of KWOK. It is built apart, by its own go.mod,
// because it wants older Kubernetes libraries than the control plane.
const kwokModule = "sigs.k8s.io/kwok/cmd/kwok@v0.8.0"

// kubeboxNames are the names that the control plane executable is called by.
var kubeboxNames = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// linkerFlags strip what only a debugger reads: a quarter of the size.
const linkerFlags = "-s -w"

// Builder makes executables.
type Builder struct {
	// Cache is the directory that they are kept in.
	Cache string
	// Progress tells of long steps.
	Progress *progress.Reporter
}

// Ensure returns a directory with the executables of the control plane and of
// the given sets by their names, after building those that are not in the cache.
func (b Builder) Ensure(ctx context.Context, sets ...string) (string, error) {
	if err := os.MkdirAll(b.Cache, 0o755); err != nil {
		return "", fmt.Errorf("make the cache: %w; set GATI_CACHE to a directory that can be written", err)
	}
	tool, err := findGo(ctx, b.Cache)
	if err != nil {
		return "", err
	}
	var results []result
	for _, e := range listEntries(tool, sets) {
		dir, err := b.ensureEntry(ctx, e)
		if err != nil {
			return "", err
		}
		results = append(results, result{dir, e.names})
	}
	return b.ensureEntry(ctx, linksEntry(results))
}

// listEntries lists what has to be built, in the order in which it is.
func listEntries(tool goTool, sets []string) []entry {
	list := []entry{kubeboxEntry(tool), kubectlEntry(tool), kwokEntry(tool)}
	for _, set := range sets {
		list = append(list, optional[set](tool)...)
	}
	return list
}

// kubeboxEntry is the control plane executable.
func kubeboxEntry(tool goTool) entry {
	e := multiCall(tool, "kubebox", kubeboxNames)
	e.what = "the Kubernetes control plane " + kubeVersion
	e.note = "8 minutes on two cores"
	return e
}

// kubectlEntry is kubectl, which starts in a third of the time that it would as
// a part of the control plane.
func kubectlEntry(tool goTool) entry {
	e := multiCall(tool, "kubectl", []string{"kubectl"})
	e.what, e.note = "kubectl "+kubeVersion, "a minute on two cores"
	return e
}

// multiCall is an executable that is many by the names it is called by, built
// from the module source that this very program carries.
func multiCall(tool goTool, command string, names []string) entry {
	flags := versionFlags(kubeVersion)
	source, content := moduleSource(command)
	links := map[string]string{}
	for _, name := range names {
		links[name] = command
	}
	return entry{
		name:  command,
		key:   digestParts(append([]string{tool.fingerprint, flags}, content...)...),
		names: links,
		build: func(ctx context.Context, work work) error {
			if err := source.writeTo(work.dir("src")); err != nil {
				return err
			}
			return tool.run(ctx, work, work.dir("src"), nil,
				"build", "-tags=kubebox", "-mod=readonly", "-buildvcs=false", "-ldflags", flags,
				"-o", work.resultPath(command), "./cmd/"+command)
		},
	}
}

// versionFlags are the linker flags of executables of a release of Kubernetes.
func versionFlags(release string) string {
	version := strings.Split(strings.TrimPrefix(release, "v"), ".")
	pkg := "k8s.io/component-base/version."
	return fmt.Sprintf("%s -X %sgitVersion=%s -X %sgitMajor=%s -X %sgitMinor=%s",
		linkerFlags, pkg, release, pkg, version[0], pkg, version[1])
}

func kwokEntry(tool goTool) entry {
	e := installEntry(tool, "kwok", "", linkerFlags, kwokModule)
	e.names = map[string]string{"kwok": "kwok"}
	e.what, e.note = "the node simulator, "+kwokModule, "2 minutes on two cores"
	return e
}

// installEntry is an entry built by go install, with the packages' own go.mod.
func installEntry(tool goTool, name, tags, flags string, packages ...string) entry {
	return entry{
		name: name,
		key:  digestParts(append([]string{tool.fingerprint, tags, flags}, packages...)...),
		build: func(ctx context.Context, work work) error {
			// An empty directory: a go.mod around it would change the build.
			args := append([]string{"install", "-tags=" + tags, "-ldflags", flags}, packages...)
			return tool.run(ctx, work, work.dir("src"), []string{"GOBIN=" + work.dir("out")}, args...)
		},
	}
}

// result is a directory in the cache, and which of its files go by which names.
type result struct {
	dir   string
	names map[string]string
}

// linksEntry is one directory with every executable by its name. Of two with one name it has
// the later.
func linksEntry(results []result) entry {
	var parts []string
	targets := map[string]string{}
	for _, r := range results {
		parts = append(parts, filepath.Base(r.dir))
		for name, file := range r.names {
			targets[name] = filepath.Join(r.dir, file)
		}
	}
	return entry{
		name: "assets",
		key:  digestParts(parts...),
		build: func(_ context.Context, work work) error {
			for name, target := range targets {
				if err := work.linkResult(target, name); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// hostPlatform returns what the executables are built for: this machine, whatever the
// user's shell is set to cross-compile for.
func hostPlatform() []string { return []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH} }
