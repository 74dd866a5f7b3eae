package app

import (
	"fmt"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/target/kubernetes"
	"gati.dev/gati/pkg/webhook/admission"
)

// newDryRun returns the dry run of children. It has its own client without a rate
// limit, which would use up the deadlines of admission, and without a cache, which
// misses objects of others.
func newDryRun(mgr ctrl.Manager, d dependencies) (*admission.DryRun, error) {
	config := rest.CopyConfig(mgr.GetConfig())
	config.QPS = -1 // left to the API server's priority and fairness
	live, err := client.New(config, client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return nil, fmt.Errorf("make a client for dry runs: %w", err)
	}
	return admission.NewDryRun(admission.DryRun{
		Live: live, Preview: kubernetes.NewPreview(live), Judge: d.judge, Clock: d.clock, Quotes: d.config.ClientCAFile != "",
	}), nil
}
