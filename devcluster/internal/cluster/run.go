package cluster

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/health"
	"gati.dev/gati/devcluster/internal/kubeapi"
	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/sandbox"
	"gati.dev/gati/devcluster/internal/state"
)

// run is a cluster while this launcher starts processes of it.
type run struct {
	*Cluster
	state    *state.State
	provider nodes.Provider
	client   *http.Client
	api      *kubeapi.Client
	started  map[string]*proc.Process
	// completed has the components whose provider has seen them well.
	completed map[string]bool
}

func (c *Cluster) newRun(s *state.State, provider nodes.Provider) (*run, error) {
	api, client, err := c.apiClients(s)
	return &run{Cluster: c, state: s, provider: provider, client: client, api: api,
		started: map[string]*proc.Process{}, completed: map[string]bool{}}, err
}

// startAll starts everything, each component as soon as those are well that it
// comes after, and waits until pods can run.
func (r *run) startAll(ctx context.Context, reserved *ports.Reservation) error {
	for i := range r.state.Components {
		component := &r.state.Components[i]
		for _, name := range component.After {
			if err := r.completeNode(ctx, name); err != nil {
				return err
			}
		}
		if err := r.prepareNode(ctx, component.Name); err != nil {
			return err
		}
		reserved.Release(component.Ports...)
		if err := r.startComponent(component); err != nil {
			return err
		}
	}
	for _, component := range r.state.Components {
		if err := r.completeNode(ctx, component.Name); err != nil {
			return err
		}
	}
	return r.awaitUsable(ctx)
}

// prepareNode lets the provider get ready for a process of its own.
func (r *run) prepareNode(ctx context.Context, name string) error {
	if r.isProviders(name) {
		return r.provider.Prepare(ctx, r.nodeHost(), name)
	}
	return nil
}

// completeNode waits until a component is well and lets the provider add what its
// own then lack.
func (r *run) completeNode(ctx context.Context, name string) error {
	if r.completed[name] {
		return nil
	}
	if err := r.awaitHealthy(ctx, name); err != nil {
		return err
	}
	r.completed[name] = true
	if r.isProviders(name) {
		return r.provider.Complete(ctx, r.nodeHost(), name)
	}
	return nil
}

func (r *run) isProviders(name string) bool {
	before, behind := r.provider.Components(r.nodeEnv(r.state))
	return slices.ContainsFunc(append(before, behind...), func(c state.Component) bool { return c.Name == name })
}

// nodeHost returns the provider's view of the running cluster.
func (r *run) nodeHost() nodes.Host {
	return nodes.Host{Env: r.nodeEnv(r.state), API: r.api, PID: r.pid, Say: r.progress.Printf}
}

func (r *run) pid(name string) int {
	component, ok := r.state.Component(name)
	if !ok {
		return 0
	}
	return component.Process.PID
}

// nodeEnv returns the provider's view of the cluster before it starts.
func (c *Cluster) nodeEnv(s *state.State) nodes.Env {
	return nodes.Env{Dir: c.dir, Assets: s.Assets, Ports: s.Ports, Machine: s.Machine}
}

// startComponent starts one process. The state names the component before and
// its process right after; in between, the marker finds it.
func (r *run) startComponent(component *state.Component) error {
	path, args, err := r.commandFor(component)
	if err != nil {
		return err
	}
	process, err := proc.Start(proc.Spec{
		Path:    path,
		Args:    args,
		Marker:  r.state.Marker,
		Home:    r.path(control.DataDir),
		LogFile: r.logPath(component.Name),
		Env:     append(processEnv(), component.Env...),
	})
	if err != nil {
		return err
	}
	component.Process = process.ID
	r.started[component.Name] = process
	return r.state.Save(r.dir)
}

// processVariable holds variables for the processes of a cluster, separated by spaces.
// With GOGC=300 GOMAXPROCS=1 they use less CPU, which tests on few cores need.
const processVariable = "DEVCLUSTER_ENV"

func processEnv() []string { return strings.Fields(os.Getenv(processVariable)) }

// commandFor returns how a component starts: itself, or a program that enters
// namespaces and then becomes it, under the same process id.
func (r *run) commandFor(component *state.Component) (path string, args []string, err error) {
	if component.Inside == "" {
		return component.Path, component.Args, nil
	}
	holder := r.pid(component.Inside)
	if holder == 0 {
		return "", nil, fmt.Errorf("start %s: %s, in whose namespaces it runs, does not run; take the cluster down and up again", component.Name, component.Inside)
	}
	path, args = sandbox.Enter(holder, component.Path, component.Args)
	return path, args, nil
}

// awaitHealthy waits until a component's health check succeeds.
func (r *run) awaitHealthy(ctx context.Context, name string) error {
	component, _ := r.state.Component(name)
	return r.awaitAnswer(ctx, name, r.logPath(name), func(ctx context.Context) error {
		return health.Check(ctx, r.client, *component)
	})
}

// awaitUsable waits until pods can be made and scheduled.
func (r *run) awaitUsable(ctx context.Context) error {
	const account = "/api/v1/namespaces/default/serviceaccounts/default"
	log := r.logPath(control.ControllerManager)
	err := r.awaitAnswer(ctx, "the default service account", log, func(ctx context.Context) error {
		return r.api.Get(ctx, account, nil)
	})
	if err != nil {
		return err
	}
	last := r.state.Components[len(r.state.Components)-1]
	return r.awaitAnswer(ctx, "the nodes", r.logPath(last.Name), func(ctx context.Context) error {
		ready, total, err := r.provider.Ready(ctx, r.api)
		if err == nil && ready < total {
			err = fmt.Errorf("%d of %d are ready", ready, total)
		}
		return err
	})
}
