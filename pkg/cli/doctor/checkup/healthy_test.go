package checkup_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"time"

	"gati.dev/gati/pkg/cli/doctor/checkup"
)

// healthy are the facts of a cluster that nothing is wrong with, and that has all
// that checks look at.
func healthy() *checkup.Facts {
	f := &checkup.Facts{Now: now, Plugin: "v0.1.0", Namespace: "shop", TrialNamespace: "shop"}
	f.Server = known(checkup.Version{GitVersion: "v1.37.1", Major: "1", Minor: "37"})
	f.Served = known(map[string][]string{"gateway.networking.k8s.io": {"v1"}, "autoscaling": {"v1", "v2"}})
	for _, group := range []string{
		"admissionregistration.k8s.io", "apiextensions.k8s.io", "apps", "authorization.k8s.io", "coordination.k8s.io", "discovery.k8s.io",
		"flowcontrol.apiserver.k8s.io", "networking.k8s.io", "policy", "rbac.authorization.k8s.io", "scheduling.k8s.io",
	} {
		f.Served.Value[group] = []string{"v1"}
	}
	crd := decoded[checkup.CRD](`{"spec":{"versions":[{"name":"v1","served":true}],"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{}}}},
		"status":{"storedVersions":["v1"],"conditions":[{"type":"Established","status":"True"}]}}`)
	hooks := decoded[checkup.HookConfiguration](`{"webhooks":[{"name":"validate.gati.dev","failurePolicy":"Fail","rules":[{"resources":["gatihandlers"]}]}]}`)
	f.Shipped = checkup.Shipped{
		CRDs:     map[string]checkup.CRD{handlersCRD: crd},
		Hooks:    map[string]checkup.HookConfiguration{"Validating": hooks},
		Policies: []string{"gati-requests"},
		Image:    "gati.dev/gati-webhook:v0.1.0",
	}
	f.CRDs = map[string]checkup.Fact[checkup.CRD]{handlersCRD: known(decoded[checkup.CRD](encoded(crd)))}
	f.Hooks = map[string]checkup.Fact[checkup.HookConfiguration]{"Validating": known(decoded[checkup.HookConfiguration](encoded(hooks)))}
	f.Policies = map[string]checkup.Fact[checkup.Policy]{"gati-requests": known(decoded[checkup.Policy](`{"spec":{"failurePolicy":"Fail"}}`))}
	f.Bindings = map[string]checkup.Fact[checkup.Binding]{"gati-requests": known(decoded[checkup.Binding](`{"spec":{"policyName":"gati-requests","validationActions":["Deny"]}}`))}
	f.Deployment = known(decoded[checkup.Deployment](`{"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"gati-webhook","image":"gati.dev/gati-webhook:v0.1.0"}]}}},"status":{"availableReplicas":2}}`))
	f.Controllers = known(decoded[checkup.Deployment](`{"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"gati-controller","image":"gati.dev/gati-webhook:v0.1.0"}]}}},"status":{"availableReplicas":2}}`))
	f.Secrets = map[string]checkup.Fact[[]byte]{}
	f.Trials = map[string]checkup.Fact[checkup.Trial]{"v1": known(checkup.Trial{Stamped: true}), "v1alpha1": known(checkup.Trial{Stamped: true})}
	f.Rights = known([]checkup.Right{{Resource: "gatihandlers", Verb: "list", Allowed: true}, {Resource: "gatihandlers", Verb: "promote", Allowed: true}, {Resource: "gativersions", Verb: "tag", Allowed: true}})
	f.Handlers = known(ours())
	f.GatewayClasses = known([]checkup.GatewayClass{decoded[checkup.GatewayClass](`{"metadata":{"name":"traefik"},"spec":{"controllerName":"traefik.io/gateway"},"status":{"conditions":[{"type":"Accepted","status":"True"}]}}`)})
	f.Routes = known([]checkup.Route{decoded[checkup.Route](`{"metadata":{"namespace":"shop","name":"handler-users"},"spec":{"parentRefs":[{"name":"public"}]},
		"status":{"parents":[{"parentRef":{"name":"public"},"conditions":[{"type":"Accepted","status":"True"},{"type":"ResolvedRefs","status":"True"}]}]}}`)})
	f.MetricsAPI = known(decoded[checkup.Conditioned](`{"status":{"conditions":[{"type":"Available","status":"True"}]}}`))
	f.Prometheus, f.PrometheusPods = known("http://prometheus.monitoring.svc:9090"), known(1)
	setCA(f, ca(now, 24*time.Hour))
	return f
}

// setCA gives all objects one CA.
func setCA(f *checkup.Facts, bundle []byte) {
	f.Hooks["Validating"].Value.Webhooks[0].ClientConfig.CABundle = bundle
	f.CRDs[handlersCRD].Value.Spec.Conversion.Webhook.ClientConfig.CABundle = bundle
}

func ca(from time.Time, life time.Duration) []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "gati-webhook-ca"}, NotBefore: from, NotAfter: from.Add(life)}
	raw, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	must(err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
}

func known[T any](value T) checkup.Fact[T] { return checkup.Fact[T]{Value: value} }

func absent[T any]() checkup.Fact[T] { return checkup.Fact[T]{Absent: true} }

func unread[T any]() checkup.Fact[T] { return checkup.Fact[T]{Unread: "forbidden"} }

// edit changes the only fact of a map.
func edit[T any](m map[string]checkup.Fact[T], change func(*T)) {
	for name, fact := range m {
		change(&fact.Value)
		m[name] = fact
	}
}

func decoded[T any](text string) (value T) {
	decode(text, &value)
	return value
}

func decode(text string, into any) { must(json.Unmarshal([]byte(text), into)) }

func encoded(value any) string {
	raw, err := json.Marshal(value)
	must(err)
	return string(raw)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
