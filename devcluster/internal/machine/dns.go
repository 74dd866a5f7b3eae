package machine

import (
	_ "embed"
	"fmt"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/state"
)

// DNS is the name of the process that answers what pods ask for names.
const DNS = "coredns"

const (
	corefile  = "Corefile"
	dnsHealth = 8080
	dnsReady  = 8181
)

var (
	//go:embed corefile
	corefileTemplate string
	//go:embed dns.yaml
	dnsManifest string
)

// DNSManifest is the Service by which pods reach it.
var DNSManifest = Manifest{"dns.yaml", dnsManifest}

// dns runs on the node and not in a pod: there is no replica to move, and so it
// needs no image.
func (l Layout) dns() state.Component {
	return state.Component{
		Name:   DNS,
		Path:   l.assetPath(DNS),
		Args:   []string{"-conf", l.configPath(corefile)},
		URL:    fmt.Sprintf("http://%s:%d", l.Node(), dnsReady),
		Health: "/ready",
		After:  []string{Holder, control.APIServer},
		Inside: Holder,
	}
}
