package control

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// requestLimit ends a request to a component that accepts and says nothing. It
// is long, because a machine that is busy with a build answers late.
const requestLimit = 30 * time.Second

// HTTPClient returns a client that trusts the cluster in a directory and is
// trusted by it: as administrator by the API server, as a reader by etcd.
func HTTPClient(dir string) (*http.Client, error) {
	roots := x509.NewCertPool()
	for _, name := range []string{clusterCA, etcdCA} {
		pem, err := os.ReadFile(filepath.Join(dir, PKIDir, name))
		if err != nil {
			return nil, fmt.Errorf("read the cluster's certificates: %w", err)
		}
		roots.AppendCertsFromPEM(pem)
	}
	var certs []tls.Certificate
	for _, name := range []string{Admin, "etcd-client"} {
		path := filepath.Join(dir, PKIDir, name)
		cert, err := tls.LoadX509KeyPair(path+".crt", path+".key")
		if err != nil {
			return nil, fmt.Errorf("read the cluster's certificates: %w", err)
		}
		certs = append(certs, cert)
	}
	// Of the certificates, the one is sent whose authority the server names.
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: certs, MinVersion: tls.VersionTLS12}}
	return &http.Client{Transport: transport, Timeout: requestLimit}, nil
}
