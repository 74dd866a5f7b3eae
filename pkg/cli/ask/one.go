package ask

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/request"
)

// One makes a request of one handler, or has the server validate it on a dry run, for
// a front end that has asked for the user's consent itself. The answer holds the
// request also with an error.
func One(ctx context.Context, e *env.Env, c client.Client, of client.ObjectKey, r request.Request, dryRun bool) (Answer, error) {
	o := &Options{env: e, client: c, dryRun: dryRun, timeout: answerWithin, namespace: of.Namespace}
	if err := r.CheckArgument(); err != nil {
		return Answer{}, err
	}
	all, err := o.prepareAll(ctx, []string{of.Name}, r)
	if err != nil {
		return Answer{}, err
	}
	waiting, stop := o.withTimeout(ctx, o.timeout)
	defer stop()
	bounded, cancel := cluster.Bounded(waiting, e)
	defer cancel()
	o.sendRequest(bounded, all[0])
	o.receiveOutcome(ctx, waiting, all[0])
	return all[0].Answer, all[0].outcomeError()
}
