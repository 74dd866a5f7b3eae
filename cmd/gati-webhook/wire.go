package main

import (
	ctrl "sigs.k8s.io/controller-runtime"
)

// dependencies are what hooks and controllers are built from, besides what the
// manager has: its client, cache, API reader, recorder and scheme.
type dependencies struct {
	config *config
	// apis tells which optional APIs the cluster serves at the moment.
	apis *apis
}

// registerWebhooks puts the handlers on the webhook server.
func registerWebhooks(_ ctrl.Manager, _ dependencies) error {
	return nil
}

// registerControllers adds the controllers, which run on the leader.
func registerControllers(_ ctrl.Manager, _ dependencies) error {
	return nil
}
