package ask

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/remedy"
)

// moveWithin is the default time to wait until every pod has moved to a contract.
const moveWithin = 5 * time.Minute

// AwaitContract has Run return once every pod answers by the requested contract.
func (o *Options) AwaitContract() {
	o.awaitsContract, o.timeout = true, moveWithin
	timeout := o.flags.Lookup("timeout")
	timeout.DefValue, timeout.Usage = moveWithin.String(), "Time to wait until every pod answers by the contract."
}

// awaitContract reads the handler until every pod answers by its contract, and writes each
// change of how many do.
func (o *Options) awaitContract(ctx, waiting context.Context, key client.ObjectKey) error {
	ticks := time.NewTicker(pollInterval)
	defer ticks.Stop()
	said := ""
	for {
		h, err := cluster.Handler(waiting, o.client, key.Namespace, key.Name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case waiting.Err() != nil:
			return exit.With(exit.Timeout, fmt.Errorf("gh/%s: after %s, %s; see %s", key.Name, o.timeout, said, remedy.ShowStatus.For(key.Name+" -n "+key.Namespace)))
		case err != nil:
			return err
		}
		is := contractOf(h)
		if is == nil || is.Move == nil {
			return checkDeletion(h)
		}
		if now := describeMove(is); now != said {
			said = now
			fmt.Fprintf(o.env.Streams.ErrOut, "gh/%s: %s\n", key.Name, said)
		}
		select {
		case <-ticks.C:
		case <-waiting.Done():
		}
	}
}

func contractOf(h *v1.GatiHandler) *v1.ContractStatus {
	if h.Status.Rollout == nil {
		return nil
	}
	return h.Status.Rollout.Contract
}

// describeMove returns how many pods hold a move.
func describeMove(is *v1.ContractStatus) string {
	move := is.Move
	count := fmt.Sprintf("%d of %d pods", move.Holding, move.Pods)
	if move.Pods == 1 {
		count = fmt.Sprintf("%d of 1 pod", move.Holding)
	}
	if is.Version == move.From {
		return fmt.Sprintf("the contract moves from %s to %s at %s; %s know it", move.From, move.To, move.MovesAt.UTC().Format("15:04:05 UTC"), count)
	}
	return fmt.Sprintf("the contract has moved from %s to %s; %s hold it", move.From, move.To, count)
}
