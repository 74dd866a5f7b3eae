package install

import (
	"context"
	"fmt"
	"net/url"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
			return fmt.Errorf("cannot %s: Gati is installed here with a gati-webhook outside the cluster, at %s; to keep that one: kubectl gati upgrade --webhook-url %s; to run it in the cluster: kubectl gati uninstall, then kubectl gati install", verb, at, at)
		}
	}
	return nil
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
