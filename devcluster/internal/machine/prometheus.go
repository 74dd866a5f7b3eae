package machine

import (
	_ "embed"
	"fmt"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/pki"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/state"
)

// prometheus is the name of its process, port and identity; podTargets that of
// the process which tells it what to scrape.
const (
	prometheus     = "prometheus"
	podTargets     = "podtargets"
	prometheusFile = "prometheus.yml"
)

var (
	//go:embed prometheus.yml.tmpl
	prometheusTemplate string
	//go:embed prometheus.yaml
	prometheusManifest string
)

// PrometheusAddon is a Prometheus that reads the metrics of pods, and of the
// gateway if there is one. It listens where pods reach it too.
func PrometheusAddon(gateway bool) Addon {
	return Addon{
		Name:      prometheus,
		PortNames: []string{prometheus, podTargets},
		// The host writes its certificate to a file, which podtargets reads.
		Clients: func(Layout) []control.Client {
			return []control.Client{{File: prometheus, Subject: pki.Subject{Name: prometheus, Client: true, Hosts: []string{ports.Loopback}}}}
		},
		Files:    func(l Layout) (map[string][]byte, error) { return l.prometheusFiles(gateway) },
		Manifest: Manifest{"prometheus.yaml", prometheusManifest},
		Components: func(l Layout) []state.Component {
			return []state.Component{l.podTargets(), l.prometheus()}
		},
		Note: func(l Layout) string {
			return fmt.Sprintf("Prometheus: %s, for pods http://prometheus.devcluster.svc:9090", l.prometheusURL())
		},
	}
}

func (l Layout) prometheusURL() string {
	return fmt.Sprintf("http://%s:%d", l.Host(), l.Ports[prometheus])
}

func (l Layout) prometheusFiles(gateway bool) (map[string][]byte, error) {
	target := ""
	if gateway {
		target = fmt.Sprintf("%s:%d", ports.Loopback, l.Ports[traefik])
	}
	content, err := l.renderTemplate(prometheusFile, prometheusTemplate, map[string]string{
		"PodTargets": l.podTargetsURL(), "TraefikTarget": target})
	return map[string][]byte{filepath.Join(control.ConfigDir, prometheusFile): content}, err
}

func (l Layout) prometheus() state.Component {
	return state.Component{
		Name: prometheus,
		Path: l.assetPath(prometheus),
		Args: []string{
			"--config.file=" + l.configPath(prometheusFile),
			"--storage.tsdb.path=" + l.dataPath(prometheus),
			fmt.Sprintf("--web.listen-address=%s:%d", l.Host(), l.Ports[prometheus]),
		},
		URL:    l.prometheusURL(),
		Health: "/-/ready",
		Ports:  []string{prometheus},
		After:  []string{podTargets, Kubelet},
	}
}

func (l Layout) podTargetsURL() string {
	return fmt.Sprintf("http://%s:%d", ports.Loopback, l.Ports[podTargets])
}

// podTargets tells Prometheus which pods there are.
func (l Layout) podTargets() state.Component {
	return state.Component{
		Name: podTargets,
		Path: l.assetPath(podTargets),
		Args: []string{
			fmt.Sprintf("-listen=%s:%d", ports.Loopback, l.Ports[podTargets]),
			"-server=" + l.Server(),
			"-ca=" + l.pkiPath("ca.crt"),
			"-cert=" + l.pkiPath(prometheus+".crt"),
			"-key=" + l.pkiPath(prometheus+".key"),
		},
		URL:    l.podTargetsURL(),
		Health: "/health",
		Ports:  []string{podTargets},
		After:  []string{control.APIServer},
	}
}
