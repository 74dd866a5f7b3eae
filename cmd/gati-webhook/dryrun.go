package main

import (
	"fmt"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/target/kubernetes"
	"gati.dev/gati/pkg/webhook/admission"
)

// newDryRun returns what tries the children of dry runs. Its client is its own:
// a limit of requests that is meant for the controllers would use up the
// deadlines of admission, and a cache would not show what others have made.
func newDryRun(mgr ctrl.Manager, d dependencies) (*admission.DryRun, error) {
	config := rest.CopyConfig(mgr.GetConfig())
	config.QPS = -1 // The API server's own fairness decides.
	live, err := client.New(config, client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return nil, fmt.Errorf("make a client for dry runs: %w", err)
	}
	return admission.NewDryRun(admission.DryRun{Live: live, Preview: kubernetes.NewPreview(live), Judge: d.judge, Clock: d.clock}), nil
}
