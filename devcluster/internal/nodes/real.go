package nodes

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"gati.dev/gati/devcluster/internal/assets"
	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/kubeapi"
	"gati.dev/gati/devcluster/internal/machine"
	"gati.dev/gati/devcluster/internal/sandbox"
	"gati.dev/gati/devcluster/internal/state"
)

// gatewayTraefik is the only value of --gateway.
const gatewayTraefik = "traefik"

// real is one node on which pods are processes of this machine.
type real struct{ extras Extras }

// String is also what parseReal reads.
func (r real) String() string {
	words := []string{"real"}
	if r.extras.Gateway != "" {
		words = append(words, "--gateway", r.extras.Gateway)
	}
	if r.extras.Prometheus {
		words = append(words, "--prometheus")
	}
	if r.extras.NetworkPolicies {
		words = append(words, "--network-policies")
	}
	if r.extras.KEDA {
		words = append(words, "--keda")
	}
	return strings.Join(words, " ")
}

func parseReal(value string) (Provider, error) {
	var extras Extras
	words := strings.Fields(value)[1:]
	for i, word := range words {
		switch {
		case word == "--prometheus":
			extras.Prometheus = true
		case word == "--network-policies":
			extras.NetworkPolicies = true
		case word == "--keda":
			extras.KEDA = true
		case word == "--gateway" && i+1 < len(words):
			extras.Gateway = words[i+1]
		case i > 0 && words[i-1] == "--gateway":
		default:
			return nil, fmt.Errorf("%w, not %q", errForm, value)
		}
	}
	return New("real", extras)
}

func (r real) Assets() []string {
	sets := []string{assets.Node}
	if r.extras.Gateway != "" {
		sets = append(sets, assets.Gateway)
	}
	if r.extras.Prometheus {
		sets = append(sets, assets.Prometheus)
	}
	if r.extras.NetworkPolicies {
		sets = append(sets, assets.NetworkPolicies)
	}
	if r.extras.KEDA {
		sets = append(sets, assets.KEDA)
	}
	return sets
}

func (real) Check(ctx context.Context, say func(format string, args ...any)) error {
	return sandbox.Require(ctx, say)
}

func (real) Claim(marker string) (*state.Machine, error) {
	return sandbox.Claim(marker, machine.Ranges)
}

func (real) layoutFor(env Env) machine.Layout {
	l := machine.Layout{Dir: env.Dir, Assets: env.Assets, Ports: env.Ports}
	if env.Machine != nil {
		l.Slot, l.Link, l.MAC, l.Cgroup = env.Machine.Slot, env.Machine.Link, env.Machine.MAC, env.Machine.Cgroup
	}
	return l
}

func (r real) Network(env Env) control.Network {
	l := r.layoutFor(env)
	return control.Network{Address: l.Host(), Services: l.ServiceRange(), After: []string{machine.Holder}}
}

func (r real) PortNames() []string {
	names := []string{machine.MetricsServer}
	for _, addon := range r.listAddons() {
		names = append(names, addon.PortNames...)
	}
	return names
}

func (r real) Clients(env Env) []control.Client {
	l := r.layoutFor(env)
	clients := l.Clients()
	for _, addon := range r.listAddons() {
		clients = append(clients, addon.Clients(l)...)
	}
	return clients
}

func (r real) Files(env Env) (map[string][]byte, error) {
	l := r.layoutFor(env)
	files, err := l.Files()
	for _, addon := range r.listAddons() {
		more, addonErr := addon.Files(l)
		err = errors.Join(err, addonErr)
		maps.Copy(files, more)
	}
	return files, err
}

func (r real) Components(env Env) (before, behind []state.Component) {
	l := r.layoutFor(env)
	behind = l.Components()
	for _, addon := range r.listAddons() {
		behind = append(behind, addon.Components(l)...)
	}
	return []state.Component{l.HolderComponent()}, behind
}

// listAddons lists what the user asked for beyond the node.
func (r real) listAddons() []machine.Addon {
	var addons []machine.Addon
	if r.extras.Gateway != "" {
		addons = append(addons, machine.TraefikAddon)
	}
	if r.extras.Prometheus {
		addons = append(addons, machine.PrometheusAddon(r.extras.Gateway != ""))
	}
	if r.extras.NetworkPolicies {
		addons = append(addons, machine.PoliciesAddon)
	}
	if r.extras.KEDA {
		addons = append(addons, machine.KEDAAddon)
	}
	return addons
}

func (r real) Notes(env Env) []string {
	l := r.layoutFor(env)
	var notes []string
	for _, addon := range r.listAddons() {
		notes = append(notes, addon.Note(l))
	}
	return notes
}

// Ready waits for the one node.
func (real) Ready(ctx context.Context, api *kubeapi.Client) (ready, total int, err error) {
	var n node
	if err := api.Get(ctx, nodesPath+"/"+machine.NodeName, &n); err != nil {
		return 0, 1, fmt.Errorf("get the node: %w", err)
	}
	if n.takesPods() {
		ready = 1
	}
	return ready, 1, nil
}
