package ready

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"

	"gati.dev/gati/pkg/webhook/certs"
)

// callEndpoint makes one request over a new connection: a kept one would hide that
// the certificate is no longer trusted.
func callEndpoint(ctx context.Context, e certs.Endpoint, address, path string) error {
	config, err := tlsConfig(e)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   config,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+address+path, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", path, response.Status)
	}
	return nil
}

// tlsConfig trusts the CAs that the API server trusts: the endpoint's bundle, or the
// system's roots if it has none.
func tlsConfig(e certs.Endpoint) (*tls.Config, error) {
	bundle, err := certs.ParseBundle(e.CABundle)
	if err != nil {
		return nil, fmt.Errorf("its caBundle cannot be read: %w", err)
	}
	config := &tls.Config{ServerName: e.ServerName, MinVersion: tls.VersionTLS12}
	if len(bundle) > 0 {
		config.RootCAs = bundle.Pool()
	}
	return config, nil
}
