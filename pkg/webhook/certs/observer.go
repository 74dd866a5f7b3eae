package certs

import (
	"context"

	"github.com/go-logr/logr"
)

// Observer reports to a Source the CAs that the API server trusts, where the Injector of
// another process publishes them. It writes nothing.
type Observer struct {
	live   *Live
	source Source
	log    logr.Logger
	wake   notification
}

// NewObserver returns an Observer of the targets of live. Its client must read without a
// cache.
func NewObserver(live *Live, source Source, log logr.Logger) *Observer {
	return &Observer{live: live, source: source, log: log, wake: newNotification()}
}

// Start reads the targets until the context ends: often while the CA that signs is not
// published, seldom afterwards.
func (o *Observer) Start(ctx context.Context) error {
	recheckUntilDone(ctx, o.source, o.wake, func(int) bool { return o.readTargets(ctx) })
	return nil
}

// Wake starts a reading at once. It is called when a call shows that the API server does
// not trust the certificate.
func (o *Observer) Wake() { o.wake.notify() }

// readTargets passes on what all targets trust, and reports whether the CA that signs is
// among it.
func (o *Observer) readTargets(ctx context.Context) (published bool) {
	states, err := o.live.States(ctx)
	if err != nil {
		if ctx.Err() == nil {
			o.log.V(1).Info("what the API server trusts was not read", "error", err.Error())
		}
		return false
	}
	trusted := commonBundle(states)
	o.source.Published(trusted)
	desired := o.source.Desired(nil)
	return len(desired) > 0 && trusted.Contains(desired[0])
}

// commonBundle returns the CAs that every clientConfig trusts. A target that does not exist
// causes no calls, and a bundle that cannot be parsed trusts none.
func commonBundle(states []State) Bundle {
	var common Bundle
	first := true
	for _, state := range states {
		for _, e := range state.Endpoints {
			bundle, _ := ParseBundle(e.CABundle)
			if first {
				common, first = bundle, false
				continue
			}
			var both Bundle
			for _, certificate := range common {
				if bundle.Contains(certificate) {
					both = append(both, certificate)
				}
			}
			common = both
		}
	}
	return common
}
