package nodes

import (
	"context"

	"gati.dev/gati/devcluster/internal/kubeapi"
)

// none is a cluster without nodes, where every pod stays pending.
type none struct{ simple }

func (none) String() string { return "none" }

func (none) Ready(context.Context, *kubeapi.Client) (ready, total int, err error) {
	return 0, 0, nil
}
