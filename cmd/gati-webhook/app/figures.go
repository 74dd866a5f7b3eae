package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	registry "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/metrics"
	"gati.dev/gati/pkg/metrics/access"
)

// metricsOptions serves metrics under a certificate of the Service to those whom the API
// server lets read them: their labels name handlers of all tenants.
func metricsOptions(c *config, source func(*tls.ClientHelloInfo) (*tls.Certificate, error)) metricsserver.Options {
	return metricsserver.Options{
		BindAddress:    c.MetricsBindAddress,
		SecureServing:  true,
		FilterProvider: newMetricsFilter,
		TLSOpts: []func(*tls.Config){func(t *tls.Config) {
			t.NextProtos = []string{"http/1.1"}
			t.MinVersion = tls.VersionTLS12
			t.GetCertificate = source
		}},
	}
}

func newMetricsFilter(r *rest.Config, transport *http.Client) (metricsserver.Filter, error) {
	reviews, err := client.New(r, client.Options{HTTPClient: transport, Scheme: newScheme()})
	if err != nil {
		return nil, fmt.Errorf("make a client for the callers of metrics: %w", err)
	}
	return access.New(reviews).Filter, nil
}

// handlerMetrics exports the status of handlers while this replica leads: exported
// by every replica, each sum would be a multiple.
type handlerMetrics struct{ *metrics.Handlers }

// newHandlerMetrics lists handlers from the cache without copies, because none is
// changed.
func newHandlerMetrics(cached client.Reader) handlerMetrics {
	return handlerMetrics{metrics.NewHandlers(func(ctx context.Context) ([]v1.GatiHandler, error) {
		var list v1.GatiHandlerList
		err := cached.List(ctx, &list, client.UnsafeDisableDeepCopy)
		return list.Items, err
	})}
}

// Start exports the metrics until the context ends.
func (f handlerMetrics) Start(ctx context.Context) error {
	if err := registry.Registry.Register(f); err != nil {
		return err
	}
	defer registry.Registry.Unregister(f)
	<-ctx.Done()
	return nil
}
