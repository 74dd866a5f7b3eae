package nodes

import (
	"context"

	"gati.dev/gati/devcluster/internal/kubeapi"
	"gati.dev/gati/devcluster/internal/pki"
	"gati.dev/gati/devcluster/internal/state"
)

// none is a cluster without nodes, where every pod stays pending.
type none struct{}

func (none) String() string                                 { return "none" }
func (none) PortNames() []string                            { return nil }
func (none) Clients() []pki.Subject                         { return nil }
func (none) Files() map[string][]byte                       { return nil }
func (none) Components(Env) []state.Component               { return nil }
func (none) Prepare(context.Context, *kubeapi.Client) error { return nil }

func (none) Ready(context.Context, *kubeapi.Client) (ready, total int, err error) {
	return 0, 0, nil
}
