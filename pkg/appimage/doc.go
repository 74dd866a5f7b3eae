// Package appimage builds the OCI image of a Gati application's folder without a container
// engine: it installs the dependencies, compiles the code and packs both upon Node.js. The
// same folder gives the same bytes. The folder itself is never written to.
//
// It must not know Kubernetes, nor what the application does.
package appimage
