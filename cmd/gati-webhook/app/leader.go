package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	election "sigs.k8s.io/controller-runtime/pkg/leaderelection"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// leaseName is the Lease that the Role in manifests/rbac names.
const leaseName = "gati-webhook"

// leader runs the controllers while this replica holds the Lease. The manager's own
// election ends the process when the Lease is lost, and the hooks with it: a slow
// API server would lose a replica and become slower still. Here only the
// controllers end, and new ones start when the Lease is won again.
type leader struct {
	mgr    ctrl.Manager
	config *config
	log    logr.Logger
	// lock is the Lease; nil if this replica always leads.
	lock resourcelock.Interface
	// register adds new controllers to a manager.
	register func(ctrl.Manager) error
	// running keeps the controllers of one term out of the next.
	running sync.Mutex
}

func newLeader(mgr ctrl.Manager, c *config, r *rest.Config, register func(ctrl.Manager) error) (*leader, error) {
	l := &leader{mgr: mgr, config: c, log: mgr.GetLogger().WithName("leader"), register: register}
	if !c.LeaderElect {
		return l, nil
	}
	lock, err := election.NewResourceLock(r, mgr, election.Options{
		LeaderElection:          true,
		LeaderElectionID:        leaseName,
		LeaderElectionNamespace: c.LeaderElectionNamespace,
		RenewDeadline:           c.RenewDeadline,
	})
	if err != nil {
		return nil, fmt.Errorf("make the Lease of the leader: %w", err)
	}
	l.lock = lock
	return l, nil
}

// NeedLeaderElection is false, because it runs the election.
func (l *leader) NeedLeaderElection() bool { return false }

// Start runs one term after another until the context ends or a controller fails.
func (l *leader) Start(ctx context.Context) error {
	if l.lock == nil {
		return l.runControllers(ctx)
	}
	for ctx.Err() == nil {
		if err := l.runTerm(ctx); err != nil {
			return err
		}
	}
	return nil
}

// runTerm waits for the Lease, runs the controllers while it is held, and releases
// it after their last write.
func (l *leader) runTerm(ctx context.Context) error {
	candidate, resign := context.WithCancelCause(context.WithoutCancel(ctx))
	defer resign(nil)
	elected := make(chan struct{})
	// A replica that never led has nothing to finish.
	stopWaiting := context.AfterFunc(ctx, func() {
		select {
		case <-elected:
		default:
			resign(nil)
		}
	})
	defer stopWaiting()

	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name:            leaseName,
		Lock:            l.lock,
		LeaseDuration:   l.config.LeaseDuration,
		RenewDeadline:   l.config.RenewDeadline,
		RetryPeriod:     l.config.RetryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(held context.Context) {
				close(elected)
				work, stop := context.WithCancel(held)
				defer context.AfterFunc(ctx, stop)()
				resign(l.runControllers(work))
			},
			OnStoppedLeading: func() { l.log.Info("this replica does not lead") },
		},
	})
	if err != nil {
		return fmt.Errorf("make the election: %w", err)
	}
	elector.Run(candidate)
	return causeOfFailure(context.Cause(candidate))
}

// causeOfFailure returns the error that ended a term, nil if it ended as intended.
func causeOfFailure(cause error) error {
	if errors.Is(cause, context.Canceled) {
		return nil
	}
	return cause
}

// runControllers runs new controllers until the context ends or one of them fails.
func (l *leader) runControllers(ctx context.Context) error {
	l.running.Lock()
	defer l.running.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	controllers := &collector{Manager: l.mgr, cache: &termCache{Cache: l.mgr.GetCache()}}
	defer controllers.cache.removeHandlers()
	if err := l.register(controllers); err != nil {
		return fmt.Errorf("register the controllers: %w", err)
	}
	l.log.Info("this replica leads")
	group, ctx := errgroup.WithContext(ctx)
	for _, c := range controllers.added {
		group.Go(func() error { return c.Start(ctx) })
	}
	return group.Wait()
}

// collector is a manager that collects runnables instead of starting them. Its
// controllers have the same names in each term, and their event handlers end with it.
type collector struct {
	ctrl.Manager
	cache *termCache
	added []manager.Runnable
}

func (c *collector) GetCache() cache.Cache { return c.cache }

func (c *collector) Add(r manager.Runnable) error {
	c.added = append(c.added, r)
	return nil
}

func (c *collector) GetControllerOptions() controllerconfig.Controller {
	options := c.Manager.GetControllerOptions()
	options.SkipNameValidation = ptr.To(true)
	return options
}
