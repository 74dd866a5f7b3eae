package cluster

import (
	"context"
	"fmt"
	"net/http"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/health"
	"gati.dev/gati/devcluster/internal/kubeapi"
	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/state"
)

// run is a cluster while this launcher starts processes of it.
type run struct {
	*Cluster
	state   *state.State
	client  *http.Client
	api     *kubeapi.Client
	started map[string]*proc.Process
}

func (c *Cluster) newRun(s *state.State) (*run, error) {
	api, client, err := c.api(s)
	return &run{Cluster: c, state: s, client: client, api: api, started: map[string]*proc.Process{}}, err
}

// controlPlane starts etcd and then the API server: without the first the
// second would give up, and without the second the rest.
func (r *run) controlPlane(ctx context.Context, reserved *ports.Reservation) error {
	for _, name := range []string{control.Etcd, control.APIServer} {
		if err := r.begin(name, reserved); err != nil {
			return err
		}
		if err := r.healthy(ctx, name); err != nil {
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
	for _, component := range r.state.Components {
		if r.started[component.Name] != nil {
			continue
		}
		if err := r.begin(component.Name, reserved); err != nil {
			return err
		}
	}
	for _, component := range r.state.Components {
		if err := r.healthy(ctx, component.Name); err != nil {
			return err
		}
	}
	return r.usable(ctx, provider)
}

// begin starts a component on the ports that are kept for it.
func (r *run) begin(name string, reserved *ports.Reservation) error {
	component, ok := r.state.Component(name)
	if !ok {
		return fmt.Errorf("there is no component %s", name)
	}
	reserved.Release(component.Ports...)
	return r.startComponent(component)
}

// startComponent starts one process. The state names the component before and
// its process right after; in between, the marker finds it.
func (r *run) startComponent(component *state.Component) error {
	process, err := proc.Start(proc.Spec{
		Path:    component.Path,
		Args:    component.Args,
		Marker:  r.state.Marker,
		Home:    r.path(control.DataDir),
		LogFile: r.logPath(component.Name),
		Env:     component.Env,
	})
	if err != nil {
		return err
	}
	component.Process = process.ID
	r.started[component.Name] = process
	return r.state.Save(r.dir)
}

// healthy waits until a component says that it is well.
func (r *run) healthy(ctx context.Context, name string) error {
	component, _ := r.state.Component(name)
	return r.await(ctx, name, r.logPath(name), func(ctx context.Context) error {
		return health.Check(ctx, r.client, *component)
	})
}

// usable waits until pods can be made and scheduled.
func (r *run) usable(ctx context.Context, provider nodes.Provider) error {
	const account = "/api/v1/namespaces/default/serviceaccounts/default"
	log := r.logPath(control.ControllerManager)
	err := r.await(ctx, "the default service account", log, func(ctx context.Context) error {
		return r.api.Get(ctx, account, nil)
	})
	if err != nil {
		return err
	}
	last := r.state.Components[len(r.state.Components)-1]
	return r.await(ctx, "the nodes", r.logPath(last.Name), func(ctx context.Context) error {
		ready, total, err := provider.Ready(ctx, r.api)
		if err == nil && ready < total {
			err = fmt.Errorf("%d of %d are ready", ready, total)
		}
		return err
	})
}
