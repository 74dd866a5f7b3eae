package certs

import (
	"encoding/base64"
	"fmt"
	"iter"
	"net/url"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Target is an object in which the API server finds the CA of gati-webhook.
type Target struct {
	schema.GroupVersionKind
	Name string
}

// String names the target in logs.
func (t Target) String() string { return t.Kind + " " + t.Name }

var (
	kindMutating   = schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "MutatingWebhookConfiguration"}
	kindValidating = schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration"}
	kindCRD        = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
)

// Targets returns the two webhook configurations of a name and the CRDs.
func Targets(webhooks string, crds ...string) []Target {
	targets := []Target{{kindMutating, webhooks}, {kindValidating, webhooks}}
	for _, name := range crds {
		targets = append(targets, Target{kindCRD, name})
	}
	return targets
}

// Endpoint is one clientConfig of a target: the address of gati-webhook and the CAs
// trusted for it.
type Endpoint struct {
	Target Target
	// Pointer is the JSON pointer of the clientConfig.
	Pointer string
	// ServerName is the name that the API server expects in the certificate.
	ServerName string
	CABundle   []byte
}

// readEndpoints returns the clientConfigs of a target.
func readEndpoints(target Target, object *unstructured.Unstructured) ([]Endpoint, error) {
	var found []Endpoint
	for pointer, config := range clientConfigs(object) {
		e, err := readEndpoint(config)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", target, pointer, err)
		}
		e.Target, e.Pointer = target, pointer
		found = append(found, e)
	}
	return found, nil
}

// clientConfigs yields the clientConfigs of a webhook configuration or a CRD by
// JSON pointer. A CRD without conversion by webhook has none.
func clientConfigs(object *unstructured.Unstructured) iter.Seq2[string, map[string]any] {
	return func(yield func(string, map[string]any) bool) {
		if config, ok, _ := unstructured.NestedMap(object.Object, "spec", "conversion", "webhook", "clientConfig"); ok {
			yield("/spec/conversion/webhook/clientConfig", config)
			return
		}
		hooks, _, _ := unstructured.NestedSlice(object.Object, "webhooks")
		for i, hook := range hooks {
			m, _ := hook.(map[string]any)
			config, _ := m["clientConfig"].(map[string]any)
			if !yield(fmt.Sprintf("/webhooks/%d/clientConfig", i), config) {
				return
			}
		}
	}
}

func readEndpoint(config map[string]any) (Endpoint, error) {
	var e Endpoint
	if raw, ok := config["url"].(string); ok {
		u, err := url.Parse(raw)
		if err != nil {
			return e, err
		}
		e.ServerName = u.Hostname()
	} else {
		service, _ := config["service"].(map[string]any)
		e.ServerName = fmt.Sprintf("%v.%v.svc", service["name"], service["namespace"])
	}
	encoded, _ := config["caBundle"].(string)
	bundle, err := base64.StdEncoding.DecodeString(encoded)
	e.CABundle = bundle
	return e, err
}
