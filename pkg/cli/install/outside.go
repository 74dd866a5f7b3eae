package install

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gati.dev/gati/pkg/remedy"
)

// checkOutside refuses to put a gati-webhook into a cluster whose hooks call one outside
// it, unless that one is named: an apply would leave the hooks with two addresses.
func (o *options) checkOutside(ctx context.Context, objects []*unstructured.Unstructured) error {
	if o.url != "" {
		return nil
	}
	for _, wanted := range objects {
		if wanted.GetKind() != "MutatingWebhookConfiguration" && wanted.GetKind() != "ValidatingWebhookConfiguration" {
			continue
		}
		stored, err := o.readStored(ctx, wanted)
		if err != nil {
			return err
		}
		if at := outsideURL(stored); at != "" {
			verb := "install"
			if o.upgrade {
				verb = "upgrade"
			}
			return fmt.Errorf("cannot %s: Gati is installed here with a gati-webhook outside the cluster, at %s; to keep that one: %s --webhook-url %s; to run it in the cluster: %s, then %s", verb, at, remedy.Upgrade, at, remedy.Uninstall, remedy.Install)
		}
	}
	return nil
}

// redirectPatch returns the patch for a CRD whose conversion is to be called at another kind
// of address; nil for others.
func redirectPatch(stored, wanted *unstructured.Unstructured) []byte {
	if stored == nil || wanted.GetKind() != kindCRD {
		return nil
	}
	at := []string{"spec", "conversion", "webhook", "clientConfig"}
	live, _, _ := unstructured.NestedMap(stored.Object, at...) // without one, an apply sets it
	want, _, _ := unstructured.NestedMap(wanted.Object, at...)
	if live == nil || (live["url"] == nil) == (want["url"] == nil) {
		return nil
	}
	if ca := live["caBundle"]; ca != nil {
		want["caBundle"] = ca
	}
	patch, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/" + strings.Join(at, "/"), "value": want}})
	if err != nil {
		return nil // what was JSON stays JSON
	}
	return patch
}

// outsideURL returns the address that the hooks of a stored configuration call, empty
// where they call a Service.
func outsideURL(stored *unstructured.Unstructured) string {
	if stored == nil {
		return ""
	}
	hooks, _, _ := unstructured.NestedSlice(stored.Object, "webhooks") // what is no list has no address
	for _, hook := range hooks {
		fields, _ := hook.(map[string]any)
		at, _, _ := unstructured.NestedString(fields, "clientConfig", "url")
		if u, err := url.Parse(at); err == nil && u.Host != "" {
			return u.Scheme + "://" + u.Host
		}
	}
	return ""
}
