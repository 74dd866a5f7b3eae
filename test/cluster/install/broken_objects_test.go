package install

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"
)

const route = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: handler-users, namespace: shop, labels: {app.kubernetes.io/managed-by: gati}}
spec: {parentRefs: [{name: public}]}
`

const prometheus = `apiVersion: v1
kind: ConfigMap
metadata: {name: gati-webhook, namespace: gati-system}
data: {config.yaml: "prometheus-url: http://prometheus.monitoring.svc:9090"}
`

const metricsAPI = `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {namespace: kube-system, name: metrics-server}
`

const rivalCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: rivals.gati.dev, annotations: {api-approved.kubernetes.io: unapproved}}
spec:
  group: gati.dev
  scope: Namespaced
  names: {plural: rivals, singular: rival, kind: GatiVersion, listKind: RivalList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`

// deploymentStep is one of gati-webhook's name, for nodes of an operating system.
func deploymentStep(version, system string) func(t *testing.T) {
	return manifestStep(`apiVersion: apps/v1
kind: Deployment
metadata: {name: gati-webhook, namespace: gati-system}
spec:
  replicas: 1
  selector: {matchLabels: {app: stand-in}}
  template:
    metadata: {labels: {app: stand-in}}
    spec:
      nodeSelector: {kubernetes.io/os: ` + system + `}
      tolerations: [{operator: Exists}]
      securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: gati-webhook
        image: gati.dev/gati-webhook:` + version + `
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`)
}

// makeExpiredCA returns a CA of some other time.
func makeExpiredCA(t *testing.T, from time.Time, life time.Duration) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "gati-webhook-ca"}, NotBefore: from, NotAfter: from.Add(life),
		IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
}
