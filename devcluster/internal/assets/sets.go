package assets

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/imagetar"
)

// The sets of executables that not every cluster needs.
const (
	// Node is the set of a real node.
	Node = "node"
	// Gateway is a data plane of Gateway API.
	Gateway = "gateway"
	// Prometheus is Prometheus.
	Prometheus = "prometheus"
	// NetworkPolicies is what enforces NetworkPolicies on a real node.
	NetworkPolicies = "network-policies"
	// KEDA is its operator and its metrics adapter.
	KEDA = "keda"
	// Oldest replaces the control plane and the node by those of the oldest Kubernetes that
	// Gati supports.
	Oldest = "oldest"
)

// The releases that are built with go install, by their own go.mod.
const (
	containerdVersion   = "v2.4.2"
	metricsServerModule = "sigs.k8s.io/metrics-server/cmd/metrics-server@v0.9.0"
	gatewayModule       = "sigs.k8s.io/gateway-api@v1.6.2"
	kedaModule          = "github.com/kedacore/keda/v2"
	kedaVersion         = "v2.21.0"
)

// pauseImage is the image in the node's configuration; see package machine.
const pauseImage = "devcluster.local/pause:1"

// optional has the entries of each set.
var optional = map[string]func(goTool) []entry{
	Node: func(tool goTool) []entry {
		return []entry{kubenodeEntry(tool), containerdEntry(tool), metricsServerEntry(tool), pauseEntry(tool), dnsEntry(tool), wazeroEntry(tool)}
	},
	Gateway:         func(tool goTool) []entry { return []entry{traefikEntry(tool), gatewayCRDsEntry(tool)} },
	Prometheus:      func(tool goTool) []entry { return []entry{prometheusEntry(), podtargetsEntry(tool)} },
	NetworkPolicies: func(tool goTool) []entry { return []entry{policiesEntry(tool)} },
	KEDA: func(tool goTool) []entry {
		return []entry{kedaEntry(tool, "operator"), kedaEntry(tool, "adapter"), kedaCRDsEntry(tool)}
	},
	Oldest: func(tool goTool) []entry { return []entry{oldestEntry(tool)} },
}

// kubenodeEntry is apart from kubebox, which every test run needs: what changes
// here does not make those wait.
func kubenodeEntry(tool goTool) entry {
	e := multiCall(tool, "kubenode", []string{"kubelet", "kube-proxy"})
	e.what, e.note = "kubelet and kube-proxy "+kubeVersion, "3 minutes on two cores"
	return e
}

func containerdEntry(tool goTool) entry {
	const module = "github.com/containerd/containerd/v2/"
	var packages []string
	names := map[string]string{}
	for _, name := range []string{"containerd", "containerd-shim-runc-v2", "ctr"} {
		packages = append(packages, module+"cmd/"+name+"@"+containerdVersion)
		names[name] = name
	}
	e := installEntry(tool, "containerd", "no_btrfs,no_devmapper,no_zfs",
		linkerFlags+" -X "+module+"version.Version="+containerdVersion, packages...)
	e.names = names
	e.what, e.note = "containerd "+containerdVersion, "90 seconds on two cores"
	return e
}

func metricsServerEntry(tool goTool) entry {
	e := installEntry(tool, "metrics-server", "", linkerFlags, metricsServerModule)
	e.names = map[string]string{"metrics-server": "metrics-server"}
	e.what, e.note = "metrics-server v0.9.0", "2 minutes on two cores"
	return e
}

// podtargetsEntry provides the discovery of pods, which Debian's Prometheus lacks.
func podtargetsEntry(tool goTool) entry { return multiCall(tool, "podtargets", []string{"podtargets"}) }

// pauseEntry is the image of the process that holds a pod's namespaces.
func pauseEntry(tool goTool) entry {
	source, content := moduleSource("pause")
	return entry{
		name:  "pause",
		key:   digestParts(append([]string{tool.fingerprint, linkerFlags, pauseImage}, content...)...),
		names: map[string]string{"pause.tar": "pause.tar"},
		build: func(ctx context.Context, work work) error {
			if err := source.writeTo(work.dir("src")); err != nil {
				return err
			}
			binary := work.dir("pause")
			err := tool.run(ctx, work, work.dir("src"), nil,
				"build", "-mod=readonly", "-buildvcs=false", "-ldflags", linkerFlags, "-o", binary, "./cmd/pause")
			if err != nil {
				return err
			}
			content, err := os.ReadFile(binary)
			if err != nil {
				return fmt.Errorf("read the pause program: %w", err)
			}
			return os.WriteFile(work.resultPath("pause.tar"), imagetar.Archive(pauseImage, "pause", content), 0o644)
		},
	}
}

// ownModule is a program that is built from a module made for it, because the
// program's own module cannot be installed as it is.
func ownModule(tool goTool, name, pkg string, files sourceFiles) entry {
	return linkedModule(tool, name, pkg, linkerFlags, files)
}

// linkedModule is such a program with linker flags of its own.
func linkedModule(tool goTool, name, pkg, flags string, files sourceFiles) entry {
	content := []string{tool.fingerprint, flags, pkg}
	for _, path := range []string{"go.mod", "go.sum", "main.go"} {
		content = append(content, path, string(files[path]))
	}
	return entry{
		name:  name,
		key:   digestParts(content...),
		names: map[string]string{name: name},
		build: func(ctx context.Context, work work) error {
			if err := files.writeTo(work.dir("src")); err != nil {
				return err
			}
			return tool.run(ctx, work, work.dir("src"), nil,
				"build", "-mod=readonly", "-buildvcs=false", "-ldflags", flags, "-o", work.resultPath(name), pkg)
		},
	}
}

var (
	//go:embed modules/traefik.mod
	traefikMod []byte
	//go:embed modules/traefik.sum
	traefikSum []byte
	//go:embed modules/coredns.mod
	dnsMod []byte
	//go:embed modules/coredns.sum
	dnsSum []byte
	//go:embed modules/coredns.go.txt
	dnsMain []byte
	//go:embed modules/networkpolicies.mod
	policiesMod []byte
	//go:embed modules/networkpolicies.sum
	policiesSum []byte
	//go:embed modules/networkpolicies.go.txt
	policiesMain []byte
	//go:embed modules/wazero.mod
	wazeroMod []byte
	//go:embed modules/wazero.sum
	wazeroSum []byte
	//go:embed modules/wazero.go.txt
	wazeroMain []byte
	//go:embed modules/keda.mod
	kedaMod []byte
	//go:embed modules/keda.sum
	kedaSum []byte
	//go:embed modules/oldest.mod
	oldestMod []byte
	//go:embed modules/oldest.sum
	oldestSum []byte
	//go:embed modules/oldest.go.txt
	oldestMain []byte
)

func traefikEntry(tool goTool) entry {
	e := ownModule(tool, "traefik", "github.com/traefik/traefik/v3/cmd/traefik",
		sourceFiles{"go.mod": traefikMod, "go.sum": traefikSum})
	e.what, e.note = "the gateway, Traefik v3.5.3", "5 minutes on two cores"
	return e
}

func dnsEntry(tool goTool) entry {
	e := ownModule(tool, "coredns", ".", sourceFiles{"go.mod": dnsMod, "go.sum": dnsSum, "main.go": dnsMain})
	e.what, e.note = "CoreDNS", "1 minute on two cores"
	return e
}

func policiesEntry(tool goTool) entry {
	e := ownModule(tool, "network-policies", ".", sourceFiles{"go.mod": policiesMod, "go.sum": policiesSum, "main.go": policiesMain})
	e.what, e.note = "kube-network-policies v1.1.1", "1 minute on two cores"
	return e
}

// wazeroEntry is the runtime of WebAssembly modules. The name by which it is called
// decides whether it is on the node or in a container.
func wazeroEntry(tool goTool) entry {
	e := ownModule(tool, "wazero", ".", sourceFiles{"go.mod": wazeroMod, "go.sum": wazeroSum, "main.go": wazeroMain})
	e.names["wazero-runc"] = "wazero"
	return e
}

// oldestEntry is the control plane and the node of the oldest supported Kubernetes. etcd and
// kubectl stay those of kubeVersion.
func oldestEntry(tool goTool) entry {
	const name = "oldest"
	e := linkedModule(tool, name, ".", versionFlags(oldestKubeVersion), sourceFiles{"go.mod": oldestMod, "go.sum": oldestSum, "main.go": oldestMain})
	e.names = map[string]string{}
	for _, component := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy"} {
		e.names[component] = name
	}
	e.what, e.note = "the oldest supported Kubernetes, "+oldestKubeVersion, "6 minutes on two cores"
	return e
}

// kedaEntry is one of KEDA's programs, built by the replace and exclude lines of its
// own go.mod.
func kedaEntry(tool goTool, program string) entry {
	e := ownModule(tool, "keda-"+program, kedaModule+"/cmd/"+program, sourceFiles{"go.mod": kedaMod, "go.sum": kedaSum})
	e.what, e.note = "KEDA's "+program+" "+kedaVersion, "10 minutes on two cores for both of its programs"
	return e
}

func kedaCRDsEntry(tool goTool) entry {
	return definitionsEntry(tool, "keda-crds", kedaModule+"@"+kedaVersion, "config/crd/bases")
}

// gatewayCRDsEntry is Gateway API's standard channel.
func gatewayCRDsEntry(tool goTool) entry {
	return definitionsEntry(tool, "gateway-crds", gatewayModule, "config/crd/standard")
}

// definitionsEntry is a directory of definitions, as they lie in their module.
func definitionsEntry(tool goTool, name, module, dir string) entry {
	return entry{
		name:  name,
		key:   digestParts(module, dir),
		names: map[string]string{name: "crds"},
		build: func(ctx context.Context, work work) error {
			source, err := tool.downloadModule(ctx, work, module)
			if err != nil {
				return err
			}
			return os.CopyFS(work.resultPath("crds"), os.DirFS(filepath.Join(source, dir)))
		},
	}
}
