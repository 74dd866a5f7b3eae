// Package certs provides the serving certificates of gati-webhook and makes the API
// server trust them.
//
// A Source holds the certificate. SelfManaged keeps a CA in a Secret and signs a leaf
// in memory for each replica; Files reads certificates that cert-manager or an operator
// mounts. The Injector writes the CA into the webhook configurations and the CRDs'
// conversion. Live reads their current content. Where another process injects, the
// Observer reports that content to a Source: the controllers create and publish the CA,
// and the hooks only read it.
//
// Replacing a CA loses no admission. The new CA is published beside the old one before
// a certificate of it is served. The old one stays published until every certificate
// that it signed has expired.
//
// The package must not know what is served with the certificates.
package certs
