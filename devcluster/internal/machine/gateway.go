package machine

import (
	_ "embed"
	"fmt"
	"os"
	"strings"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/state"
)

// traefik is the name of the gateway's process and of its port for metrics;
// gatewayPort is where it takes requests.
const (
	traefik     = "traefik"
	gatewayPort = "gateway"
	traefikFile = "traefik.yaml"
)

var (
	//go:embed traefik.yaml
	traefikTemplate string
	//go:embed gateway.yaml
	gatewayManifest string
)

// TraefikAddon is a data plane of Gateway API, on this machine's loopback
// address: that is where requests of a test come from.
var TraefikAddon = Addon{
	Name:      traefik,
	PortNames: []string{gatewayPort, traefik},
	Clients:   func(Layout) []control.Client { return nil },
	Files:     func(Layout) (map[string][]byte, error) { return nil, nil },
	CRDs:      []string{"gateway-crds"},
	Manifest:  Manifest{"gateway.yaml", gatewayManifest},
	Secret:    writeTraefikFile,
	Components: func(l Layout) []state.Component {
		return []state.Component{{
			Name:   traefik,
			Path:   l.assetPath(traefik),
			Args:   []string{"--configfile=" + l.configPath(traefikFile)},
			URL:    fmt.Sprintf("http://%s:%d", ports.Loopback, l.Ports[traefik]),
			Health: "/ping",
			Ports:  []string{gatewayPort, traefik},
			After:  []string{control.APIServer, Kubelet},
		}}
	},
	Note: func(l Layout) string {
		return fmt.Sprintf("gateway: Gateway devcluster/gateway of class traefik, at http://%s:%d", ports.Loopback, l.Ports[gatewayPort])
	},
}

// writeTraefikFile gives Traefik a token: certificates are nothing that its
// provider takes.
func writeTraefikFile(l Layout, kubectl func(args ...string) (string, error)) error {
	token, err := kubectl("create", "token", traefik, "--namespace=devcluster", "--duration=87600h")
	if err != nil {
		return err
	}
	content, err := l.renderTemplate(traefikFile, traefikTemplate, map[string]string{
		"Token": strings.TrimSpace(token), "AccessLog": l.logPath("traefik-access.log")})
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.configPath(traefikFile), content, 0o600); err != nil {
		return fmt.Errorf("write the gateway's configuration: %w", err)
	}
	return nil
}
