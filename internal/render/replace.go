package render

import (
	"fmt"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// setURL puts the scheme and host of o.URL into every clientConfig.url and
// leaves the paths.
func setURL(objects []*unstructured.Unstructured, o Options) error {
	if o.URL == "" {
		return nil
	}
	base, err := url.Parse(o.URL)
	if err != nil || base.Scheme != "https" || base.Host == "" || strings.Trim(base.Path, "/") != "" {
		return fmt.Errorf("url %q: want https://host:port without a path, for that is all the API server calls", o.URL)
	}
	found := 0
	for _, object := range objects {
		for _, config := range clientConfigs(object) {
			old, ok := config["url"].(string)
			if !ok {
				continue
			}
			parsed, err := url.Parse(old)
			if err != nil {
				return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
			}
			parsed.Scheme, parsed.Host = base.Scheme, base.Host
			config["url"] = parsed.String()
			found++
		}
	}
	if found == 0 {
		return fmt.Errorf("overlay %s reaches gati-webhook by its Service, so a url cannot be set; use overlay %s", o.Overlay, OverlayLocal)
	}
	return nil
}

// clientConfigs returns the clientConfigs of a webhook configuration or CRD,
// to be changed in place.
func clientConfigs(object *unstructured.Unstructured) []map[string]any {
	var found []map[string]any
	hooks, _ := object.Object["webhooks"].([]any)
	for _, hook := range hooks {
		if h, ok := hook.(map[string]any); ok {
			found = appendMap(found, h["clientConfig"])
		}
	}
	at := any(object.Object)
	for _, key := range []string{"spec", "conversion", "webhook", "clientConfig"} {
		m, _ := at.(map[string]any)
		at = m[key]
	}
	return appendMap(found, at)
}

func appendMap(to []map[string]any, value any) []map[string]any {
	if m, ok := value.(map[string]any); ok {
		return append(to, m)
	}
	return to
}

// setImage replaces the image of both Deployments, in the container of their name.
func setImage(objects []*unstructured.Unstructured, o Options) error {
	if o.Image == "" {
		return nil
	}
	found := false
	for _, object := range objects {
		if object.GetKind() != "Deployment" {
			continue
		}
		containers, _, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
		if err != nil {
			return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
		for _, c := range containers {
			if m, ok := c.(map[string]any); ok && m["name"] == object.GetName() {
				m["image"], found = o.Image, true
			}
		}
		if err := unstructured.SetNestedSlice(object.Object, containers, "spec", "template", "spec", "containers"); err != nil {
			return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	if !found {
		return fmt.Errorf("overlay %s has no Deployment, so an image cannot be set", o.Overlay)
	}
	return nil
}
