package helm

import (
	"time"

	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	cached "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// applier is Helm's client, except that the objects of a release are applied by Gati.
type applier struct {
	kube.Interface
	apply func() error
}

// IsReachable implements kube.Interface: the first request tells.
func (a *applier) IsReachable() error { return nil }

// Create implements kube.Interface.
func (a *applier) Create(kube.ResourceList, ...kube.ClientCreateOption) (*kube.Result, error) {
	return &kube.Result{}, a.apply()
}

// Update implements kube.Interface.
func (a *applier) Update(_, _ kube.ResourceList, _ ...kube.ClientUpdateOption) (*kube.Result, error) {
	return &kube.Result{}, a.apply()
}

// GetWaiter implements kube.Interface: the controllers watch what they have applied.
func (a *applier) GetWaiter(kube.WaitStrategy) (kube.Waiter, error) { return noWait{}, nil }

// noWait waits for nothing.
type noWait struct{}

func (noWait) Wait(kube.ResourceList, time.Duration) error            { return nil }
func (noWait) WaitWithJobs(kube.ResourceList, time.Duration) error    { return nil }
func (noWait) WaitForDelete(kube.ResourceList, time.Duration) error   { return nil }
func (noWait) WatchUntilReady(kube.ResourceList, time.Duration) error { return nil }

// getter reaches the API server as the controllers do.
type getter struct {
	config *rest.Config
	mapper meta.RESTMapper
}

// ToRESTConfig implements genericclioptions.RESTClientGetter.
func (g getter) ToRESTConfig() (*rest.Config, error) { return rest.CopyConfig(g.config), nil }

// ToRESTMapper implements genericclioptions.RESTClientGetter.
func (g getter) ToRESTMapper() (meta.RESTMapper, error) { return g.mapper, nil }

// ToDiscoveryClient implements genericclioptions.RESTClientGetter.
func (g getter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	direct, err := discovery.NewDiscoveryClientForConfig(g.config)
	if err != nil {
		return nil, err
	}
	return cached.NewMemCacheClient(direct), nil
}

// ToRawKubeConfigLoader implements genericclioptions.RESTClientGetter.
func (g getter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), &clientcmd.ConfigOverrides{})
}
