// Package kubeconfig writes kubeconfig files that stand alone: certificates
// and keys are inside, so a file still works when it is copied elsewhere.
//
// It must not know whose identity it writes.
package kubeconfig

import (
	"encoding/base64"
	"fmt"
)

// Context is the name of the context, the cluster and the user in every file.
const Context = "devcluster"

// Config has the content of a kubeconfig.
type Config struct {
	Server           string
	CA, Cert, KeyPEM []byte
}

// Render returns the file. No value in it needs quoting: a URL and base64.
func (c Config) Render() []byte {
	encode := base64.StdEncoding.EncodeToString
	return fmt.Appendf(nil, layout, Context, encode(c.CA), c.Server, encode(c.Cert), encode(c.KeyPEM))
}

const layout = `apiVersion: v1
kind: Config
clusters:
- name: %[1]s
  cluster:
    certificate-authority-data: %[2]s
    server: %[3]s
users:
- name: %[1]s
  user:
    client-certificate-data: %[4]s
    client-key-data: %[5]s
contexts:
- name: %[1]s
  context:
    cluster: %[1]s
    user: %[1]s
current-context: %[1]s
`
