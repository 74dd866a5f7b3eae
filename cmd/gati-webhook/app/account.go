package app

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/tracing"
)

// account is how one role reaches the API server.
type account struct {
	rest   *rest.Config
	scheme *runtime.Scheme
	// direct has no cache.
	direct client.WithWatch
}

func newAccount(c *config, kubeconfig string, now *serverClock, tracer *tracing.Tracer) (*account, error) {
	r, err := restConfig(c, kubeconfig)
	if err != nil {
		return nil, err
	}
	r.Wrap(now.Wrap)
	r.Wrap(tracer.Wrap)
	scheme := newScheme()
	direct, err := client.NewWithWatch(r, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("make a client of %s: %w", r.Host, err)
	}
	return &account{rest: r, scheme: scheme, direct: direct}, nil
}

// restConfig finds the API server by a kubeconfig, KUBECONFIG, the pod's account or
// ~/.kube/config, in this order.
func restConfig(c *config, kubeconfig string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	load := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig
	if kubeconfig == "" && os.Getenv(clientcmd.RecommendedConfigPathEnvVar) == "" {
		if inCluster, err := rest.InClusterConfig(); err == nil {
			return withDefaults(inCluster, c), nil
		}
	}
	found, err := load()
	if err != nil {
		return nil, fmt.Errorf("find the API server: %w; set --kubeconfig", err)
	}
	return withDefaults(found, c), nil
}

// withDefaults sets what all our requests have in common. Answers come as they are: since
// Kubernetes 1.37 the API server would compress each event of each watch by itself.
func withDefaults(r *rest.Config, c *config) *rest.Config {
	r.QPS = c.KubeAPIQPS
	r.Burst = max(1, int(2*c.KubeAPIQPS))
	r.DisableCompression = true
	r.UserAgent = "gati-webhook/" + buildVersion()
	return r
}
