package nodes

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxSimulated is how many pod ranges of their own there are; see podRange.
const maxSimulated = 512

// errForm tells what --nodes takes.
var errForm = fmt.Errorf("--nodes takes none, real, or kwok:N with N from 1 to %d", maxSimulated)

// Extras are what only a cluster with a real node can have.
type Extras struct {
	// Gateway is the value of --gateway.
	Gateway string
	// Prometheus is whether --prometheus is given.
	Prometheus bool
	// NetworkPolicies is whether --network-policies is given.
	NetworkPolicies bool
	// KEDA is whether --keda is given.
	KEDA bool
}

// New returns the provider for a value of --nodes and the flags that go with it.
func New(value string, extras Extras) (Provider, error) {
	if value == "real" {
		if extras.Gateway != "" && extras.Gateway != gatewayTraefik {
			return nil, fmt.Errorf("--gateway takes %s, not %q", gatewayTraefik, extras.Gateway)
		}
		return real{extras: extras}, nil
	}
	if extras != (Extras{}) {
		return nil, errors.New("--gateway, --prometheus, --network-policies and --keda need --nodes real: pods of simulated nodes answer no requests")
	}
	return Parse(value)
}

// Parse returns the provider whose String this is.
func Parse(value string) (Provider, error) {
	kind, number, counted := strings.Cut(value, ":")
	switch {
	case value == "none":
		return none{}, nil
	case value == "real" || strings.HasPrefix(value, "real "):
		return parseReal(value)
	case kind == "kwok" && counted:
		count, err := strconv.Atoi(number)
		if err != nil || count < 1 || count > maxSimulated {
			return nil, fmt.Errorf("%w, not %q", errForm, value)
		}
		return kwok{count: count}, nil
	}
	return nil, fmt.Errorf("%w, not %q", errForm, value)
}
