package cluster

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/health"
	"gati.dev/gati/devcluster/internal/kubeapi"
	"gati.dev/gati/devcluster/internal/logtail"
	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/state"
)

const (
	// startLimit is how long one component may take to be well. It takes
	// about two seconds; a machine that is busy with a build takes far longer.
	startLimit = 3 * time.Minute
	// checkInterval is how often a component is asked.
	checkInterval = 50 * time.Millisecond
)

// run is a cluster while its processes are being started.
type run struct {
	*Cluster
	state  *state.State
	client *http.Client
	api    *kubeapi.Client
}

func (c *Cluster) newRun(s *state.State) (*run, error) {
	api, client, err := c.api(s)
	return &run{Cluster: c, state: s, client: client, api: api}, err
}

// controlPlane starts etcd and then the API server: without the first the
// second would give up, and without the second the rest.
func (r *run) controlPlane(ctx context.Context, reserved *ports.Reservation) error {
	for _, name := range []string{control.Etcd, control.APIServer} {
		process, err := r.begin(name, reserved)
		if err != nil {
			return err
		}
		if err := r.healthy(ctx, name, process); err != nil {
			return err
		}
	}
	return nil
}

// rest starts everything else at once and waits until pods can run.
func (r *run) rest(ctx context.Context, reserved *ports.Reservation, provider nodes.Provider) error {
	if err := provider.Prepare(ctx, r.api); err != nil {
		return err
	}
	started := map[string]*proc.Process{}
	for _, component := range r.state.Components[2:] {
		process, err := r.begin(component.Name, reserved)
		if err != nil {
			return err
		}
		started[component.Name] = process
	}
	for _, component := range r.state.Components[2:] {
		if err := r.healthy(ctx, component.Name, started[component.Name]); err != nil {
			return err
		}
	}
	return r.usable(ctx, provider)
}

// begin starts a component on the ports that are kept for it.
func (r *run) begin(name string, reserved *ports.Reservation) (*proc.Process, error) {
	component, ok := r.state.Component(name)
	if !ok {
		return nil, fmt.Errorf("there is no component %s", name)
	}
	reserved.Release(control.PortsOf(name)...)
	return r.startComponent(r.state, component)
}

// healthy waits until a component says that it is well.
func (r *run) healthy(ctx context.Context, name string, process *proc.Process) error {
	component, _ := r.state.Component(name)
	return r.await(ctx, name, func(ctx context.Context) error {
		select {
		case <-process.Exited():
			return final{r.diedError(name)}
		default:
			return health.Check(ctx, r.client, *component)
		}
	})
}

// usable waits until pods can be made and scheduled.
func (r *run) usable(ctx context.Context, provider nodes.Provider) error {
	err := r.await(ctx, control.ControllerManager, func(ctx context.Context) error {
		return r.api.Get(ctx, "/api/v1/namespaces/default/serviceaccounts/default", nil)
	})
	if err != nil {
		return fmt.Errorf("no service account in the default namespace: %w", err)
	}
	return r.await(ctx, "the nodes", func(ctx context.Context) error {
		ready, total, err := provider.Ready(ctx, r.api)
		if err == nil && ready < total {
			err = fmt.Errorf("%d of %d nodes are ready", ready, total)
		}
		return err
	})
}

// final is an error that waiting longer does not mend.
type final struct{ error }

// await asks until the answer is nil, final, or too late.
func (r *run) await(ctx context.Context, what string, ask func(context.Context) error) error {
	defer r.progress.Quiet("waiting for " + what)()
	deadline := time.Now().Add(startLimit)
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if end, ok := err.(final); ok {
			return end.error
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s is not well after %s: %w; %s", what, startLimit, err, logtail.Describe(r.logPath(what)))
		}
		time.Sleep(checkInterval)
	}
}
