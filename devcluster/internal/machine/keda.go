package machine

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/pki"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/state"
)

// The processes of KEDA; keda is their identity. The adapter asks the operator at
// kedaService.
const (
	keda        = "keda"
	kedaOp      = "keda-operator"
	kedaAdapter = "keda-adapter"
	kedaService = "keda-metrics-service"
	kedaMetrics = "keda-metrics"
)

//go:embed keda.yaml
var kedaManifest string

// KEDAAddon is KEDA: its operator, and the adapter by which HorizontalPodAutoscalers read
// the values of its triggers. They run beside the node, as metrics-server does.
var KEDAAddon = Addon{
	Name:      kedaOp,
	PortNames: []string{kedaOp, kedaService, kedaAdapter, kedaMetrics},
	Clients: func(l Layout) []control.Client {
		return []control.Client{{File: keda, Subject: pki.Subject{
			Name: keda, Client: true, Hosts: []string{"keda-metrics-apiserver.keda.svc", ports.Loopback, l.Host()}}}}
	},
	Files:      func(Layout) (map[string][]byte, error) { return nil, nil },
	CRDs:       []string{"keda-crds"},
	Manifest:   Manifest{"keda.yaml", kedaManifest},
	Secret:     writeKEDACertificates,
	Components: func(l Layout) []state.Component { return []state.Component{l.kedaOperator(), l.kedaAdapter()} },
	Note:       func(Layout) string { return "KEDA: ScaledObjects scale" },
}

// writeKEDACertificates has KEDA find its certificate by the names that it expects.
func writeKEDACertificates(l Layout, _ func(args ...string) (string, error)) error {
	if err := os.MkdirAll(l.configPath(keda), 0o700); err != nil {
		return fmt.Errorf("make the directory of KEDA's certificates: %w", err)
	}
	for name, from := range map[string]string{"ca.crt": "ca.crt", "tls.crt": keda + ".crt", "tls.key": keda + ".key"} {
		content, err := os.ReadFile(l.pkiPath(from))
		if err != nil {
			return fmt.Errorf("read KEDA's certificates: %w", err)
		}
		if err := os.WriteFile(filepath.Join(l.configPath(keda), name), content, 0o600); err != nil {
			return fmt.Errorf("write KEDA's certificates: %w", err)
		}
	}
	return nil
}

func (l Layout) kedaOperator() state.Component {
	return state.Component{
		Name: kedaOp,
		Path: l.assetPath(kedaOp),
		Args: []string{
			"--kubeconfig=" + control.KubeconfigFile(l.Dir, keda),
			"--cert-dir=" + l.configPath(keda),
			fmt.Sprintf("--health-probe-bind-address=%s:%d", ports.Loopback, l.Ports[kedaOp]),
			"--metrics-service-bind-address=" + l.kedaServiceAddress(),
			"--enable-prometheus-metrics=false",
			"--zap-encoder=console",
		},
		Env:    []string{"WATCH_NAMESPACE=", "POD_NAMESPACE=keda", "KEDA_CLUSTER_OBJECT_NAMESPACE=keda"},
		URL:    fmt.Sprintf("http://%s:%d", ports.Loopback, l.Ports[kedaOp]),
		Health: "/readyz",
		Ports:  []string{kedaOp, kedaService},
		After:  []string{control.APIServer},
	}
}

func (l Layout) kedaServiceAddress() string {
	return fmt.Sprintf("%s:%d", ports.Loopback, l.Ports[kedaService])
}

// kedaAdapter serves the API external.metrics.k8s.io.
func (l Layout) kedaAdapter() state.Component {
	kubeconfig := control.KubeconfigFile(l.Dir, keda)
	return state.Component{
		Name: kedaAdapter,
		Path: l.assetPath(kedaAdapter),
		Args: []string{
			"--kubeconfig=" + kubeconfig,
			"--lister-kubeconfig=" + kubeconfig,
			"--authentication-kubeconfig=" + kubeconfig,
			"--authorization-kubeconfig=" + kubeconfig,
			"--bind-address=" + l.Host(),
			fmt.Sprintf("--secure-port=%d", l.Ports[kedaAdapter]),
			"--tls-cert-file=" + l.pkiPath(keda+".crt"),
			"--tls-private-key-file=" + l.pkiPath(keda+".key"),
			"--cert-dir=" + l.configPath(keda),
			"--metrics-service-address=" + l.kedaServiceAddress(),
			fmt.Sprintf("--port=%d", l.Ports[kedaMetrics]),
		},
		Env:    []string{"WATCH_NAMESPACE=", "POD_NAMESPACE=keda"},
		URL:    fmt.Sprintf("https://%s:%d", l.Host(), l.Ports[kedaAdapter]),
		Health: "/livez",
		Ports:  []string{kedaAdapter, kedaMetrics},
		After:  []string{kedaOp, control.APIServer},
	}
}
