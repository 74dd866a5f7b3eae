package bundle

import (
	"encoding/json"
	"fmt"
	"net/url"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// patch is a JSON patch of all objects of a kind.
type patch struct {
	Target struct {
		Kind string `json:"kind"`
	} `json:"target"`
	Patch string `json:"patch"`
}

func (p patch) applyTo(objects []*unstructured.Unstructured) error {
	raw, err := yaml.YAMLToJSON([]byte(p.Patch))
	if err != nil {
		return err
	}
	operations, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		return fmt.Errorf("the patch of %s is no JSON patch: %w", p.Target.Kind, err)
	}
	for _, object := range objects {
		if object.GetKind() != p.Target.Kind {
			continue
		}
		before, err := json.Marshal(object)
		if err != nil {
			return err
		}
		after, err := operations.Apply(before)
		if err != nil {
			return fmt.Errorf("patch %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		object.Object = nil
		if err := json.Unmarshal(after, object); err != nil {
			return err
		}
	}
	return nil
}

// redirectHooks puts an address into every clientConfig that has one, and leaves the
// paths.
func redirectHooks(objects []*unstructured.Unstructured, at string) {
	for _, object := range objects {
		Configs(object, func(config map[string]any) {
			if old, err := url.Parse(fmt.Sprint(config["url"])); err == nil && config["url"] != nil {
				config["url"] = at + old.Path
			}
		})
	}
}

// Configs visits the clientConfigs of a webhook configuration or CRD, which may
// be changed in place.
func Configs(object *unstructured.Unstructured, visit func(map[string]any)) {
	hooks, _ := object.Object["webhooks"].([]any)
	for _, hook := range hooks {
		if h, ok := hook.(map[string]any); ok {
			if config, ok := h["clientConfig"].(map[string]any); ok {
				visit(config)
			}
		}
	}
	at := object.Object
	for _, key := range []string{"spec", "conversion", "webhook", "clientConfig"} {
		at, _ = at[key].(map[string]any)
	}
	if at != nil {
		visit(at)
	}
}
