// Package certs provides the serving certificates of gati-webhook and makes the API
// server trust them.
//
// A Source holds the certificate. SelfManaged keeps a CA in a Secret and signs a
// leaf in memory for each replica; Files reads what cert-manager or an operator
// mounts. The Injector writes the CA into the webhook configurations and into the
// conversion of the CRDs. Live reads their current content, and the Observer tells a
// Source of it where another process injects: the controllers make and publish the CA,
// and the hooks only read.
//
// No admission is lost while a CA is replaced: the new one is published beside the
// old before anything it signed is served, and the old one stays published until
// all that it signed has expired.
//
// The package must not know what is served with the certificates.
package certs
