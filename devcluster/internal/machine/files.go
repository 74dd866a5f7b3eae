package machine

import (
	_ "embed"
	"path/filepath"
	"strings"
	"text/template"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/sandbox"
)

// What the node's processes read, in the directory for configuration.
const (
	containerdFile = "containerd.toml"
	cniFile        = "cni/10-devcluster.conflist"
	kubeletFile    = "kubelet.yaml"
	proxyFile      = "kube-proxy.yaml"
)

// keep is the file that stands for a directory that has to be there.
const keep = ".keep"

// PauseImage is the image of the process that holds a pod's namespaces.
const PauseImage = "devcluster.local/pause:1"

var (
	//go:embed containerd.toml
	containerdTemplate string
	//go:embed cni.conflist
	cniTemplate string
	//go:embed kubelet.yaml
	kubeletTemplate string
	//go:embed kube-proxy.yaml
	proxyTemplate string
)

// Files returns what the node's processes read, by path in the cluster's
// directory.
func (l Layout) Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, text := range map[string]string{
		containerdFile: containerdTemplate,
		cniFile:        cniTemplate,
		kubeletFile:    kubeletTemplate,
		proxyFile:      proxyTemplate,
		corefile:       corefileTemplate,
	} {
		content, err := l.renderTemplate(name, text, nil)
		if err != nil {
			return nil, err
		}
		files[filepath.Join(control.ConfigDir, name)] = content
	}
	for _, dir := range Dirs() {
		files[filepath.Join(dir, keep)] = nil
	}
	return files, nil
}

// templateValues are what the templates name.
func (l Layout) templateValues(more map[string]string) map[string]any {
	values := map[string]any{
		"Host": l.Host(), "Node": l.Node(), "DNS": l.DNSAddress(), "Server": l.Server(),
		"Pods": l.PodRange(), "Services": l.ServiceRange(),
		"NodeName": NodeName, "Cgroup": l.Cgroup, "Dir": l.Dir,
		"Socket": ContainerdSocket, "Pause": PauseImage, "ResolvConf": resolvConf,
		"ContainerdPort": containerdPort, "KubeletHealth": kubeletHealth,
		"ProxyMetrics": proxyMetricsPort, "ProxyHealth": proxyHealth,
		"DNSHealth": dnsHealth, "DNSReady": dnsReady,
		"DNSKubeconfig": control.KubeconfigFile(l.Dir, DNS),
		"CNIDirs":       `"` + strings.Join(sandbox.CNIDirs, `", "`) + `"`, "CNIConf": l.configPath("cni"),
		"Wazero":          l.assetPath(wazeroRunc),
		"PodLogs":         filepath.Join(l.Dir, control.LogDir, "pods"),
		"CA":              l.pkiPath("ca.crt"),
		"KubeletCert":     l.pkiPath(Kubelet + ".crt"),
		"KubeletKey":      l.pkiPath(Kubelet + ".key"),
		"ProxyKubeconfig": control.KubeconfigFile(l.Dir, Proxy),
		"Ports":           l.Ports,
	}
	for key, value := range more {
		values[key] = value
	}
	return values
}

// renderTemplate fills a template. A value that the template names and the caller does not
// set is an error.
func (l Layout) renderTemplate(name, text string, more map[string]string) ([]byte, error) {
	parsed, err := template.New(name).Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	if err := parsed.Execute(&out, l.templateValues(more)); err != nil {
		return nil, err
	}
	return []byte(out.String()), nil
}
